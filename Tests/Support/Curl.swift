// SPDX-License-Identifier: Apache-2.0

/// Requests by curl, a client that checks certificates.
public enum Curl {
    /// Requests a URL.
    /// - Parameter authority: The file of the only authority to trust.
    /// - Returns: The exit code of curl, and the answer with its head, or what curl says.
    public static func answer(
        _ url: String, trusting authority: String, _ options: [String] = []
    ) async throws -> (code: Int32, text: String) {
        let directory = try TemporaryDirectory()
        let child = try Spawn.start(
            [try Spawn.find("curl"), "-sS", "-i", "--noproxy", "*", "--max-time", "60", "--cacert", authority] + options
                + [url],
            output: directory.file("answer"))
        let code = try await Spawn.end(of: child, "the answer of \(url)")
        return (code, directory.read("answer"))
    }
}
