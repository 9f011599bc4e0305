// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Harness
import Mosquitto
import Session
import Settings

/// `lockstep-bench intent`: the time from a press until its node shows that another node applied it.
struct IntentCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "intent",
        abstract: "Measure pause and resume, pressed at B, applied by A, shown by B; against two bare hops.",
        discussion: """
            A and B are two nodes, each on a loop and thread of its own; the time ends when B's view shows A's new \
            register. The bare pair does the same two hops on the same broker and the same two threads, with payloads \
            of the same sizes: a request of QoS 1, a retained answer of QoS 1. Blocks of rounds alternate, and each \
            starts a session. With fewer rounds the p99 varies by a tenth from run to run.

            On a virtual machine the host steals processor time for milliseconds at once, which would soon make up the \
            p99. A turn with stolen time is left out on both sides and repeated, until four times the rounds are \
            done; the figures include how many turns were left out, and the ratio with them.

            Instructions and allocations are counted under valgrind, for a press with the journal in memory.
            """
    )

    @Option(help: "How many presses are measured, and how many rounds of the bare pair.")
    var rounds = 16_000

    @Option(help: "How many rounds Lockstep does, all in one session, before it is the bare pair's turn, and so on.")
    var block = 20

    @Option(help: "Milliseconds between two rounds; 0 for one after the other.")
    var gap = 1

    @Option(help: "A directory below which the nodes' journals are written (default: one in memory, then one on disk).")
    var journal: String?

    @Option(help: "For how many presses instructions and allocations are counted; 0 for none.")
    var counted = 2_000

    @Flag(help: "Only press, without the bare pair; this is what is counted.")
    var alone = false
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(
            rounds > 0 && block > 0 && gap >= 0 && counted >= 0, "numbers are 1 or more, gap and counted 0 or more")
    }

    func measure() async throws -> [Figure] {
        let places =
            journal.map { [("at \($0)", $0, false)] }
            ?? [("in memory", BenchDirectory.memory, true), ("on disk", BenchDirectory.disk, false)]
        let work = try await WorkCount.figures("intent", per: "press", few: 100, many: 100 + counted) {
            [
                "intent", "--alone", "--rounds", "\($0)", "--gap", "0", "--counted", "0", "--journal",
                BenchDirectory.memory,
            ]
        }
        var figures: [Figure] = []
        for (name, parent, hasGoal) in places {
            let measured = try await BenchDirectory.withBroker { broker, _ in
                try await BenchDirectory.withDirectory(in: parent) { journal in
                    try await BenchDirectory.withLoops(2) { loops in
                        try await turns(broker, journal: journal, loops[0], loops[1], name)
                    }
                }
            }
            figures +=
                alone
                ? [measured.kept.lockstep.figure("intent, alone", 0.5)] : try measured.figures(name, hasGoal: hasGoal)
        }
        return figures + work
    }

    private func turns(
        _ broker: BrokerAddress, journal: String, _ loopA: EventLoop, _ loopB: EventLoop, _ name: String
    ) async throws -> Alternation {
        let nodeA = try NodeGroup.node("a", journal: journal, on: loopA)
        let nodeB = try NodeGroup.node("b", journal: journal, on: loopB)
        let presser = Presser(at: nodeB)
        return try await NodeGroup.run([nodeA, nodeB], broker: broker) { [self] in
            let raw = try await RawPair(broker, loopA, loopB)
            return try await BenchDirectory.finally({ await raw.stop() }) {
                var turns = Alternation()
                try await NodeGroup.startSession(on: nodeA, seenBy: [nodeB])
                while alone, turns.kept.lockstep.count < rounds {
                    try await NodeGroup.startSession(on: nodeA, seenBy: [nodeB])
                    turns.add([], try await presser.presses(block, gap: gap), isDisturbed: false)
                }
                if alone { return turns }
                turns.sizes = try await presser.sizes(presses: block)
                _ = try await raw.rounds(sizes: turns.sizes, gap: gap)
                while turns.kept.raw.count < rounds, turns.all.raw.count < 4 * rounds {
                    try Task.checkCancellation()
                    ProgressLine.show("intent, journal \(name): \(turns.kept.raw.count) of \(rounds) rounds")
                    let before = StolenTime.ticks()
                    let bare = try await raw.rounds(sizes: turns.sizes, gap: gap)
                    try await NodeGroup.startSession(on: nodeA, seenBy: [nodeB])
                    let presses = try await presser.presses(block, gap: gap)
                    turns.add(bare, presses, isDisturbed: StolenTime.ticks() != before)
                }
                return turns
            }
        }
    }
}

/// The payload sizes of a round, in bytes.
struct PayloadSizes: Sendable {
    var request: Int
    var answer: Int
}

/// The times of bare rounds and of presses, measured in turn.
struct Alternation: Sendable {
    struct Sides: Sendable {
        var raw = Samples()
        var lockstep = Samples()

        func ratio(_ share: Double) -> Double { lockstep.quantile(share) / raw.quantile(share) }
    }

    private(set) var all = Sides()
    /// The times of turns without stolen time.
    private(set) var kept = Sides()
    var sizes: [PayloadSizes] = []

    mutating func add(_ rounds: [Int64], _ presses: [Int64], isDisturbed: Bool) {
        all.raw.add(rounds)
        all.lockstep.add(presses)
        guard !isDisturbed else { return }
        kept.raw.add(rounds)
        kept.lockstep.add(presses)
    }

    func figures(_ name: String, hasGoal: Bool) throws -> [Figure] {
        guard kept.raw.count > 0 else {
            throw Failed("the host stole processor time in every turn: measure when the machine is quieter")
        }
        let leftOut = 1 - Double(kept.raw.count) / Double(all.raw.count)
        return [
            Figure("intent, journal \(name), p50", kept.lockstep.quantile(0.5), "µs"),
            Figure("intent, bare libmosquitto, p50", kept.raw.quantile(0.5), "µs"),
            Figure("intent, journal \(name), p50 ratio", kept.ratio(0.5), "×", atMost: hasGoal ? 1.5 : nil),
            Figure("intent, journal \(name), p99", kept.lockstep.quantile(0.99), "µs"),
            Figure("intent, bare libmosquitto, p99", kept.raw.quantile(0.99), "µs"),
            Figure("intent, journal \(name), p99 ratio", kept.ratio(0.99), "×", atMost: hasGoal ? 1.8 : nil),
            Figure("intent, rounds", Double(kept.raw.count), "each"),
            Figure("intent, left out for stolen time", leftOut * 100, "%"),
            Figure("intent, p50 ratio with those", all.ratio(0.5), "×"),
            Figure("intent, p99 ratio with those", all.ratio(0.99), "×"),
            Figure("intent, request", Double(sizes.map(\.request).max() ?? 0), "bytes"),
            Figure("intent, largest register", Double(sizes.map(\.answer).max() ?? 0), "bytes"),
        ]
    }
}
