// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import Harness
import Mosquitto
import NodeRuntime
import Session
import Setup
import Web
import Wire

struct TakeoverCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "takeover",
        abstract: "Measure the time from a press to the new register at all nodes, after the owner is lost.",
        discussion: """
            The owner is a lockstep-node process, which is stopped so that the others do not notice, or killed so that \
            the broker publishes its will. The others are nodes in this process.
            """
    )

    @Option(help: "How many nodes besides the owner.")
    var nodes = 7

    @Option(help: "Takeovers of each kind.")
    var rounds = 10

    @OptionGroup var output: OutputOptions

    func validate() throws { try require(nodes > 0 && rounds > 0, "numbers are 1 or more") }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await BenchDirectory.withLoops(nodes) { loops in
                let nodes = try loops.enumerated().map { index, loop in
                    try NodeGroup.node("node-\(index)", journal: directory, on: loop)
                }
                return try await NodeGroup.run(nodes, broker: broker) {
                    let silent = try await takeovers(by: nodes, from: .stopped, broker, directory)
                    let killed = try await takeovers(by: nodes, from: .killed, broker, directory)
                    return [
                        silent.figure("takeover, owner dead and not known to be, p50", 0.5),
                        silent.figure("takeover, owner dead and not known to be, slowest", 1, atMost: 2_500),
                        killed.figure("takeover, will seen, p50", 0.5),
                        killed.figure("takeover, will seen, slowest", 1, atMost: 300),
                    ]
                }
            }
        }
    }

    private enum Loss: String {
        case stopped, killed
    }

    private func takeovers(
        by nodes: [Node], from loss: Loss, _ broker: BrokerAddress, _ directory: String
    ) async throws -> Samples {
        var samples = Samples()
        for round in 0..<rounds {
            try Task.checkCancellation()
            ProgressLine.show("takeover: owner \(loss.rawValue), \(round) of \(rounds)")
            let time = try await NodeProcess.with(broker, directory) { owner in
                try await takeover(by: nodes, from: loss, owner)
            }
            samples.add([time])
        }
        return samples
    }

    private func takeover(by nodes: [Node], from loss: Loss, _ owner: NodeProcess) async throws -> Int64 {
        let desk = NodeID("desk")
        for node in nodes {
            try await eventually("\(node.identity.node) to see the session") {
                let register = await node.view.register
                return register?.owner == desk && register?.status == .running
            }
        }
        kill(owner.process, loss == .stopped ? SIGSTOP : SIGKILL)
        // A stopped node cannot handle the signal that ends it.
        defer { if loss == .stopped { kill(owner.process, SIGCONT) } }
        if loss == .killed, let desk {
            try await eventually("the will") { await nodes[0].peers[desk].isOnline == false }
        }
        let last = Last(of: nodes.count)
        for node in nodes {
            let seen = FirstEvent()
            await node.onView { view in
                if view.register?.status == .paused, view.register?.owner != desk, seen.first { last.arrived() }
            }
        }
        let start = Samples.now()
        let reply = await nodes[0].press(Press(.pause))
        guard case .answered(let answer) = reply, answer.outcome == .applied else { throw Failed("\(reply)") }
        let end = try await last.time()
        for node in nodes { await node.onView(nil) }
        return end - start
    }
}
