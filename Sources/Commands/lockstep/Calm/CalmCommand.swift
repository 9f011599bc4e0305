// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Display
import Session
import Wire

/// `lockstep calm`: how quiet the room was.
struct CalmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calm",
        abstract: "Shows how quiet it was while the session ran, and the last hour.",
        discussion: "lockstep-calm measures it: the service, and a microphone or a sensor.",
        subcommands: [CalmStatus.self, Calibrate.self],
        defaultSubcommand: CalmStatus.self
    )
}

struct CalmStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Percent, trend, level and the last hour; exit code 5 when there is no session.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { access in
            let status = try await access.status()
            let report = CalmReport(try await access.view(), status: status)
            print(output.json ? Report.json(report) : report.lines(Report.strings).joined(separator: "\n"))
            if !status.isLive { throw ExitStatus.noSession.code }
        }
    }
}

/// What `lockstep calm --json` prints. Every field is always there; seconds, levels and times as in the protocol.
struct CalmReport: Codable {
    /// The session that it is about: the current one, or the last one while none is live.
    @Nullable var session: String?
    /// What the person does in it.
    @Nullable var title: String?
    /// Percent of the time that was heard, 0 to 100; `null` while too little was.
    @Nullable var percent: Int?
    /// rising, falling or steady; `null` where nobody can tell.
    @Nullable var trend: String?
    /// Percent of the running time that was heard.
    @Nullable var coverage: Int?
    /// The level when that was said, in decibels.
    @Nullable var level: Double?
    /// Quiet is what is below it, in decibels.
    @Nullable var threshold: Double?
    /// Percent of each of the last whole minutes that was quiet, the latest last; `null` for one that was not heard.
    var minutes: [Int?]
    /// When that was said, in milliseconds of group time.
    @Nullable var at: Int64?

    init(_ shown: NodeView, status: StatusReport) {
        let (register, calm) = (shown.view.register, shown.calm)
        let isKnown = calm.map { $0.coverage >= CalmFeed.enoughCoverage } ?? false
        session = register?.id.rawValue
        title = register?.title
        percent = isKnown ? calm?.percent : nil
        trend = isKnown ? calm?.trend?.rawValue : nil
        coverage = calm?.coverage
        level = calm?.level.map { Double($0) / 10 }
        threshold = calm?.threshold.map { Double($0) / 10 }
        minutes = calm?.minutes ?? []
        at = calm?.at
    }

    /// A few lines for a person.
    func lines(_ strings: Strings) -> [String] {
        guard session != nil else { return [strings[.idle]] }
        let name = title.map { $0.isEmpty ? "" : " · \($0)" } ?? ""
        let shown = percent.map { strings.text(.percent, ["count": String($0)]) } ?? Calm.unknown
        let calm = strings.text(.calmPercent, ["percent": shown])
        guard let coverage, let at else { return ["\(calm)\(name)", "nobody measures it: lockstep-calm does"] }
        let sign = trend.flatMap(Calm.Trend.init(rawValue:)).map { " " + $0.sign } ?? ""
        var lines = ["\(calm)\(sign)\(name)", "heard \(coverage)% of the time"]
        if let threshold {
            let clock = TimeText.clock(at, offset: LocalTime.utcOffset(at: at))
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
