// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

/// Invalid settings of `lockstep-node`: the error names the place and the valid values.
@Suite(.limitedConcurrency) struct ConfigurationTests {
    private func node(
        _ options: [String] = [], settings: String? = nil, environment: [String: String] = [:],
        prepare: (TemporaryDirectory) throws -> [String] = { _ in [] }
    ) async throws -> CommandResult {
        let directory = try TemporaryDirectory()
        var arguments = ["--state-dir", directory.file("state"), "--socket", directory.file("s")]
        if let settings { arguments += ["--config", try directory.write(settings, to: "node.env")] }
        return try await CommandLine.run(
            arguments + options + (try prepare(directory)), program: "lockstep-node", environment: environment)
    }

    @Test func anUnknownKeyNamesFileLineAndKey() async throws {
        let result = try await node(settings: "# mine\nLOCKSTEP_SPACE=home\n\nLOCKSTEP_BROKR=mqtt://x\n")
        #expect(result.code == 2, "\(result)")
        #expect(result.errors.contains("LOCKSTEP_BROKR in "))
        #expect(result.errors.contains("node.env, line 4"))
        #expect(result.errors.contains("LOCKSTEP_BROKER"))
    }

    @Test(arguments: [
        ("LOCKSTEP_BROKER=http://x", "mqtt://"), ("LOCKSTEP_BROKER=mqtt://x:0", "port"),
        ("LOCKSTEP_SPACE=Not This", "a-z"), ("LOCKSTEP_NODE=-x", "a-z"), ("LOCKSTEP_NAME=a\u{7}b", "control"),
        ("LOCKSTEP_SHORT_BREAK=soon", "25m"), ("LOCKSTEP_LONG_BREAK=25h", ""),
        ("LOCKSTEP_LONG_BREAK_EVERY=many", "100"),
        ("LOCKSTEP_COUNT_UP_CAP=0m", ""), ("LOCKSTEP_LOG_LEVEL=loud", "critical"),
        ("LOCKSTEP_PRESETS=/nonexistent/presets", "/nonexistent/presets"),
        ("LOCKSTEP_TLS_CA=/nonexistent/ca", "/nonexistent"),
        ("LOCKSTEP_PASSWORD_FILE=/nonexistent/pw", "LOCKSTEP_PASSWORD_FILE"),
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

    @Test func invalidOptionIsNamed() async throws {
        #expect(try await node(["--space", "X"]).errors.contains("--space"))
        #expect(try await node(["--space", "X"]).code == 2)
        #expect(try await node(["--brokr", "X"]).code == 2)
        #expect(try await node(["--broker", "nowhere"]).errors.contains("--broker"))
    }

    @Test func anUnknownVariableIsRefused() async throws {
        let result = try await node(environment: ["LOCKSTEP_SOKET": "/tmp/x"])
        #expect(result.code == 2)
        #expect(result.errors.contains("LOCKSTEP_SOKET in the environment"))
        #expect(result.errors.contains("LOCKSTEP_SOCKET"))
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

    @Test func passwordFileReadableByOthersIsRefused() async throws {
        let result = try await node(["--broker", "mqtt://127.0.0.1"]) { directory in
            let file = try directory.write("hunter2\n", to: "password")
            chmod(file, 0o644)
            return ["--password-file", file]
        }
        #expect(result.code == 2)
        #expect(result.errors.contains("chmod 600"))
    }

    @Test func aMissingFileIsNamed() async throws {
        let result = try await node(["--config", "/nonexistent/node.env"])
        #expect(result.code == 2)
        #expect(result.errors.contains("/nonexistent/node.env"))
    }

    @Test func aLineWithoutASettingIsNamed() async throws {
        let result = try await node(settings: "LOCKSTEP_SPACE home\n")
        #expect(result.code == 2)
        #expect(result.errors.contains("line 1"))
        #expect(result.errors.contains("KEY=VALUE"))
    }

    @Test func longSocketPathIsNamed() async throws {
        let long = "/tmp/" + String(repeating: "x", count: 120)
        let result = try await node(["--socket", long])
        #expect(result.code != 0)
        #expect(result.errors.contains("--socket"))
    }

    @Test func commandLinePrecedesEnvironmentAndFile() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            "LOCKSTEP_SPACE=file\nLOCKSTEP_NAME='The desk'\nLOCKSTEP_COUNT_UP_CAP=1h\n", to: "node.env")
        let desk = try NodeProcess(
            "desk", options: ["--config", file, "--space", "option"],
            environment: ["LOCKSTEP_SPACE": "environment", "LOCKSTEP_COUNT_UP_CAP": "2h"])
        try await desk.start()
        #expect(desk.status.space == "option")
        #expect(try await desk.lockstep("start", "--count-up").code == 0)
        #expect(desk.status.currentPhase.seconds == 7_200)
        try await desk.end()
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
