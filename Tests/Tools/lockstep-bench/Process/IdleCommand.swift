// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CMosquitto
import Glibc
import Settings
import Synchronization

/// `lockstep-bench idle`: the cost of a node while nothing happens.
struct IdleCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "idle",
        abstract: "Measure the cost of a node with a running session while nothing happens.",
        discussion: """
            It runs the lockstep-node in the folder of this program, and measures the messages on its broker, the \
            processor time of its threads and its resident memory.
            """
    )

    @Option(help: "The seconds that are measured.")
    var seconds = 60
    @OptionGroup var output: OutputOptions

    func validate() throws { try require(seconds > 0, "--seconds is 1 or more") }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            try await NodeProcess.with(broker, directory) { node in
                try await RawLoop.with { loop in try await figures(node, broker, loop) }
            }
        }
    }

    private func figures(_ node: NodeProcess, _ broker: BrokerAddress, _ loop: RawLoop) async throws -> [Figure] {
        let counter = Atomic<Int>(0)
        try await loop.perform {
            let client = try RawClient("plain-listener", to: broker, on: loop, subscribe: ["#"])
            client.onMessage = { message in if !message.pointee.retain { counter.add(1, ordering: .relaxed) } }
        }
        // By then the node has finished the work of its start.
        try await Task.sleep(for: .seconds(2))
        let (published, start) = (counter.load(ordering: .relaxed), Samples.now())
        let share = try await ProcessUse.share(of: node.process, seconds: seconds, saying: "idle")
        let time = Double(Samples.now() - start)
        let publishes = Double(counter.load(ordering: .relaxed) - published)
        return [
            Figure("idle, publishes a minute", publishes / (time / 60e9), "", atMost: 0),
            Figure("idle, processor", share, "% of a core", atMost: 0.1),
            Figure("idle, resident memory", try ProcessUse.resident(node.process), "MB", atMost: 25),
        ]
    }
}
