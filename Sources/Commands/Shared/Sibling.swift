// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other programs of the package, which stand beside this one.
public enum Sibling {
    /// Where the program `name` stands.
    public static func path(of name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return name }
        let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + name
    }

    /// Goes on as the program `name`.
    /// - Throws: ``UsageError`` where it cannot be run.
    public static func become(_ name: String, _ arguments: [String]) throws {
        let program = path(of: name)
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw UsageError("\(program) cannot be run: \(String(cString: strerror(errno)))")
    }
}
