// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Simulation

/// The traces beside this file: of bugs that were found, and of mutants.
enum Kept {
    /// All traces; one that cannot be read fails the test that counts them.
    static let traces = names.compactMap { name in
        try? KeptTrace(
            name: String(name.dropLast(6)), text: String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8))
    }

    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".trace") }.sorted()

    private static let folder = "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/Traces"
}
