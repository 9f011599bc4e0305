// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Client
import FoundationEssentials
import Glibc
import Settings

/// The option that names the node of this machine to which a command connects.
struct SocketOptions: ParsableArguments, Sendable {
    @Option(
        help: "The socket of the node on this machine (default: the usual place). LOCKSTEP_SOCKET",
        completion: .file())
    var socket: String?

    /// A client of the first wanted socket on which a node listens; `nil` if there is none.
    var localNode: ControlClient? {
        wantedSockets.first(where: ControlClient.isServed).map(ControlClient.init)
    }

    func withNode(_ body: (ControlClient) async throws -> Void) async throws {
        guard let client = localNode else { throw reportUnreachable() }
        try await ExitStatus.replacingControlErrors { try await body(client) }
    }

    var wantedSockets: [String] {
        let environment = ProcessInfo.processInfo.environment
        if let given = socket ?? environment["LOCKSTEP_SOCKET"], !given.isEmpty { return [given] }
        return Paths(environment: environment).sockets
    }

    /// The first wanted socket that this person may not use; `nil` if there is none.
    var closedSocket: String? { wantedSockets.first { access($0, W_OK) != 0 && errno == EACCES } }

    static let groupAdvice = "sudo usermod -aG lockstep $USER, then log in again"

    /// Prints that no node was reached, and returns the exit code. `suffix` continues that sentence.
    func reportUnreachable(_ suffix: String = "") -> any Error {
        if let closedSocket {
            return ExitStatus.unreachable.printing(
                "only members of its group may use \(closedSocket); for the node of this machine: \(Self.groupAdvice)")
        }
        let installation = Installation(environment: ProcessInfo.processInfo.environment)
        return ExitStatus.unreachable.printing(
            "no node listens on \(wantedSockets.joined(separator: " or "))\(suffix); \(installation.adviceWithoutNode)"
        )
    }
}
