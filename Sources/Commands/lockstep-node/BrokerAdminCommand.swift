// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import BrokerAdmin
import Joining
import Settings

/// `lockstep-node broker`: sets up the broker of this machine, and keeps its members, for `lockstep`.
struct BrokerAdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "lockstep-node broker")

    @Argument(help: "The request as JSON, by lockstep.")
    var request: String

    @Argument(help: "The folder that everything lies below, for tests.")
    var root = ""

    func run() async throws {
        let request = try ReportJSON.decode(BrokerRequest.self, from: Array(request.utf8))
        do {
            let program = CompanionExecutable.path(of: "lockstep-node")
            try await BrokerAdmin.carryOut(request, program: program, root: root)
        } catch {
            if request.hasAnswer {
                print(ReportJSON.text(BrokerRequest.Problem("\(error)")))
            } else {
                CommandLineRunner.say("lockstep: \(error)")
            }
            throw (error.kind == .wrong ? ExitStatus.usage : .refused).code
        }
    }
}
