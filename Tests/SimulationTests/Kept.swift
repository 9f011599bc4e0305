// SPDX-License-Identifier: Apache-2.0

import Glibc
import Simulation

/// The traces beside this file: of every bug found, and of mutants that take many seeds to catch.
enum Kept {
    struct Trace: Sendable, CustomStringConvertible {
        var name: String
        var text: String
        var description: String { name }
    }

    /// `Traces/NAME.trace`: each was a violation once.
    static let traces = all.filter { !$0.name.hasPrefix("mutant ") }

    /// `Traces/mutant NAME.trace`: each is a violation for that mutant.
    static let mutants = Dictionary(
        uniqueKeysWithValues: all.filter { $0.name.hasPrefix("mutant ") }.map {
            (String($0.name.dropFirst(7)), $0.text)
        })

    private static let all: [Trace] = {
        var folder = #filePath
        while let last = folder.popLast(), last != "/" {}
        folder += "/Traces"
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".trace") { names.append(name) }
        }
        return names.sorted().map { Trace(name: String($0.dropLast(6)), text: read("\(folder)/\($0)")) }
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
