// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Control
import Display
import Platform
import Session
import Wire

/// `lockstep calm`: shows how quiet the room was.
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
                print(Report.json(report))
            } else {
                let missing = report.coverage == nil ? Self.missing(in: try await node.nodes()) : ""
                print(report.lines(Report.strings, missing: missing).joined(separator: "\n"))
            }
            let moment = shown.view.moment(at: BootTime(SystemClock.bootMilliseconds()))
            if moment?.register.status.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    /// Returns why nothing is measured.
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
struct CalmReport: Codable {
    /// The current session, or the last one while none is live.
    @Nullable var session: String?
    @Nullable var title: String?
    /// Percent of the measured time that was quiet, 0 to 100; `null` while too little was measured.
    @Nullable var percent: Int?
    /// rising, falling or steady; `null` if unknown.
    @Nullable var trend: String?
    /// Percent of the running time that was measured.
    @Nullable var coverage: Int?
    /// The level at ``at``, in decibels.
    @Nullable var level: Double?
    /// The level below which it is quiet, in decibels.
    @Nullable var threshold: Double?
    /// The quiet percent of each of the last whole minutes, the latest last; `null` without a level.
    var minutes: [Int?]
    /// When the calm service published this, in milliseconds of group time.
    @Nullable var at: Int64?

    init(_ shown: NodeView) {
        let (register, calm) = (shown.view.register, shown.calm)
        session = register?.id.rawValue
        title = register?.title
        percent = calm?.ifKnown?.percent
        trend = calm?.ifKnown?.trend?.rawValue
        coverage = calm?.coverage
        level = calm?.level.map { Double($0) / 10 }
        threshold = calm?.threshold.map { Double($0) / 10 }
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
        let sign = trend.flatMap(CalmFeed.Trend.init(rawValue:)).map { " \($0.sign)" } ?? ""
        var lines = ["\(calm)\(sign)\(name)", "heard \(coverage)% of the time"]
        if let threshold {
            let clock = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            lines.append(
                (level.map { "\($0) dB" } ?? "nothing heard") + " at \(clock), quiet below \(threshold) dB")
        }
        if !minutes.isEmpty { lines.append("last hour " + Sparkline.text(minutes)) }
        return lines
    }
}

/// A row of bars, one for each value.
enum Sparkline {
    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// - Parameter percents: 0 to 100; `nil` is a gap.
    static func text(_ percents: [Int?]) -> String {
        String(percents.map { $0.map { bars[min(max($0, 0), 100) * (bars.count - 1) / 100] } ?? " " })
    }
}
