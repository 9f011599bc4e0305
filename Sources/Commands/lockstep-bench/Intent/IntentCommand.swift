// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Mosquitto
import Session
import Shell
import Wire

struct IntentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intent",
        abstract: "Pause and resume, asked at B, applied by A, seen by B; against two bare hops.",
        discussion: """
            A and B are two nodes, each on a loop and thread of its own; the time ends when B's view shows A's new \
            register. The bare pair does the same two hops on the same broker and the same two threads, with payloads \
            of the same sizes: a request of QoS 1, a retained answer of QoS 1. Blocks of rounds take turns, and each \
            begins a new session. A hundredth of fewer rounds says little: it differs from run to run by a tenth.

            On a virtual machine the host takes the processors away for milliseconds at a time, and a hundredth of \
            presses is soon made of nothing else. A turn in which the kernel counts such stolen time is left out, of \
            both sides alike, and taken again, until four times the rounds are through; the figures say how many \
            turns it was and what the ratio is with them.
            """
    )

    @Option(help: "Rounds of each side.")
    var rounds = 16_000

    @Option(help: "Rounds between two turns, which are the presses of one session.")
    var block = 20

    @Option(help: "Milliseconds between two rounds; 0 for one after the other.")
    var gap = 1

    @Option(help: "A directory below which the nodes' journals are written (default: one in memory, then one on disk).")
    var journal: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard rounds > 0, block > 0, gap >= 0 else { throw ValidationError("numbers are 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        let places =
            journal.map { [("at \($0)", $0, false)] }
            ?? [("in memory", Workplace.memory, true), ("on disk", Workplace.disk, false)]
        var figures: [Figure] = []
        for (name, parent, hasGoal) in places {
            let measured = try await Workplace.withBroker { broker, _ in
                try await Workplace.withDirectory(in: parent) { journal in
                    try await EventLoop.withEventLoop(name: "A") { loopA in
                        try await EventLoop.withEventLoop(name: "B") { loopB in
                            try await turns(broker, journal: journal, loopA, loopB, name)
                        }
                    }
                }
            }
            figures += try measured.figures(name, hasGoal: hasGoal)
        }
        return figures
    }

    private func turns(
        _ broker: BrokerAddress, journal: String, _ loopA: EventLoop, _ loopB: EventLoop, _ name: String
    ) async throws -> Turns {
        let nodeA = try Fleet.node("a", journal: journal, on: loopA)
        let nodeB = try Fleet.node("b", journal: journal, on: loopB)
        let person = Person(at: nodeB)
        return try await Fleet.run([nodeA, nodeB], broker: broker) { [self] in
            let raw = try await RawPair(broker, loopA, loopB)
            var turns = Turns()
            do {
                try await Fleet.startSession(on: nodeA, seenBy: [nodeB])
                turns.sizes = try await person.sizes(presses: block)
                _ = try await raw.rounds(sizes: turns.sizes, gap: gap)
                while turns.kept.raw.count < rounds, turns.all.raw.count < 4 * rounds {
                    try Task.checkCancellation()
                    Progress.say("intent, journal \(name): \(turns.kept.raw.count) of \(rounds) rounds")
                    let before = StolenTime.ticks()
                    let bare = try await raw.rounds(sizes: turns.sizes, gap: gap)
                    try await Fleet.startSession(on: nodeA, seenBy: [nodeB])
                    let presses = try await person.presses(block, gap: gap)
                    turns.add(bare, presses, isDisturbed: StolenTime.ticks() != before)
                }
            } catch {
                await raw.stop()
                throw error
            }
            await raw.stop()
            return turns
        }
    }
}
