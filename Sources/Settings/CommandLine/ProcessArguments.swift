// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The command line of this process.
///
/// Swift's runtime, when it is linked into the program, looks for the arguments beside the environment. A library that
/// was loaded before and set a variable, such as libfaketime, has moved the environment. Swift then finds no arguments
/// at all, and the program would run with its defaults. The kernel's copy does not move.
package enum ProcessArguments {
    /// The arguments without the program's name. Ends the process if they cannot be read.
    package static var all: [String] {
        let arguments = CommandLine.arguments
        return Array((arguments.isEmpty ? ofKernel : arguments).dropFirst())
    }

    private static var ofKernel: [String] {
        guard let file = fopen("/proc/self/cmdline", "re") else {
            fatalError("the arguments of the program cannot be read: /proc is not mounted")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
        // Each argument ends with a zero.
        return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
