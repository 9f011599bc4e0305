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

    /// Returns the name of a program in its help and errors: the command that has become it, or its own.
    package static func commandName(of program: String) -> String {
        let command = CommandLine.arguments.first ?? program
        return command == "lockstep" || command.hasPrefix("lockstep ") ? command : program
    }

    /// Replaces this process with the program `name`. Buffered output, which would be lost, is written first.
    ///
    /// - Parameter command: The command that the person typed, if the program's help and errors have its name.
    package static func become(_ name: String, _ arguments: [String], as command: String? = nil) throws {
        let program = path(of: name)
        fflush(nil)
        // The program inherits the mask of this thread. Tasks run on threads of libdispatch, which block all signals.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        var pointers = ([command ?? program] + arguments).map { strdup($0) } + [nil]
        execv(program, &pointers)
        throw UsageError("\(program) cannot be run: \(String(cString: strerror(errno)))")
    }
}
