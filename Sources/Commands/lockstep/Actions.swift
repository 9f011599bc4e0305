// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Session
import Wire

/// What the commands that ask something of the current session have in common.
protocol ActionCommand: AsyncParsableCommand {
    var access: AccessOptions { get }
    var output: OutputOptions { get }
    func operation() throws -> Operation
}

extension ActionCommand {
    func run() async throws {
        let operation = try operation()
        try await access.withAccess { access in
            try Report.end(try await access.press(Press(operation)), done: operation.done, json: output.json)
        }
    }
}

extension Operation {
    fileprivate var done: String {
        switch self {
        case .pause: Report.strings[.eventPaused]
        case .resume: Report.strings[.eventResumed]
        case .stop: Report.strings[.eventStopped]
        case .extend(let seconds): "+" + seconds.inWords
        case .startBreak: Report.strings[.breakInProgress]
        case .startFocus: Report.strings[.focusInProgress]
        case .skip: Report.strings[.eventPhase]
        }
    }
}

struct Pause: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Freezes the time of the current session.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .pause }
}

struct Resume: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Lets a paused session go on.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .resume }
}

struct Stop: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Ends the current session.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .stop }
}

struct Extend: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Makes the current phase of a countdown longer.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "By how much: 1s to 24h.")
    var by = "1m"

    func operation() throws -> Operation { .extend(seconds: try Duration.seconds(by, of: "extend")) }
}

struct Break: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Goes to the break that follows, or puts one in.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .startBreak }
}

struct Focus: ActionCommand {
    static let configuration = CommandConfiguration(abstract: "Goes to the focus phase that follows, or puts one in.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .startFocus }
}

struct Skip: ActionCommand {
    static let configuration = CommandConfiguration(
        abstract: "Goes to the next phase; ends the session after the last one.")
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func operation() -> Operation { .skip }
}
