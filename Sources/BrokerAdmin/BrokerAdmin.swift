// SPDX-License-Identifier: Apache-2.0

import API
package import Joining

/// Carries out the requests of `lockstep broker`, `invite`, `members` and `revoke`.
package enum BrokerAdmin {
    /// Carries out a request. One with an answer prints it as JSON, and speaks to people on stderr. Setting up and
    /// undoing have no answer; they print progress on stdout and warnings on stderr.
    /// - Parameters:
    ///   - program: The path of this program, beside which `broker-clear` is installed.
    ///   - root: The folder that everything lies below, for tests; empty for this machine.
    package static func carryOut(_ request: BrokerRequest, program: String, root: String) async throws(SetupError) {
        do {
            try await carryOut(request, program: program, BrokerFiles(root: root))
        } catch {
            throw (error as? SetupError) ?? SetupError("\(error)")
        }
    }

    private static func carryOut(_ request: BrokerRequest, program: String, _ files: BrokerFiles) async throws {
        let isSetUp = if case .setUp = request { true } else { false }
        try await files.lock(makesFolder: isSetUp)
        switch request {
        case .setUp(let options):
            defer { files.removeEmptyFolder() }
            try await BrokerSetup(files).setUp(options)
        case .unset: try await BrokerSetup(files).undo(program: program)
        case .invite(let node, let role, let space, let isProgram):
            var membership = try Membership(files)
            answer(try await membership.invite(node, role: role, space: space, isProgram: isProgram))
        case .revoke(let node):
            var membership = try Membership(files)
            answer(try await membership.revoke(node))
        case .members:
            var membership = try Membership(files)
            answer(try await membership.members())
        case .expire:
            var membership = try Membership(files)
            answer(try await membership.expire())
        }
    }

    private static func answer(_ answer: some Encodable) {
        print(String(decoding: ReportJSON.encode(answer), as: UTF8.self))
    }
}
