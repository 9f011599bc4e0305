// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Control
import Harness
import Setup
import Web
import Wire

struct StreamsCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "streams",
        abstract: "Measure the cost of many open kiosk pages, and the time until the last one receives a change.",
        discussion: """
            It runs the lockstep-node in the folder of this program and opens event streams of all faces in two \
            languages. The session is paused and resumed through the node's socket.
            """
    )

    @Option(help: "How many event streams.")
    var streams = 500

    @Option(help: "Changes.")
    var changes = 100

    @Option(help: "For how long nothing happens.")
    var seconds = 30

    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(
            (1...500).contains(streams) && changes > 0 && seconds > 0, "--streams is 1 to 500, the others 1 or more")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            let port = Port.free()
            return try await NodeProcess.with(broker, directory, options: ["--http", "127.0.0.1:\(port)"]) { node in
                let all = try await EventStreams(streams, port: port)
                let last = try await presses(node, all)
                let share = try await ProcessUse.share(of: node.process, seconds: seconds, saying: "streams, idle")
                let resident = try ProcessUse.resident(node.process)
                try await all.close()
                return [
                    last.figure("\(streams) streams, change to the last, p50", 0.5),
                    last.figure("\(streams) streams, change to the last, slowest", 1, atMost: 100),
                    Figure("\(streams) streams, resident memory", resident, "MB", atMost: 60),
                    Figure("\(streams) streams, idle processor", share, "% of a core", atMost: 0.5),
                ]
            }
        }
    }

    private func presses(_ node: NodeProcess, _ all: EventStreams) async throws -> Samples {
        var samples = Samples()
        let client = ControlClient(path: node.socket)
        for change in 0..<changes {
            ProgressLine.show("streams: \(change) of \(changes)")
            let start = Samples.now()
            async let end = all.waitForAll(change + 2)
            let reply = try await client.press(IntentRequest(op: change % 2 == 0 ? "pause" : "resume"))
            guard reply.outcome == .applied else { throw Failed("the press was \(reply.outcome)") }
            samples.add([try await end - start])
        }
        return samples
    }
}
