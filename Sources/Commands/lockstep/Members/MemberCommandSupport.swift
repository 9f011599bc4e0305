// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Joining
import Settings

/// The functions that the commands about members share.
enum MemberCommandSupport {
    /// Replaces this process with the program that carries out a request.
    static func become(_ request: BrokerRequest, _ destdir: String?) throws {
        try requireRoot(destdir)
        try CompanionExecutable.become("lockstep-node", request.arguments(root: destdir))
    }

    /// Runs `lockstep-node` with a request, and returns its decoded answer.
    static func answer<Answer: Decodable>(
        _ request: BrokerRequest, _ type: Answer.Type, json: Bool = false, _ destdir: String?
    ) async throws -> Answer {
        try requireRoot(destdir)
        return try await orExit(json: json) {
            try await request.answer(type, by: CompanionExecutable.path(of: "lockstep-node"), root: destdir)
        }
    }

    static func requireRoot(_ destdir: String? = nil) throws {
        if destdir == nil, geteuid() != 0 { throw UsageError("this changes the machine; run it with sudo") }
    }

    /// Runs `body`; a ``SetupError`` becomes a line on stderr, or JSON, and an exit code.
    static func orExit<Value>(json: Bool = false, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let failure as SetupError {
            if json { print(CommandOutput.json(["problem": failure.description])) }
            let status: ExitStatus =
                switch failure.kind {
                case .wrong: .usage
                case .refused: .refused
                case .unreachable: .unreachable
                case .noAnswer: .noAnswer
                case .interrupted: .interrupted
                }
            throw status.printing("\(failure)")
        }
    }
}
