// SPDX-License-Identifier: Apache-2.0

import Glibc
import Settings
import Simulation

enum TraceFolder {
    /// Reads all traces of a folder in the order of their names. An error names the file.
    static func traces(in folder: String) throws -> [KeptTrace] {
        guard let directory = opendir(folder) else { throw UsageError("\(folder) cannot be read") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".trace") { names.append(name) }
        }
        return try names.sorted().map { try trace("\(folder)/\($0)") }
    }

    /// An error names the file.
    static func trace(_ path: String) throws -> KeptTrace {
        guard let stream = fopen(path, "r") else { throw UsageError("\(path) cannot be read") }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        let file = path.split(separator: "/").last ?? ""
        do {
            return try KeptTrace(name: String(file.dropLast(6)), text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw UsageError("\(path), \(error)")
        }
    }

    static func write(_ text: String, to path: String) throws {
        guard let stream = fopen(path, "w") else { throw UsageError("\(path) cannot be written") }
        defer { fclose(stream) }
        fputs(text, stream)
    }
}
