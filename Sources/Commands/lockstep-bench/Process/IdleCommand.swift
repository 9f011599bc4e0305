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
        let (published, used, start) = (counter.value.load(ordering: .relaxed), try cpu(node.process), Samples.now())
        for passed in 0..<seconds {
            Progress.say("idle: \(passed) of \(seconds) s")
            try await Task.sleep(for: .seconds(1))
        }
        let time = Double(Samples.now() - start)
        let share = Double(try cpu(node.process) - used) / time * 100
        let publishes = Double(counter.value.load(ordering: .relaxed) - published)
        return [
            Figure("idle, publishes a minute", publishes / (time / 60e9), "", atMost: 0),
            Figure("idle, processor", share, "% of a core", atMost: 0.1),
            Figure("idle, resident memory", try resident(node.process), "MB", atMost: 25),
        ]
    }

    /// Nanoseconds that the threads of a process have run.
    private func cpu(_ process: pid_t) throws -> Int64 {
        let directory = "/proc/\(process)/task"
        guard let threads = opendir(directory) else { throw BenchError("lockstep-node has ended") }
        defer { closedir(threads) }
        var sum: Int64 = 0
        while let entry = readdir(threads) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.first != ".", let text = try? contents("\(directory)/\(name)/schedstat") else { continue }
            sum += text.split(separator: " ").first.flatMap { Int64($0) } ?? 0
        }
        return sum
    }

    private func resident(_ process: pid_t) throws -> Double {
        let line = try contents("/proc/\(process)/status").split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
            Double($0)
        }
        guard let kilobytes else { throw BenchError("lockstep-node has ended") }
        return kilobytes * 1_024 / 1_000_000
    }

    private func contents(_ path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw BenchError("cannot read \(path)") }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &buffer, buffer.count)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }
}

private final class Counter: Sendable {
    let value = Atomic<Int>(0)
}
