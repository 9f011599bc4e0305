// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CMosquitto
import Glibc
import Shell
import Synchronization

struct IdleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idle",
        abstract: "What a node with a running session costs while nothing happens.",
        discussion: """
            It runs the lockstep-node that stands beside this program, and counts everything that is published on its \
            broker, the processor time of its threads and its resident memory.
            """
    )

    @Option(help: "For how long.")
    var seconds = 60

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard seconds > 0 else { throw ValidationError("--seconds is 1 or more") }
    }

    func run() async throws {
        try await output.report { [self] in try await measure() }
    }

    func measure() async throws -> [Figure] {
        try await Workplace.withBroker { broker, directory in
            try await NodeProcess.with(broker, directory) { node in
                let loop = try RawLoop()
                do {
                    let figures = try await figures(node, broker, loop)
                    await loop.stop()
                    return figures
                } catch {
                    await loop.stop()
                    throw error
                }
            }
        }
    }

    private func figures(_ node: NodeProcess, _ broker: BrokerAddress, _ loop: RawLoop) async throws -> [Figure] {
        let counter = Counter()
        try await loop.perform {
            let client = try RawClient("plain-listener", to: broker, on: loop, subscribe: "#")
            client.onMessage = { message in if !message.pointee.retain { counter.value.add(1, ordering: .relaxed) } }
        }
        // What belongs to the start is over by then.
        try await Task.sleep(for: .seconds(2))
        let (published, start) = (counter.value.load(ordering: .relaxed), Samples.now())
        let share = try await ProcessUse.share(of: node.process, seconds: seconds, saying: "idle")
        let time = Double(Samples.now() - start)
        let publishes = Double(counter.value.load(ordering: .relaxed) - published)
        return [
            Figure("idle, publishes a minute", publishes / (time / 60e9), "", atMost: 0),
            Figure("idle, processor", share, "% of a core", atMost: 0.1),
            Figure("idle, resident memory", try ProcessUse.resident(node.process), "MB", atMost: 25),
        ]
    }
}

private final class Counter: Sendable {
    let value = Atomic<Int>(0)
}
