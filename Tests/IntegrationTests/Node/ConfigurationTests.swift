// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Invalid settings of `lockstep-node`: the error names the place and the valid values.
@Suite(.limitedConcurrency) struct ConfigurationTests {
    @Test(arguments: [("LOCKSTEP_NAME=a\u{7}b", "control"), ("LOCKSTEP_TLS_CA=/nonexistent/ca", "/nonexistent")])
    func invalidValueNamesItsPlace(line: String, names: String) async throws {
        let key = String(line.prefix { $0 != "=" })
        let directory = try TemporaryDirectory()
        func node(_ more: [String], _ environment: [String: String] = [:]) async throws -> CommandResult {
            let place = ["--state-dir", directory.file("state"), "--socket", directory.file("s")]
            return try await CommandLine.run(place + more, program: "lockstep-node", environment: environment)
        }
        let inFile = try await node(["--config", directory.write("\n\(line)\n", to: "node.env")]).expect(
            2, errors: "\(key) in ", "node.env, line 2", names)
        let value = String(line.dropFirst(key.count + 1))
        let inEnvironment = try await node([], [key: value]).expect(2, errors: "\(key) in the environment")
        for result in [inFile, inEnvironment] {
            #expect(!result.errors.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "no control character")
        }
    }

    @Test func theShippedSettingsFileIsAccepted() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(try Project.read("Config/node.env"), to: "node.env")
        let desk = try NodeProcess("desk", options: ["--config", file])
        try await desk.start()
        #expect(desk.status.space == "home")
    }
}
