// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A directory that is removed with the last reference to it.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/lockstep-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failed("mkdtemp: error \(errno)") }
        path = template.withUnsafeBufferPointer { buffer in
            String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the file's path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: file(name), atomically: false, encoding: .utf8)
        return file(name)
    }

    /// Returns the text of a file in it; empty if there is none.
    public func read(_ name: String) -> String {
        (try? String(contentsOfFile: file(name), encoding: .utf8)) ?? ""
    }
}
