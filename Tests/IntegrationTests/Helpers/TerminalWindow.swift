// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Support

/// A terminal of tmux with a shell.
struct TerminalWindow {
    private let tmux: String
    private let socket: String
    private let directory: TemporaryDirectory

    /// Runs `body` with a terminal in which a shell runs `script`.
    static func with(
        _ script: String, columns: Int = 80, rows: Int = 24, _ body: (TerminalWindow) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        let window = TerminalWindow(
            tmux: try Spawn.find("tmux"), socket: directory.file("tmux.sock"), directory: directory)
        let environment = Program.environment(
            home: directory.path, ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh"])
        let server = try Spawn.start(
            [window.tmux, "-f", "/dev/null", "-S", window.socket, "-D"], environment: environment,
            output: directory.file("server.log"))
        defer { Spawn.end(server) }
        // The path exists before tmux listens.
        try await eventually("tmux serves") {
            (try? LocalSocket(path: window.socket).open(sending: "")).map { close($0) } != nil
        }
        let file = try directory.write("#!/bin/sh\n\(script)\n", to: "script")
        _ = try await window.run(
            "new-session", "-d", "-s", "main", "-x", "\(columns)", "-y", "\(rows)", "/bin/sh \(file)")
        do {
            try await body(window)
        } catch {
            throw Failed("\(error)\n\(try await window.text)")
        }
    }

    /// Runs a command of tmux.
    /// - Returns: Its output.
    @discardableResult
    func run(_ arguments: String...) async throws -> String { try await run(arguments) }

    private func run(_ arguments: [String]) async throws -> String {
        let output = try TemporaryDirectory()
        let command = [tmux, "-f", "/dev/null", "-S", socket] + arguments
        let child = try Spawn.start(command, output: output.file("output"))
        let code = try await Spawn.end(of: child, "tmux \(arguments) ends")
        guard code == 0 else { throw Failed("tmux \(arguments): \(output.read("output"))") }
        return output.read("output")
    }

    /// The text on the screen.
    var text: String { get async throws { try await run("capture-pane", "-p", "-t", "main") } }

    /// Waits until the screen satisfies `isRight`.
    @discardableResult
    func waitFor(
        _ what: String, file: String = #fileID, line: Int = #line, _ isRight: (String) -> Bool
    ) async throws -> String {
        var last = ""
        do {
            try await eventually("the terminal shows \(what)", file: file, line: line) {
                last = try await text
                return isRight(last)
            }
        } catch let error as TimedOut {
            throw Failed("\(error)\n\(last)")
        }
        return last
    }

    /// Sends bytes as a person's terminal does.
    func send(_ text: String) async throws {
        let codes = text.utf8.map { $0.padded(to: 2, radix: 16) }
        _ = try await run(["send-keys", "-t", "main", "-H"] + codes)
    }

    /// Clicks a text on the screen with the left mouse button.
    func click(_ text: String) async throws {
        let rows = try await self.text.split(separator: "\n", omittingEmptySubsequences: false)
        for (row, cells) in rows.enumerated() {
            guard let place = cells.firstRange(of: text) else { continue }
            let column = cells.distance(from: cells.startIndex, to: place.lowerBound)
            try await send("\u{1B}[<0;\(column + 1);\(row + 1)M")
            return try await send("\u{1B}[<0;\(column + 1);\(row + 1)m")
        }
        throw Failed("there is no \(text)")
    }

    /// The terminal modes that the program has switched on.
    var modes: String {
        get async throws {
            let modes = "mouse #{mouse_standard_flag}#{mouse_sgr_flag} screen #{alternate_on} cursor #{cursor_flag}"
            return try await run("display-message", "-p", "-t", "main", modes)
                .split(separator: "\n").first.map(String.init) ?? ""
        }
    }

    static let taken = "mouse 11 screen 1 cursor 0"
    static let takenWithoutMouse = "mouse 00 screen 1 cursor 0"
    static let restored = "mouse 00 screen 0 cursor 1"

    func waitForModes(_ modes: String, file: String = #fileID, line: Int = #line) async throws {
        var last = ""
        do {
            try await eventually("modes are \(modes)", file: file, line: line) {
                last = try await self.modes
                return last == modes
            }
        } catch let error as TimedOut {
            throw Failed("\(error): \(last)")
        }
    }
}
