// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other programs of the package, in the folder of this one.
package enum CompanionExecutable {
    /// Returns the path of the program `name`.
    package static func path(of name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return name }
        let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + name
    }

    /// Whether the program `name` is there and can be run.
    package static func isInstalled(_ name: String) -> Bool { access(path(of: name), X_OK) == 0 }

    /// Replaces this process with the program `name`.
    /// - Throws: ``UsageError`` if it cannot be run.
    package static func become(_ name: String, _ arguments: [String]) throws {
        try become(path: path(of: name), arguments)
    }

    /// Replaces this process with the program at a path. Output that is still in a buffer is written first; it would be
    /// lost with the process.
    /// - Throws: ``UsageError`` if it cannot be run.
    package static func become(path program: String, _ arguments: [String]) throws {
        fflush(nil)
        // The program inherits the mask of this thread. Tasks run on threads of libdispatch, which block all signals.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw UsageError("\(program) cannot be run: \(String(cString: strerror(errno)))")
    }
}
