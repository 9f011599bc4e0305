// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Session
import Settings
import Wire

/// `lockstep calm`: the calm of the session, and the calibration of its microphone.
struct CalmCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calm",
        abstract: "Show how quiet it was while the session ran, and the last hour.",
        discussion: "lockstep-calm measures it: the service, and a microphone or a sensor.",
        subcommands: [CalmStatusCommand.self, CalibrateCommand.self],
        defaultSubcommand: CalmStatusCommand.self
    )
}

/// `lockstep calm status`: shows the calm of the session.
struct CalmStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show percent, trend, level and the last hour; exit code 5 when there is no session.")

    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await access.withAccess { node in
            let shown = try await node.view()
            let report = CalmReport(shown: shown)
            if output.json {
                print(CommandOutput.json(report.json))
            } else {
                let missing = shown.calm == nil ? Self.missing(in: try await node.nodes()) : ""
                print(report.lines(CommandOutput.strings, missing: missing).joined(separator: "\n"))
            }
            let moment = shown.view.moment(at: BootTime(SystemClock.bootMilliseconds()))
            if moment?.register.status.isLive != true { throw ExitStatus.noSession.code }
        }
    }

    /// Returns the reason why no calm is measured, with the command that helps.
    private static func missing(in report: NodesReport) -> String {
        // A service that has published nothing yet may have any id, which its invitation gives.
        let services = report.nodes.filter { $0.isService && $0.serves != "debt" && $0.node != "debt" }
        let named = services.first { $0.serves == "calm" } ?? services.first { $0.node == "calm" }
        guard let service = named ?? services.first else {
            return
                "no calm service is known (lockstep nodes lists all services): lockstep up runs one, and so does a machine "
                + "that has joined with an invitation of --role calm"
        }
        let subject = named == nil ? "the service \(service.node)" : "the calm service"
        let machine = service.name ?? service.node
        return service.online
            ? "\(subject) on \(machine) hears no microphone and no sensor: sudo systemctl enable --now "
                + "lockstep-listen on a machine with a microphone, or lockstep up --listen"
            : "\(subject) on \(machine) is offline"
    }
}

/// A report of how calm the current session was, or else the last one, and of the last hour.
struct CalmReport {
    let shown: NodeView
    private var calm: CalmFeed? { shown.calm }

    /// The output of `lockstep calm --json`. Every field is present; seconds, levels and times as in the protocol.
    var json: JSONText {
        let (register, knownCalm) = (shown.view.register, calm?.ifKnown)
        func decibels(_ tenths: Int?) -> JSONText { tenths.map { JSONText(Double($0) / 10) } ?? .null }
        return [
            "session": (register?.id.rawValue).json, "title": (register?.title).json,
            "percent": (knownCalm?.percent).json, "trend": (knownCalm?.trend?.rawValue).json,
            "coverage": (calm?.coverage).json, "level": decibels(calm?.level),
            "threshold": decibels(calm?.threshold),
            // The quiet percent of each of the last whole minutes, the latest last; null without a level.
            "minutes": (calm?.minutes ?? []).json, "at": (calm?.at.milliseconds).json,
        ]
    }

    /// A few lines for a person. `missing` is why nothing is measured.
    func lines(_ strings: Strings, missing: String) -> [String] {
        guard let register = shown.view.register else { return ["\(strings[.idle])"] }
        let name = register.title.isEmpty ? "" : " · \(register.title)"
        let percent = calm?.ifKnown.map { strings.text(.percent, ["count": "\($0.percent)"]) } ?? Strings.unknown
        let words = strings.text(.calmPercent, ["percent": percent])
        guard let calm else { return ["\(words)\(name)", "not measured: \(missing)"] }
        let sign = calm.ifKnown?.trend.map { " \($0.sign)" } ?? ""
        var lines = ["\(words)\(sign)\(name)", "heard \(calm.coverage)% of the time"]
        if let threshold = calm.threshold {
            let at = calm.at.milliseconds
            let clock = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            let level = calm.level.map { "\(Double($0) / 10) dB" } ?? "nothing heard"
            lines.append("\(level) at \(clock), quiet below \(Double(threshold) / 10) dB")
        }
        if !calm.minutes.isEmpty { lines.append("last hour " + Self.sparkline(calm.minutes)) }
        return lines
    }

    private static let bars = Array("▁▂▃▄▅▆▇█")

    /// A bar for each percentage; `nil` is a gap.
    private static func sparkline(_ percents: [Int?]) -> String {
        String(percents.map { $0.map { bars[min(max($0, 0), 100) * (bars.count - 1) / 100] } ?? " " })
    }
}
