// SPDX-License-Identifier: Apache-2.0

import API
import Client
import Glibc
import Joining
import Platform
import Settings

/// The places that one `lockstep up` has for itself: socket, state directory, port of the broker, addresses of pages.
enum UpPlaces {
    /// Refuses places that others use: names all of them, and the command line that has free ones instead.
    static func check(_ settings: NodeSettings, port: Int?) throws(UsageError) {
        var problems: [String] = []
        var free: [String: String] = [:]
        if ControlClient.isServed(settings.socket) {
            problems.append("\(ControlError.taken(named(settings.socket)))")
        }
        let directories = [settings.stateDirectory, settings.stateDirectory + "/broker"]
        problems += directories.lazy.compactMap(holder).prefix(1)
        if !problems.isEmpty {
            let other = freeDirectory(beside: settings.stateDirectory)
            (free["--state-dir"], free["--socket"]) = (other, other + "/node.sock")
        }
        if let port, let problem = PrivateBroker.problem(ofPort: port) {
            problems.append(problem)
            free["--port"] = LoopbackPort.free().map(String.init)
        }
        var isSolved = true
        for (option, page) in [("--http", settings.http), ("--https", settings.https)] {
            guard let page, let problem = ListenCheck.problem(of: page) else { continue }
            problems.append("\(page): \(problem)")
            if case .taken = problem { free[option] = freeAddress(after: page)?.description }
            isSolved = isSolved && free[option] != nil
        }
        guard !problems.isEmpty else { return }
        let command = isSolved ? "\nWith other places:\n  \(commandLine(with: free))" : ""
        throw UsageError(problems.joined(separator: "\n") + command)
    }

    /// A socket with the process that listens on it.
    static func named(_ socket: String) -> String {
        UnixSocket.server(of: socket).map { "\(socket) (process \($0))" } ?? socket
    }

    /// Returns the command line of this process with other values of options, as a shell reads it.
    static func commandLine(with options: [String: String]) -> String {
        var words = ["lockstep"]
        var rest = ProcessArguments.all[...]
        while let word = rest.popFirst() {
            if options[word] != nil {
                _ = rest.popFirst()
            } else if !options.keys.contains(where: { word.hasPrefix($0 + "=") }) {
                words.append(word)
            }
        }
        words += options.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        return words.map(quoted).joined(separator: " ")
    }

    private static func quoted(_ argument: String) -> String {
        let isPlain = argument.allSatisfy { $0.isLetter || $0.isNumber || "-_./:=,[]@".contains($0) }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }

    /// Returns the error that names the process which holds a directory; `nil` if none does.
    private static func holder(of directory: String) -> String? {
        guard access(directory, F_OK) == 0 else { return nil }
        do throws(StateDirectoryError) {
            _ = try StateDirectory(directory)
        } catch {
            if case .taken = error { return error.description }
        }
        return nil
    }

    private static func freeDirectory(beside path: String) -> String {
        var number = 2
        while holder(of: "\(path)-\(number)") != nil { number += 1 }
        return "\(path)-\(number)"
    }

    private static func freeAddress(after page: HTTPAddress) -> HTTPAddress? {
        for port in page.port + 1...page.port + 100 {
            if let other = try? HTTPAddress("\(page.host.urlHost):\(port)"), ListenCheck.problem(of: other) == nil {
                return other
            }
        }
        return nil
    }
}
