// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Session
import Settings
import Synchronization
import Terminal

/// `lockstep status`: shows the current session, once or at each change.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the current session; exit code 5 when there is none.",
        discussion: """
            With --style, --face, --follow or a --format other than json it prints one line for a status bar. With \
            --follow it prints a line for each change until its reader ends; a node may come and go meanwhile. --json, \
            with or without --follow, prints the session as GET /v1/session does; /openapi.json describes each field.
            """
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Length: \(StatusStyle.names) (default: compact).")
    var style: StatusStyle?

    @Option(help: "Output format: \(StatusFormat.names), or json, which is --json (default: text).")
    var format: StatusOutput?

    @Option(help: "Face: \(Face.names) (default: focus).")
    var face: Face?
    @OptionGroup var language: LanguageOptions

    @Flag(help: "Print a line for each change of what is shown.")
    var follow = false

    func validate() throws {
        if output.json, let format = format?.line {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; leave --json out")
        }
        if wantsJSON, style != nil || face != nil {
            throw ValidationError("JSON has neither --style nor --face; leave them out")
        }
    }

    private var wantsJSON: Bool { output.json || format == .json }
    private var wantsLine: Bool { style != nil || face != nil || follow || format != nil }

    func run() async throws {
        if wantsJSON { return try await follow ? followReports() : report() }
        guard wantsLine else { return try await describe() }
        let (style, format, face) = (style ?? .compact, format?.line ?? .text, face ?? .focus)
        let strings = language.strings
        @Sendable func line(of shown: NodeView, at boot: Int64) -> StatusLine {
            var options = ScreenOptions(strings: strings, utcOffset: SystemClock.utcOffset)
            options.take(shown)
            return StatusLine(
                Screen(shown.view, at: BootTime(boot), face: face, options: options), style: style, strings: strings)
        }
        if follow {
            return try await follow(receive: { try await $0.views($1) }) { view, boot in
                line(of: view, at: boot).formatted(format, isFollowed: true)
            }
        }
        try await access.withAccess { node in
            let status = line(of: try await node.view(), at: SystemClock.bootMilliseconds())
            print(status.formatted(format))
            if status.screen.status?.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    private func describe() async throws {
        try await access.withAccess { node in
            let text = StatusText(of: try await node.view(), strings: language.strings)
            print(text.lines.joined(separator: "\n"))
            if !text.isLive { throw ExitStatus.noSession.code }
        }
    }

    private func report() async throws {
        try await access.withAccess { node in
            let report = try await node.status()
            print(CommandOutput.json(report.encoded))
            if Status(rawValue: report.status)?.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    /// Prints the session as a line of JSON at each change, from the first answer of a node on.
    private func followReports() async throws {
        let reported = Mutex<StatusReport?>(nil)
        try await follow(receive: { node, receive in
            try await node.views { view in
                let report = try await node.status()
                reported.withLock { $0 = report }
                receive(view)
            }
        }) { view, boot in
            let instant = Instant(boot: BootTime(boot), wall: WallTime(SystemClock.wallMilliseconds()))
            return reported.withLock { $0 }.map { report in
                String(decoding: report.updated(view, at: instant).encoded, as: UTF8.self)
            }
        }
    }

    /// Prints a line for each change of what is shown, until a signal or until standard output is closed.
    /// - Parameter line: The line for a view at a reading of the boot clock; `nil` while there is nothing to print.
    private func follow(
        receive: @escaping @Sendable (ControlClient, (NodeView) -> Void) async throws -> Void,
        line: @escaping @Sendable (NodeView, Int64) -> String?
    ) async throws {
        // Wrong settings are reported once, not at each try.
        try await access.check()
        let (views, feeder) = AsyncStream.makeStream(of: NodeView.self, bufferingPolicy: .bufferingNewest(1))
        let code = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await ReconnectingViews.follow(show: { feeder.yield($0) }) { show in
                    try await access.withAccessIfReached { try await receive($0, show) }
                }
            }
            defer { group.cancelAll() }
            return try await StatusLoop.run(views: views, line: line)
        }
        if code != 0 { throw ExitCode(code) }
    }
}

extension StatusStyle: ExpressibleByArgument {}

/// The value of `--format`: a line for a status bar, or JSON.
enum StatusOutput: String, CaseIterable, Sendable, ExpressibleByArgument {
    case text, waybar, tmux, i3blocks, polybar, json

    /// The format of the line; `nil` for JSON.
    var line: StatusFormat? { StatusFormat(rawValue: rawValue) }
}
