// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Session
import Settings
import Wire

struct CalmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calm",
        abstract: "Show how quiet it was while the session ran, and the last hour.",
        discussion: "lockstep-calm measures it: the service, and a microphone or a sensor.",
        subcommands: [CalmStatus.self, Calibrate.self],
        defaultSubcommand: CalmStatus.self
    )
}

struct CalmStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show percent, trend, level and the last hour; exit code 5 when there is no session.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { node in
            let shown = try await node.view()
            let report = CalmReport(shown)
            if output.json {
                print(Report.json(report.encoded))
            } else {
                let missing = report.coverage == nil ? Self.missing(in: try await node.nodes()) : ""
                print(report.lines(Report.strings, missing: missing).joined(separator: "\n"))
            }
            let moment = shown.view.moment(at: BootTime(SystemClock.bootMilliseconds()))
            if moment?.register.status.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    private static func missing(in report: NodesReport) -> String {
        guard let service = report.nodes.first(where: { $0.role == "service" && $0.node == "calm" }) else {
            return "no calm service is known: lockstep up runs one, and so does a machine that has joined with an "
                + "invitation of --role calm"
        }
        let machine = service.name ?? service.node
        return service.online
            ? "the calm service on \(machine) hears no microphone and no sensor: sudo systemctl enable --now "
                + "lockstep-listen on a machine with a microphone, or lockstep up --listen"
            : "the calm service on \(machine) is offline"
    }
}

/// The output of `lockstep calm --json`. Every field is always there; seconds, levels and times as in the protocol.
struct CalmReport: Described {
    private var session: String?
    private var title: String?
    private var percent: Int?
    private var trend: CalmFeed.Trend?
    private(set) var coverage: Int?
    /// The level at ``at``, as ``threshold`` in tenths of a decibel.
    private var level: Int?
    private var threshold: Int?
    /// The quiet percent of each of the last whole minutes, the latest last; `nil` without a level.
    private var minutes: [Int?] = []
    private var at: Int64?

    static let blank = CalmReport(NodeView(View()))

    mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("session", nullable: &session, .string, "The current session, or the last one.")
        try form.field("title", nullable: &title, .string, "Its title.")
        try form.field("percent", nullable: &percent, .percent, "Percent of the measured time that was quiet.")
        try form.field("trend", nullable: &trend, .word(), "The trend; null if unknown.")
        try form.field("coverage", nullable: &coverage, .percent, "Percent of the running time that was measured.")
        try form.field("level", nullable: &level, .decibels, "The last level.")
        try form.field("threshold", nullable: &threshold, .decibels, "The level below which it is quiet.")
        try form.field("minutes", &minutes, .list(of: .nullable(.percent), 0...60))
        try form.field("at", nullable: &at, .whole(), "When the calm service published this.")
    }

    init(_ shown: NodeView) {
        let (register, calm) = (shown.view.register, shown.calm)
        session = register?.id.rawValue
        title = register?.title
        percent = calm?.ifKnown?.percent
        trend = calm?.ifKnown?.trend
        coverage = calm?.coverage
        level = calm?.level
        threshold = calm?.threshold
        minutes = calm?.minutes ?? []
        at = calm?.at.milliseconds
    }

    /// A few lines for a person. `missing` is why nothing is measured.
    func lines(_ strings: Strings, missing: String) -> [String] {
        guard session != nil else { return ["\(strings[.idle])"] }
        let name = title.map { $0.isEmpty ? "" : " · \($0)" } ?? ""
        let shown = percent.map { strings.text(.percent, ["count": "\($0)"]) } ?? Strings.unknown
        let calm = strings.text(.calmPercent, ["percent": shown])
        guard let coverage, let at else { return ["\(calm)\(name)", "not measured: \(missing)"] }
        let sign = trend.map { " \($0.sign)" } ?? ""
        var lines = ["\(calm)\(sign)\(name)", "heard \(coverage)% of the time"]
        if let threshold {
            let clock = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            lines.append(
                (level.map { "\(Double($0) / 10) dB" } ?? "nothing heard")
                    + " at \(clock), quiet below \(Double(threshold) / 10) dB")
        }
        if !minutes.isEmpty { lines.append("last hour " + Self.sparkline(minutes)) }
        return lines
    }

    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// A bar for each percentage; `nil` is a gap.
    private static func sparkline(_ percents: [Int?]) -> String {
        String(percents.map { $0.map { bars[min(max($0, 0), 100) * (bars.count - 1) / 100] } ?? " " })
    }
}
