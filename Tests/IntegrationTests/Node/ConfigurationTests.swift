// SPDX-License-Identifier: Apache-2.0

import Glibc
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

    @Test func doctorReadsTheSettingsFilesAndNamesABadLine() async throws {
        let home = try TemporaryDirectory()
        for folder in [".config", ".config/lockstep"] { mkdir(home.file(folder), 0o755) }
        let file = home.file(".config/lockstep/node.env")
        func finding(_ text: String) async throws -> JSON {
            try home.write(text, to: ".config/lockstep/node.env")
            let doctor = try await CommandLine.run(
                ["doctor", "--json", "--socket", home.file("none")], environment: ["HOME": home.path])
            return doctor.json.items.first { $0.check == "settings" } ?? .null
        }
        let well = try await finding("LOCKSTEP_NAME=Desk\n")
        #expect(well.state == "ok", "\(well)")
        #expect(well.found.text == "in \(file)")
        for (line, names) in [
            ("LOCKSTEP_NAM=Desk", "there is no such setting; similar: LOCKSTEP_NAME"),
            ("LOCKSTEP_HTTP=desk:x", "a port is 1 to 65535"),
        ] {
            let bad = try await finding("\n\(line)\n")
            #expect(bad.state == "wrong", "\(bad)")
            #expect(bad.found.text?.contains("\(file), line 2: ") == true, "\(bad)")
            #expect(bad.found.text?.contains(names) == true, "\(bad)")
            #expect(bad.fix.text?.contains("systemctl --user restart lockstep-node") == true, "\(bad)")
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
