// SPDX-License-Identifier: Apache-2.0

import API
package import Session
package import Settings

/// A change of this machine's broker, or a question about it, which `lockstep-node broker` carries out.
package enum BrokerRequest: Codable, Sendable {
    case setUp(Options)
    /// Restores the configuration from before the setup.
    case unset
    /// Adds a member; the answer is an ``Invitation``. A program that is no node of Lockstep joins with its password
    /// alone.
    case invite(node: NodeID, role: MemberRole, space: SpaceID, isProgram: Bool)
    /// Ends the rights of a member.
    case revoke(node: NodeID)
    /// The answer is a list of ``Member``.
    case members
    /// Withdraws unused invitations; the answer is a list of names.
    case expire

    /// The options of `lockstep broker setup`.
    package struct Options: Codable, Sendable {
        package var isOnLAN = false
        package var isEncrypted = false
        package var host: String?
        package var port: Int?
        package var keepsSpacesApart = false

        package init() {}
    }

    /// Returns the arguments with which `lockstep-node` carries out the request.
    /// - Parameter root: The folder that everything lies below, for tests; `nil` for this machine.
    package func arguments(root: String?) -> [String] {
        ["broker", String(decoding: ReportJSON.encode(self), as: UTF8.self)] + (root.map { [$0] } ?? [])
    }

    /// Whether `lockstep-node` prints an answer, or a ``Problem``, for this program.
    package var hasAnswer: Bool {
        switch self {
        case .setUp, .unset: false
        case .invite, .revoke, .members, .expire: true
        }
    }

    /// The reason why there is no answer.
    package struct Problem: Codable {
        package var problem: String

        package init(_ problem: String) { self.problem = problem }
    }

    /// Lets `lockstep-node` carry out the request, and returns its answer. Messages for people go to stderr.
    /// - Throws: ``SetupError``.
    package func answer<Answer: Decodable>(
        _ type: Answer.Type = Answer.self, by program: String, root: String?
    ) async throws(SetupError) -> Answer {
        do {
            let arguments = arguments(root: root).map { LineText(showing: $0) }
            let result = try await Child.run(program, arguments, seconds: 1_800, showsErrors: true)
            let output = Array(result.output.utf8)
            guard result.code == 0 else {
                let problem = try ReportJSON.decode(Problem.self, from: output).problem
                throw SetupError(result.code == 2 ? .wrong : .refused, problem)
            }
            return try ReportJSON.decode(type, from: output)
        } catch let failure as SetupError {
            throw failure
        } catch {
            throw SetupError("\(program) does not answer as expected: \(error)")
        }
    }
}
