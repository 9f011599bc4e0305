// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Mosquitto
import Session
import Shell
import Web
import Wire

struct TakeoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "takeover",
        abstract: "From a press to the new register at all nodes, when the owner is gone.",
        discussion: """
            The owner is a lockstep-node of its own, which is stopped so that nobody learns of it, or killed so that the \
            broker says its will. Build it first. The others are nodes in this process.
            """
    )

    @Option(help: "How many nodes besides the owner.")
    var nodes = 7

    @Option(help: "Takeovers of each kind.")
    var rounds = 10

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard nodes > 0, rounds > 0 else { throw ValidationError("numbers are 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            try await Workplace.withLoops(nodes) { loops in
                let nodes = try loops.enumerated().map { index, loop in
                    try Fleet.node("node-\(index)", journal: directory, on: loop)
                }
                return try await Fleet.run(nodes, broker: broker) {
                    let silent = try await takeovers(by: nodes, from: .stopped, broker, directory)
                    let killed = try await takeovers(by: nodes, from: .killed, broker, directory)
                    return [
                        Figure("takeover, owner dead and not known to be, p50", silent.quantile(0.5) / 1_000, "ms"),
                        Figure(
                            "takeover, owner dead and not known to be, slowest", silent.quantile(1) / 1_000, "ms",
                            atMost: 2_500),
                        Figure("takeover, will seen, p50", killed.quantile(0.5) / 1_000, "ms"),
                        Figure("takeover, will seen, slowest", killed.quantile(1) / 1_000, "ms", atMost: 300),
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
            Progress.say("takeover: owner \(loss.rawValue), \(round) of \(rounds)")
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
            try await Fleet.wait("\(node.identity.node) to see the session") {
                let register = await node.view.register
                return register?.owner == desk && register?.status == .running
            }
        }
        kill(owner.process, loss == .stopped ? SIGSTOP : SIGKILL)
        // Otherwise the node is asked to end before it can.
        defer { if loss == .stopped { kill(owner.process, SIGCONT) } }
        if loss == .killed, let desk {
            try await Fleet.wait("the will") { await nodes[0].peers[desk].isOnline == false }
        }
        let last = Last(of: nodes.count)
        for node in nodes {
            let seen = Once()
            await node.onView { view in
                if view.register?.status == .paused, view.register?.owner != desk, seen.first { last.arrived() }
            }
        }
        let start = Samples.now()
        let reply = await nodes[0].press(Press(.pause))
        guard case .answered(let answer) = reply, answer.outcome == .applied else { throw BenchError("\(reply)") }
        let end = try await last.time()
        for node in nodes { await node.onView(nil) }
        return end - start
    }
}
