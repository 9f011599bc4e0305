// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import Simulation

/// `lockstep-sim seed`: one seed, told.
struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Prints all that happens in the world of one seed, and a hash of it.")

    @Argument(help: "The seed.")
    var seed: UInt64

    @Flag(help: "Only the acts, as a file for replay.")
    var acts = false

    func run() async throws {
        let scenario = Scenario(seed: seed)
        if acts { return print(scenario.text, terminator: "") }
        try tell(scenario)
    }
}

/// `lockstep-sim replay`: one trace, told.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Runs a trace from a file and prints all that happens in its world.")

    @Argument(help: "The file, as a failure printed it.", completion: .file())
    var file: String

    func run() async throws { try tell(Self.scenario(in: file)) }

    /// Reads a trace.
    /// - Throws: A usage error that names the file, if it cannot be read or is no trace.
    static func scenario(in file: String) throws -> Scenario {
        guard let text = read(file) else { throw UsageError("\(file) cannot be read") }
        do {
            return try Scenario(text: text)
        } catch {
            throw UsageError("\(file), \(error)")
        }
    }

    private static func read(_ path: String) -> String? {
        guard let stream = fopen(path, "r") else { return nil }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Prints a world; the exit code is 1 when something did not hold in it.
private func tell(_ scenario: Scenario) throws {
    let verdict = scenario.run(isTelling: true)
    for line in verdict.lines { print(line) }
    print("\(verdict.events) events, hash \(String(verdict.hash, radix: 16))")
    guard let violation = verdict.violation else { return }
    CommandLineRunner.say("lockstep-sim: seed \(scenario.seed): \(violation)")
    throw ExitCode(1)
}
