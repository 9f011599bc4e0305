// SPDX-License-Identifier: Apache-2.0

import Glibc
import Simulation

/// The traces beside this file: of bugs that were found, and of mutants.
enum Kept {
    /// All traces; one that cannot be read fails the test that counts them.
    static let traces: [KeptTrace] = names.compactMap { name in
        try? KeptTrace(name: String(name.dropLast(6)), text: read("\(folder)/\(name)"))
    }

    static let names: [String] = {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".trace") { names.append(name) }
        }
        return names.sorted()
    }()

    private static let folder: String = {
        var folder = #filePath
        while let last = folder.popLast(), last != "/" {}
        return folder + "/Traces"
    }()

    private static func read(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}
