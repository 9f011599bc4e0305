// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Commands
public import Display
import Session
import Web
import Wire

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the current session; exit code 5 when there is none.",
        discussion: """
            With --style, --format (but json alone), --face or --follow it is one line for a status bar. With --follow \
            there is a line for each change of what is shown, until the bar goes away; a node may come and go meanwhile.
            """
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "How much: \(StatusStyle.names) (default: compact).")
    var style: StatusStyle?

    @Option(help: "For whom: \(StatusFormat.names) (default: text).")
    var format: StatusFormat?

    @Option(help: "How to draw: \(Face.allCases.map(\.rawValue).joined(separator: ", ")) (default: focus).")
    var face: Face?

    @OptionGroup var language: LanguageOptions

    @Flag(help: "Go on, with a line for each change of what is shown.")
    var follow = false

    func validate() throws {
        if output.json, let format, format != .json {
            throw ValidationError("--json and --format \(format.rawValue) contradict each other; leave --json out")
        }
    }

    func run() async throws {
        guard let line = wantedLine else { return try await report() }
        if follow { return try await StatusFollower.follow(access: access, line: line) }
        try await access.withAccess { access in
            let node = NodeID(try await access.status().node)
            let view = try await access.view()
            let status = line.line(of: view, at: BootTimer.now, node: node)
            print(status.formatted(line.format))
            if status.screen.status?.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    private func report() async throws {
        try await access.withAccess { access in
            let report = try await access.status()
            if output.json || format == .json {
                print(Report.json(report))
                if !report.isLive { throw ExitStatus.noSession.code }
            } else {
                let text = StatusText(
                    of: try await access.view(), at: BootTimer.now, report: report, strings: language.strings)
                print(text.lines.joined(separator: "\n"))
                if !text.isLive { throw ExitStatus.noSession.code }
            }
        }
    }

    /// `nil` where the report is wanted, for people or as JSON.
    private var wantedLine: WantedLine? {
        let isReport = style == nil && face == nil && !follow && (format == nil || format == .json)
        guard !isReport else { return nil }
        return WantedLine(
            style: style ?? .compact, format: format ?? (output.json ? .json : .text), face: face ?? .focus,
            strings: language.strings)
    }
}

/// What the command line says of the line.
struct WantedLine: Sendable {
    let style: StatusStyle
    let format: StatusFormat
    let face: Face
    let strings: Strings

    /// What a bar shows of a view when the boot clock reads `boot`.
    func line(of shown: NodeView, at boot: Int64, node: NodeID?) -> StatusLine {
        var options = ScreenOptions(strings: strings, node: node, isReadOnly: true, utcOffset: LocalTime.utcOffset)
        options.take(shown)
        return StatusLine(Screen(shown.view, at: boot, face: face, options: options), style: style, strings: strings)
    }
}

/// Ends a stream of views of which one was wanted.
private struct Seen: Error {}

extension SessionAccess {
    /// The view as it stands now.
    func view() async throws -> NodeView {
        var seen: NodeView?
        do {
            try await views { view in
                seen = view
                throw Seen()
            }
        } catch is Seen {}
        guard let seen else { throw Access.unreachable("the node has ended meanwhile") }
        return seen
    }
}

extension StatusStyle: ExpressibleByArgument {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

extension StatusFormat: ExpressibleByArgument {
    fileprivate static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
