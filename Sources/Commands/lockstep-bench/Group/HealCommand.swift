// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Harness
import Mosquitto
import NodeRuntime
import Session
import Setup
import Synchronization

struct HealCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "heal",
        abstract: "Measure the time from the end of a partition to one view at all nodes.",
        discussion: """
            Half of the nodes lose the broker. Among the others the session is taken over and paused; one of the lost \
            starts another, which is not published. When the network is back, all must show the same.
            """
    )

    @Option(help: "How many nodes.")
    var nodes = 50

    @Option(help: "How many loops they share.")
    var threads = 2

    @Option(help: "Partitions.")
    var rounds = 5

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(nodes >= 4 && threads > 0 && rounds > 0, "--nodes is 4 or more, the others are 1 or more")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await Network.with(to: broker, jitter: 0) { network in
                try await BenchDirectory.withLoops(threads) { loops in
                    let all = try (0..<nodes).map {
                        try NodeGroup.node("node-\($0)", journal: directory, on: loops[$0 % threads])
                    }
                    let lost = Array(all.prefix(nodes / 2))
                    let way: @Sendable (Node) -> BrokerAddress? = { node in
                        lost.contains { $0 === node } ? network.address : nil
                    }
                    return try await NodeGroup.run(all, broker: broker, by: way) {
                        var (reconnects, views) = (Samples(), Samples())
                        for round in 0..<rounds {
                            ProgressLine.show("heal: partition \(round + 1) of \(rounds)")
                            let (reconnect, view) = try await partition(all, lost: nodes / 2, network)
                            reconnects.add([reconnect])
                            views.add([view])
                        }
                        return figures(reconnects, views)
                    }
                }
            }
        }
    }

    private func figures(_ reconnects: Samples, _ views: Samples) -> [Figure] {
        [
            reconnects.figure("heal, last of \(nodes / 2) nodes reconnected, slowest", 1),
            views.figure("heal, one view at \(nodes) nodes, beyond the reconnect, p50", 0.5),
            views.figure("heal, one view at \(nodes) nodes, beyond the reconnect, slowest", 1, atMost: 1_000),
        ]
    }

    /// - Returns: The nanoseconds until the last node was connected, and from then until all showed the same.
    private func partition(_ all: [Node], lost count: Int, _ network: Network) async throws -> (Int64, Int64) {
        let (lost, rest) = (all[..<count], all[count...])
        let owner = lost[0]
        try await NodeGroup.startSession(on: owner, seenBy: all)
        network.cut()
        for node in lost {
            try await eventually("\(node.identity.node) to be cut off") { await !node.view.isLinked }
        }
        for node in rest {
            try await eventually("the owner's will") { await node.peers[owner.identity.node].isOnline == false }
        }
        guard case .answered(let taken) = await rest[count].press(Press(.pause)), taken.outcome == .applied
        else { throw Failed("a press during the partition took no effect") }
        // Two starts within a millisecond are ordered by name, not by time.
        try await Task.sleep(for: .milliseconds(10))
        guard
            case .answered(let begun) = await lost[1].start(
                Start(title: "Reading", plan: [Phase(kind: .focus, seconds: 1_500)]))
        else { throw Failed("nothing was started during the partition") }
        let (linked, shown) = (Latest(), Latest())
        for node in all {
            let wasLinked = FirstEvent()
            let hasShown = FirstEvent()
            await node.onView { view in
                if view.isLinked, wasLinked.first { linked.note() }
                if view.register?.id == begun.session, hasShown.first { shown.note() }
            }
        }
        let start = Samples.now()
        network.restore()
        for node in all {
            try await eventually("\(node.identity.node) to show the last start") {
                let view = await node.view
                return view.isLinked && view.register?.id == begun.session
            }
        }
        for node in all { await node.onView(nil) }
        return (linked.time - start, max(0, shown.time - linked.time))
    }
}

/// The latest time of an event.
private final class Latest: Sendable {
    private let at = Atomic<Int64>(0)

    var time: Int64 { at.load(ordering: .acquiring) }

    func note() { at.max(Samples.now(), ordering: .acquiringAndReleasing) }
}
