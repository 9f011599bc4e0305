// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Mosquitto
import Session
import Shell
import Wire

struct FanoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "The time until the last of many displays shows a change; against bare subscribers.",
        discussion: """
            Each display is a whole node of the role display, on a loop and thread of its own, as on a machine of its \
            own; so is each bare subscriber. A few threads for all would measure which of them the scheduler lets wait \
            for the broker. The time begins when the owner's person presses pause or resume, and ends when the last \
            view shows it. The bare subscribers receive a retained message of the same size.
            """
    )

    @Option(help: "How many displays, and how many bare subscribers.")
    var displays = 200

    @Option(help: "Changes of each side.")
    var rounds = 200

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard displays > 0, rounds > 0 else { throw ValidationError("numbers are 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            try await Workplace.withLoops(displays + 1) { try await turns(broker, directory, $0) }
        }
    }

    private func turns(_ broker: BrokerAddress, _ directory: String, _ loops: [EventLoop]) async throws -> [Figure] {
        Progress.say("fanout: connecting \(displays) displays")
        let owner = try Fleet.node("owner", journal: directory, on: loops[0])
        let nodes = try (0..<displays).map {
            try Fleet.node("display-\($0)", role: .display, journal: nil, on: loops[1 + $0])
        }
        return try await Fleet.run([owner] + nodes, broker: broker) { [self] in
            let raw = try await RawFanout(broker, subscribers: displays)
            do {
                let figures = try await turns(owner, nodes, raw)
                await raw.stop()
                return figures
            } catch {
                await raw.stop()
                throw error
            }
        }
    }

    private func turns(_ owner: Node, _ nodes: [Node], _ raw: RawFanout) async throws -> [Figure] {
        var (plain, lockstep) = (Samples(), Samples())
        let block = 10
        let presser = Announcer(at: owner)
        let codec = WireCodec(space: owner.space, me: owner.identity.node)
        var size = 0
        while lockstep.count < rounds {
            try Task.checkCancellation()
            Progress.say("fanout: \(lockstep.count) of \(rounds) rounds")
            try await Fleet.startSession(on: owner, seenBy: nodes)
            for _ in 0..<block {
                lockstep.add([try await presser.press(seenBy: nodes)])
                if let register = await owner.view.register { size = codec.encode(.register(register)).payload.count }
                plain.add([try await raw.publish(size: size)])
            }
        }
        let (last, bare) = (lockstep.quantile(0.5) / 1_000, plain.quantile(0.5) / 1_000)
        return [
            Figure("fanout, last of \(displays) displays, p50", last, "ms"),
            Figure("fanout, last of \(displays) bare subscribers, p50", bare, "ms"),
            Figure("fanout, p50 ratio", last / bare, "×", atMost: 1.25),
            Figure("fanout, p99", lockstep.quantile(0.99) / 1_000, "ms"),
            Figure("fanout, bare, p99", plain.quantile(0.99) / 1_000, "ms"),
            Figure("fanout, register", Double(size), "bytes"),
        ]
    }
}
