// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Control
import Display
import Glibc
import Platform
import Session
import Terminal
import Wire

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the current session; exit code 5 when there is none.",
        discussion: """
            With --style, --face, --follow or a --format other than json it prints one line for a status bar. With \
            --follow it prints a line for each change until the bar goes away; a node may come and go meanwhile.
            """
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "Length: \(StatusStyle.names) (default: compact).")
    var style: StatusStyle?

    @Option(help: "Output format: \(StatusFormat.names) (default: text).")
    var format: StatusFormat?

    @Option(help: "Face: \(Face.names) (default: focus).")
    var face: Face?

    @OptionGroup var language: LanguageOptions

    @Flag(help: "Print a line for each change of what is shown.")
    var follow = false

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; leave --json out")
        }
    }

    func run() async throws {
        guard let line = wantedLine else { return try await report() }
        if follow { return try await follow(line) }
        try await access.withAccess { node in
            let status = line.line(of: try await node.view(), at: SystemClock.bootMilliseconds())
            print(status.formatted(line.format))
            if status.screen.status?.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    private func report() async throws {
        try await access.withAccess { node in
            let isLive: Bool
            if output.json || format == .json {
                let report = try await node.status()
                print(Report.json(report))
                isLive = Status(rawValue: report.status)?.isLive == true
            } else {
                let text = StatusText(of: try await node.view(), strings: language.strings)
                print(text.lines.joined(separator: "\n"))
                isLive = text.isLive
            }
            if !isLive { throw ExitStatus.noSession.code }
        }
    }

    /// Prints a line for each change of what is shown, until a signal or until standard output is closed.
    private func follow(_ line: WantedLine) async throws {
        // Wrong settings are reported once, not at each try.
        if access.socket.localNode == nil { _ = try access.hasBroker() }
        let (views, feeder) = AsyncStream.makeStream(of: NodeView.self, bufferingPolicy: .bufferingNewest(1))
        let code = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                await LastingViews.follow(show: { feeder.yield($0) }) { receive in
                    try await access.withAccessIfReached { try await $0.views(receive) }
                }
            }
            defer { group.cancelAll() }
            return try await StatusLoop.run(views: views) { view, boot in
                line.line(of: view, at: boot).formatted(line.format, isFollowed: true)
            }
        }
        if code != 0 { throw ExitCode(code) }
    }

    /// `nil` if the report is wanted, for people or as JSON.
    private var wantedLine: WantedLine? {
        let isReport = style == nil && face == nil && !follow && (format == nil || format == .json)
        guard !isReport else { return nil }
        return WantedLine(
            style: style ?? .compact, format: format ?? (output.json ? .json : .text), face: face ?? .focus,
            strings: language.strings)
    }
}

/// The options of a line for a status bar.
struct WantedLine: Sendable {
    let style: StatusStyle
    let format: StatusFormat
    let face: Face
    let strings: Strings

    /// Returns what a bar shows of a view when the boot clock reads `boot`.
    func line(of shown: NodeView, at boot: Int64) -> StatusLine {
        var options = ScreenOptions(strings: strings, utcOffset: LocalTime.utcOffset)
        options.take(shown)
        return StatusLine(
            Screen(shown.view, at: BootTime(boot), face: face, options: options), style: style, strings: strings)
    }
}

extension StatusStyle: ExpressibleByArgument {}
extension StatusFormat: ExpressibleByArgument {}
