// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The other programs of the package, in the folder of this one.
package enum CompanionExecutable {
    package static func path(of name: String) -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard length > 0 else { return name }
        let own = String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + name
    }

    package static func isInstalled(_ name: String) -> Bool { access(path(of: name), X_OK) == 0 }

    /// Replaces this process with the program `name`.
    package static func become(_ name: String, _ arguments: [String]) throws {
        try become(path: path(of: name), arguments)
    }

    /// Replaces this process with the program at a path. Buffered output, which would be lost, is written first.
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
