// SPDX-License-Identifier: Apache-2.0

import Commands
import Session
import Web
import Wire

/// The session as a command reaches it.
protocol SessionAccess: Sendable {
    func press(_ press: Press) async throws -> ReplyReport
    /// Moves the session to where this access leads.
    func take() async throws -> ReplyReport
    func status() async throws -> StatusReport
    func nodes() async throws -> NodesReport
    /// The view and every later one, until access is lost.
    func views(_ body: (NodeView) async throws -> Void) async throws
}

extension Operation {
    fileprivate var seconds: Int? {
        if case .extend(let seconds) = self { seconds } else { nil }
    }
}

/// Through the node on this machine.
struct LocalAccess: SessionAccess {
    let client: ControlClient

    func press(_ press: Press) async throws -> ReplyReport {
        try await client.press(
            IntentRequest(
                op: press.operation.name.rawValue, seconds: press.operation.seconds, session: press.session?.rawValue,
                phase: press.phase))
    }
    func take() async throws -> ReplyReport { try await client.take() }
    func status() async throws -> StatusReport { try await client.status() }
    func nodes() async throws -> NodesReport { try await client.nodes() }
    func views(_ body: (NodeView) async throws -> Void) async throws { try await client.views(body) }
}

enum Access {
    /// Says that neither node nor broker was reached.
    static func unreachable(_ reason: String) -> any Error {
        CommandLineRunner.say("lockstep: \(reason)")
        return ExitStatus.unreachable.code
    }

    static func orUnreachable(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ControlError {
            switch error {
            case .noAnswer, .badAnswer:
                CommandLineRunner.say("lockstep: \(error)")
                throw ExitStatus.noAnswer.code
            case .pathTooLong, .taken, .unreachable: throw unreachable("\(error)")
            }
        }
    }
}
