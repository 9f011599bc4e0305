// SPDX-License-Identifier: Apache-2.0

/// The script that turns exports of other programs into the CSV of `lockstep history`.
public enum ForeignExport {
    /// Converts an export. Returns the exit code, the CSV, and the messages.
    public static func convert(
        _ text: String, zone: String, _ options: String...
    ) async throws -> (code: Int32, csv: String, errors: String) {
        let directory = try TemporaryDirectory()
        let file = try directory.write(text, to: "export.csv")
        let child = try Spawn.start(
            [Project.path("Config/examples/import.py"), file, "--zone", zone] + options,
            output: directory.file("history.csv"), errors: directory.file("errors"))
        let code = try await Spawn.end(of: child, "end of import.py")
        return (code, directory.read("history.csv"), directory.read("errors"))
    }

    /// Returns the CSV of an export without a bad row.
    public static func history(_ text: String, zone: String) async throws -> String {
        let result = try await convert(text, zone: zone)
        guard result.code == 0 else { throw Failed(result.errors) }
        return result.csv
    }
}
