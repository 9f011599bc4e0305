// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Mosquitto
import NodeRuntime
import Session
import Settings
import Wire

/// `lockstep-bench fanout`: the time until many displays show a change.
struct FanoutCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "fanout",
        abstract: "Measure the time until the last of many displays shows a change; against bare subscribers.",
        discussion: """
            In a house each display has its own machine; here they share one. So only twenty displays are whole nodes, \
            each on its own thread; the others are bare subscribers on one thread, which cost the broker as much. The \
            twenty connect last and are served last. The time begins with a press of pause or resume at the owner, and \
            ends when the last of the twenty shows it. For comparison, twenty bare subscribers beside the same crowd \
            receive a retained message of the same size.
            """
    )

    /// The number of timed receivers on each side.
    static let timed = 20

    @Option(help: "How many displays, and how many bare subscribers.")
    var displays = 200

    @Option(help: "How many changes are measured with displays, and how many with bare subscribers.")
    var rounds = 200
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(displays >= Self.timed && rounds > 0, "--displays is \(Self.timed) or more, --rounds 1 or more")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await BenchDirectory.withLoops(Self.timed + 1) { loops in
                ProgressLine.show("fanout: connecting \(displays) displays")
                let owner = try NodeGroup.node("owner", journal: directory, on: loops[0])
                let nodes = try (0..<Self.timed).map {
                    try NodeGroup.node("display-\($0)", role: .display, journal: nil, on: loops[1 + $0])
                }
                let session = "lockstep/1/\(owner.space)/node/owner/session"
                let raw = try await RawFanout(broker, crowd: displays - Self.timed, session: session)
                return try await BenchDirectory.finally({ await raw.stop() }) {
                    try await NodeGroup.run([owner] + nodes, broker: broker) {
                        try await raw.connect(to: broker)
                        return try await turns(owner, nodes, raw)
                    }
                }
            }
        }
    }

    private func turns(_ owner: Node, _ nodes: [Node], _ raw: RawFanout) async throws -> [Figure] {
        var (plain, lockstep) = (Samples(), Samples())
        let block = 10
        let presser = Presser(at: owner)
        let codec = WireCodec(space: owner.space, me: owner.identity.node)
        var size = 0
        while lockstep.count < rounds {
            try Task.checkCancellation()
            ProgressLine.show("fanout: \(lockstep.count) of \(rounds) rounds")
            try await NodeGroup.startSession(on: owner, seenBy: nodes)
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
            Figure("fanout, p50 ratio", last / bare, "×", atMost: displays > 200 ? 1.3 : 1.25),
            lockstep.figure("fanout, p99", 0.99),
            plain.figure("fanout, bare, p99", 0.99),
            Figure("fanout, register", Double(size), "bytes"),
        ]
    }
}
