// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Settings
import Simulation

/// Traces in the files of a folder.
enum TraceFolder {
    /// Reads all traces of a folder in the order of their names. An error names the file.
    static func traces(in folder: String) throws -> [KeptTrace] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw UsageError("\(folder) cannot be read")
        }
        return try names.filter { $0.hasSuffix(".trace") }.sorted().map { try trace("\(folder)/\($0)") }
    }

    /// Reads a trace. An error names the file.
    static func trace(_ path: String) throws -> KeptTrace {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UsageError("\(path) cannot be read")
        }
        let file = path.split(separator: "/").last ?? ""
        do {
            return try KeptTrace(name: String(file.dropLast(6)), text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw UsageError("\(path), \(error)")
        }
    }

    static func write(_ text: String, to path: String) throws {
        guard (try? text.write(toFile: path, atomically: false, encoding: .utf8)) != nil else {
            throw UsageError("\(path) cannot be written")
        }
    }
}
