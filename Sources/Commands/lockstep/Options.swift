// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import FoundationEssentials
import Glibc
import Settings

/// The option that names the node of this machine to which a command connects.
struct SocketOptions: ParsableArguments, Sendable {
    @Option(
        help: "The socket of the node on this machine (default: the usual place). LOCKSTEP_SOCKET",
        completion: .file())
    var socket: String?

    /// A client of the first wanted socket on which a node listens; `nil` if there is none.
    var localNode: ControlClient? {
        wantedSockets.first(where: ControlClient.isServed).map(ControlClient.init)
    }

    func withNode(_ body: (ControlClient) async throws -> Void) async throws {
        guard let client = localNode else { throw unreachable() }
        try await Access.exitingOnControlError { try await body(client) }
    }

    var wantedSockets: [String] {
        let environment = ProcessInfo.processInfo.environment
        if let given = socket ?? environment["LOCKSTEP_SOCKET"], !given.isEmpty { return [given] }
        return Paths(environment: environment).sockets
    }

    /// The first wanted socket that this person may not use; `nil` if there is none.
    var closedSocket: String? { wantedSockets.first { access($0, W_OK) != 0 && errno == EACCES } }

    static let groupAdvice = "sudo usermod -aG lockstep $USER, then log in again"

    /// Prints that no node was reached, and returns the exit code. `suffix` continues that sentence.
    func unreachable(_ suffix: String = "") -> any Error {
        if let closedSocket {
            return ExitStatus.unreachable.printing(
                "only members of its group may use \(closedSocket); for the node of this machine: \(Self.groupAdvice)")
        }
        let installation = Installation(environment: ProcessInfo.processInfo.environment)
        return ExitStatus.unreachable.printing(
            "no node listens on \(wantedSockets.joined(separator: " or "))\(suffix); \(installation.adviceWithoutNode)"
        )
    }
}

/// The option for the format of the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs.")
    var json = false
}

/// The option for the language in which a command draws.
struct LanguageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language of what is drawn (default: that of LC_ALL, LC_MESSAGES or LANG).",
            discussion: Catalogue.languages.joined(separator: " ")),
        completion: .list(Catalogue.languages))
    var lang: String?

    func validate() throws { try Self.check(lang) }

    static func check(_ lang: String?) throws {
        guard let lang, Catalogue.match(lang) == nil else { return }
        throw ValidationError("--lang “\(lang)”: there are \(Catalogue.languages.joined(separator: ", "))")
    }

    var strings: Strings { lang.flatMap(Catalogue.match) ?? Self.ofEnvironment }

    static var ofEnvironment: Strings { Catalogue.best { name in getenv(name).map { String(cString: $0) } } }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// All values, for a help text.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension PlanParser {
    /// Reads the duration of an option or a command, whose name begins an error. Returns its seconds.
    static func seconds(of text: String, option name: String) throws(UsageError) -> Int {
        do throws(PlanError) {
            return try seconds(of: text)
        } catch {
            throw UsageError("\(name) “\(text)”: \(error)")
        }
    }
}

extension Int {
    /// This number of seconds as the plan grammar writes it: `1h30m`.
    var secondsAsDuration: String {
        let parts = [(self / 3_600, "h"), (self / 60 % 60, "m"), (self % 60, "s")].filter { $0.0 > 0 }
        return parts.isEmpty ? "0s" : parts.map { "\($0.0)\($0.1)" }.joined()
    }
}
