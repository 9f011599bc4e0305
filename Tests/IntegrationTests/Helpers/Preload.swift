// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support

/// The libraries that are preloaded into every program of a test.
enum Preload {
    /// The library by which a program's kernel calls the wall clock unsynchronised; `nil` without a C compiler.
    ///
    /// Otherwise the tests would depend on whether this machine's clock is synchronised.
    private static let unsynchronised = library("unsynchronised")
    /// The library by which a program's kernel calls the wall clock synchronised; `nil` without a C compiler.
    private static let kernel = library("kernel")
    /// The library that ends a program when it closes a descriptor twice; `nil` without a C compiler.
    private static let closes = library("closes")
    /// The library that sets a variable before a program begins, which moves its environment; `nil` as the others.
    static let moved = library("moved")

    /// The environment of a program whose kernel calls the wall clock synchronised.
    /// - Parameter ahead: The seconds that its clock is ahead of this machine's.
    static func synchronised(ahead: Int = 0) -> [String: String] {
        kernel.map { ["LD_PRELOAD": $0, "TEST_AHEAD": "\(ahead)"] } ?? [:]
    }

    private static func library(_ name: String) -> String? {
        guard let compiler = SharedClock.compiler, let directory,
            let code = try? Project.read("Tests/IntegrationTests/Preload/\(name).c"),
            let source = try? directory.write(code, to: "\(name).c"),
            let child = try? Spawn.start(
                [compiler, "-shared", "-fPIC", "-O1", "-o", directory.file("\(name).so"), source],
                output: directory.file("\(name).log"))
        else { return nil }
        return Spawn.wait(for: child) == 0 ? directory.file("\(name).so") : nil
    }

    /// The directory of the libraries, which is removed when the tests end.
    private static let directory: TemporaryDirectory? = {
        atexit { Preload.directory.map { try? FileManager.default.removeItem(atPath: $0.path) } }
        return try? TemporaryDirectory()
    }()

    /// The environment of a program with these libraries.
    /// - Parameter further: A library that the test needs beside them.
    static func environment(with further: String? = nil) -> [String: String] {
        let all = [unsynchronised, closes, further].compactMap(\.self)
        return all.isEmpty ? [:] : ["LD_PRELOAD": all.joined(separator: ":")]
    }
}
