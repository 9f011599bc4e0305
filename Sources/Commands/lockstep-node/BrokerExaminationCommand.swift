// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import BrokerAdmin
import FoundationEssentials
import Mosquitto
import Runtime
import Settings

/// `lockstep-node doctor`: prints what a broker can do as JSON, for `lockstep doctor --broker`.
struct BrokerExaminationCommand: AsyncParsableCommand {
    // Its errors are part of the output of `lockstep`.
    static let configuration = CommandConfiguration(commandName: "lockstep")

    @OptionGroup var broker: BrokerOptions

    @Option(help: "Another member of the broker's cluster.")
    var member: [String] = []

    func run() async throws {
        let (settings, configuration) = try Self.member(broker.values)
        let members = try member.map { text in
            var values = SettingValues()
            values.set(.broker, option: "--member", to: text)
            return try Self.member(values)
        }
        let findings = try await EventLoop.withEventLoop(name: "doctor") { loop in
            await BrokerExamination(settings: settings, configuration: configuration, members: members, loop: loop)
                .findings()
        }
        print(ReportJSON.text(findings))
    }

    private static func member(_ given: SettingValues) throws -> BrokerExamination.ClusterMember {
        var values = given
        try values.fill(environment: ProcessInfo.processInfo.environment)
        let settings = try NodeSettings(values, environment: ProcessInfo.processInfo.environment)
        guard let configuration = settings.brokerConfiguration(clientID: "lockstep-doctor") else {
            throw UsageError("no --broker is given")
        }
        return (settings, configuration)
    }
}
