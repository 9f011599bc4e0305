// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Harness
import Mosquitto
import NodeRuntime
import Platform
import Session
import Shell

struct AgreementCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "agreement",
        abstract: "Measure the agreement of displays with unrelated clocks over a network with jitter.",
        discussion: """
            Every node has its own boot clock and a wall clock that is up to an hour wrong and not synchronised. Each \
            starts a session in turn. After the nodes have compared their clocks, all displays are read at the same \
            instants, and compared with the owner's.
            """
    )

    @Option(help: "How many nodes.")
    var nodes = 8

    @Option(
        help: "The longest delay of a message on the way to or from the broker, in milliseconds; the shortest is 0.")
    var jitter = 20

    @Option(help: "Seconds that the nodes have to compare their clocks after each start.")
    var settle = 15

    @Option(help: "Readings of all displays for each session, 10 ms apart.")
    var readings = 200

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(
            nodes > 1 && nodes <= 64 && jitter >= 0 && settle > 0 && readings > 0,
            "--nodes is 2 to 64, --jitter 0 or more, the others 1 or more")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await Network.with(to: broker, jitter: jitter) { network in
                try await BenchDirectory.withLoops(nodes) { loops in
                    let machines = try loops.enumerated().map { index, loop in
                        let lead = ClockLead(
                            boot: Milliseconds(.random(in: 0...1_000_000_000)),
                            wall: Milliseconds(.random(in: -3_600_000...3_600_000)))
                        return Machine(
                            node: try NodeGroup.node("node-\(index)", journal: directory, on: loop, lead: lead),
                            lead: lead)
                    }
                    return try await NodeGroup.run(machines.map(\.node), broker: network.address) {
                        try await sessions(on: machines)
                    }
                }
            }
        }
    }

    private struct Machine: Sendable {
        var node: Node
        var lead: ClockLead
    }

    private func sessions(on machines: [Machine]) async throws -> [Figure] {
        var readings: [Reading] = []
        for (turn, owner) in machines.enumerated() {
            try await NodeGroup.startSession(on: owner.node, seenBy: machines.map(\.node))
            for second in 0..<settle {
                ProgressLine.show(
                    "agreement: session \(turn + 1) of \(machines.count), \(settle - second) s to compare")
                try await Task.sleep(for: .seconds(1))
            }
            for _ in 0..<self.readings {
                readings += try await read(machines)
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let differences = readings.map(\.difference.count).sorted()
        func share(_ holds: (Reading) -> Bool) -> Double {
            Double(readings.filter(holds).count) / Double(readings.count) * 100
        }
        return [
            Figure("agreement, readings within 5 ms of the owner's", share { $0.difference <= 5 }, "%", atLeast: 99),
            Figure("agreement, readings within their stated bound", share(\.isWithinBound), "%", atLeast: 100),
            Figure("agreement, p99 difference", Double(differences[differences.count * 99 / 100]), "ms"),
            Figure("agreement, largest difference", Double(differences[differences.count - 1]), "ms"),
            Figure("agreement, largest stated bound", Double(readings.compactMap(\.bound?.count).max() ?? -1), "ms"),
        ]
    }

    /// A display at one instant.
    private struct Reading {
        /// The difference from the owner's display.
        var difference: Milliseconds
        /// The display's own bound of its error.
        var bound: Milliseconds?

        var isWithinBound: Bool { bound.map { difference <= $0 } ?? false }
    }

    private func read(_ machines: [Machine]) async throws -> [Reading] {
        var views: [(view: View, lead: Milliseconds)] = []
        for machine in machines { views.append((await machine.node.view, machine.lead.boot)) }
        let now = Clocks.boot()
        let moments = views.compactMap { $0.view.moment(at: now + $0.lead) }
        guard moments.count == machines.count, let owner = moments.first(where: \.isOwner) else {
            throw Failed("a display shows no session")
        }
        return moments.filter { !$0.isOwner }.map {
            Reading(difference: ($0.remaining - owner.remaining).magnitude, bound: $0.error)
        }
    }
}
