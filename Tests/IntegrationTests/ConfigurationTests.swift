// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Invalid settings of `lockstep-node`: the error names the place and the valid values.
@Suite(.limitedConcurrency) struct ConfigurationTests {
    private func node(
        _ options: [String] = [], settings: String? = nil, environment: [String: String] = [:]
    ) async throws -> CommandResult {
        let directory = try TemporaryDirectory()
        var arguments = ["--state-dir", directory.file("state"), "--socket", directory.file("s")]
        if let settings { arguments += ["--config", try directory.write(settings, to: "node.env")] }
        return try await CommandLine.run(arguments + options, program: "lockstep-node", environment: environment)
    }

    @Test(arguments: [
        ("LOCKSTEP_BROKR=mqtt://x", "LOCKSTEP_BROKER"), ("LOCKSTEP_BROKER=http://x", "mqtt://"),
        ("LOCKSTEP_NAME=a\u{7}b", "control"), ("LOCKSTEP_LOG_LEVEL=loud", "critical"),
        ("LOCKSTEP_PRESETS=/nonexistent/presets", "/nonexistent/presets"),
        ("LOCKSTEP_TLS_CA=/nonexistent/ca", "/nonexistent"),
    ])
    func invalidValueNamesItsPlace(line: String, names: String) async throws {
        let key = String(line.prefix { $0 != "=" })
        let inFile = try await node(settings: "\n\(line)\n")
        #expect(inFile.code == 2, "\(inFile)")
        #expect(inFile.errors.contains("\(key) in "), "\(inFile)")
        #expect(inFile.errors.contains("node.env, line 2"), "\(inFile)")
        #expect(inFile.errors.contains(names), "\(inFile)")
        let value = String(line.dropFirst(key.count + 1))
        let inEnvironment = try await node(environment: [key: value])
        #expect(inEnvironment.code == 2, "\(inEnvironment)")
        #expect(inEnvironment.errors.contains("\(key) in the environment"), "\(inEnvironment)")
        for result in [inFile, inEnvironment] {
            #expect(!result.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "no control character")
        }
    }

    @Test func aPasswordOnTheCommandLineIsRefused() async throws {
        let result = try await node(["--broker", "mqtt://desk:hunter2@127.0.0.1"])
        #expect(result.code == 2)
        #expect(result.errors.contains("--password-file"))
        #expect(!result.errors.contains("hunter2"))
        let command = try await CommandLine.run(
            ["pause", "--socket", "/nonexistent", "--broker", "mqtt://desk:hunter2@127.0.0.1"])
        #expect(command.code == 2)
        #expect(!command.errors.contains("hunter2"))
    }

    @Test func anOptionIsNamed() async throws {
        let long = "/tmp/" + String(repeating: "x", count: 120)
        let result = try await node(["--socket", long])
        #expect(result.code != 0)
        #expect(result.errors.contains("--socket"))
        #expect(try await node(["--space", "X"]).errors.contains("--space"))
    }

    @Test func theShippedSettingsFileIsAccepted() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(try Project.read("Config/node.env"), to: "node.env")
        let desk = try NodeProcess("desk", options: ["--config", file])
        try await desk.start()
        #expect(desk.status.space == "home")
        try await desk.end()
    }
}
