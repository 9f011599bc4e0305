// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Display
import Session
import Wire

/// What commands say, for people and for programs.
enum Report {
    /// Says what came of a request, and ends the command with the exit code that tells it.
    static func end(_ reply: ReplyReport, done: String, json: Bool) throws {
        if json { print(Self.json(reply)) }
        switch reply.outcome {
        case .applied, .duplicate:
            if !json { print(done + ".") }
        case .noop:
            if !json { print("It was so already.") }
        case .refused, .noAnswer, .noSession, .invalid:
            CommandLineRunner.say("lockstep: \(refusal(reply) ?? "")")
            throw status(of: reply).code
        }
        if let problem = reply.problem {
            CommandLineRunner.say("lockstep: warning: \(problem.text)\n  → \(problem.mend)")
            throw ExitStatus.unsafe.code
        }
    }

    /// Why a request had no effect; `nil` when it had, or when it was so already.
    private static func refusal(_ reply: ReplyReport) -> String? {
        switch reply.outcome {
        case .applied, .duplicate, .noop: nil
        case .refused: "refused: \(words(reply))"
        case .noAnswer:
            "the owner of the session did not answer in time; what was pressed can still take effect within "
                + "\(Limits.intentLife / 1_000) s"
        case .noSession: "there is no session"
        case .invalid where reply.field == "role":
            "a passing remote or a display has no place to hold a session; do it on a machine where a node runs"
        case .invalid:
            (reply.field.map { $0.isEmpty ? "" : "\($0): " } ?? "") + (reply.reason ?? "out of bounds")
        }
    }

    private static func status(of reply: ReplyReport) -> ExitStatus {
        switch reply.outcome {
        case .applied, .duplicate, .noop: .done
        case .refused: .refused
        case .noAnswer: .noAnswer
        case .noSession: .noSession
        case .invalid: .usage
        }
    }

    static func json(_ report: some Encodable) -> String {
        String(decoding: ReportJSON.encode(report, pretty: true), as: UTF8.self)
    }

    private static func words(_ reply: ReplyReport) -> String {
        switch reply.reason.flatMap(Refusal.init(rawValue:)) {
        case .superseded:
            reply.by.map { "a later start on \($0.node) has ended that session" }
                ?? "a later start has ended that session"
        case .stalePhase: "that phase is over"
        case .expired: "it came too late; is a clock wrong?"
        case .notAllowed: "the session's state does not allow it"
        case .invalid: "a value is out of bounds"
        case .busy: "too many presses in a short time; try again in a few seconds"
        case nil: reply.reason ?? "no reason given"
        }
    }
}

extension StatusReport {
    /// Whether there is a session that can still change.
    var isLive: Bool { Status(rawValue: status)?.isLive == true }

    /// A few lines for a person.
    var lines: [String] {
        guard session != nil else { return ["No session." + linkNotice] + clockLines + problemLines }
        var heading = [title.flatMap { $0.isEmpty ? nil : $0 }, label?.name].compactMap(\.self).joined(separator: " · ")
        if heading.isEmpty { heading = "Session" }
        var lines = ["\(heading): \(statusWords)"]
        if let time = timeLine { lines.append(time) }
        lines.append((isOwner ? "on this node (\(node))" : "on \(owner ?? "?")") + linkNotice)
        if let takeover { lines.append(takeover) }
        if stale { lines.append("stale: no contact with the owner") }
        return lines + clockLines + problemLines
    }

    private var problemLines: [String] {
        (problems ?? []).filter { !$0.kind.isMinor }.map { "warning: \($0.text)" }
    }

    /// "kitchen-pi took over from desk at 14:05".
    private var takeover: String? {
        guard let continues, let owner else { return nil }
        return "\(owner) took over from \(continues.node) at \(time(continues.at))"
    }

    private func time(_ time: Int64) -> String { TimeText.clock(time, offset: LocalTime.utcOffset(at: time)) }

    private var clockLines: [String] {
        guard let clock, clock.wrong else { return [] }
        let ahead = clockAhead ?? 0
        let size = Self.words(seconds: Int((abs(ahead) + 500) / 1_000))
        return [
            "clock wrong: this machine's is \(size) \(ahead < 0 ? "behind" : "ahead of") the space's; times are the space's"
        ]
    }

    /// As exact as a person wants it who is to set a clock.
    private static func words(seconds: Int) -> String {
        let day = 86_400
        return switch seconds {
        case (731 * day)...: "\(seconds / (365 * day)) years"
        case (2 * day)...: "\(seconds / day) days"
        case 600...: (seconds / 60 * 60).inWords
        default: seconds.inWords
        }
    }

    private var linkNotice: String { linked ? "" : " (not connected to a broker)" }

    private var statusWords: String {
        let name = currentPhase?.name ?? currentPhase?.kind ?? ""
        return switch Status(rawValue: status) {
        case .ready: "\(name) is ready to start"
        case .superseded: "ended by a later start" + (supersededBy.map { " on \($0.node)" } ?? "")
        case .running, .paused: "\(name) \(status)"
        default: status
        }
    }

    private var timeLine: String? {
        guard isLive, let currentPhase else { return nil }
        let position = currentPhase.count > 1 ? " · phase \(currentPhase.index + 1)/\(currentPhase.count)" : ""
        let sign = approximate == true ? TimeText.approximateSign : ""
        guard let remainingSeconds else {
            return sign + TimeText.text(seconds: elapsedSeconds ?? 0, padded: true) + " passed" + position
        }
        let end = endsAt.map { " · ends \(time($0))" } ?? ""
        return sign + TimeText.text(seconds: remainingSeconds, padded: true) + " left" + end + position
    }
}

extension NodesReport {
    /// A table for a person.
    var lines: [String] {
        let rows = nodes.map { node in
            let dropped = node.dropped.values.reduce(0, +)
            return [
                node.node + (node.isSelf ? " (this node)" : ""), node.stateWords, node.name ?? "", node.software ?? "",
                dropped == 0 ? "" : "\(dropped) messages not used",
            ]
        }
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
                .trimmingEnd
        }
    }
}

extension NodeReport {
    fileprivate var stateWords: String {
        guard state == "clockWrong" else { return state }
        return online ? "clock wrong" : "offline, clock wrong"
    }
}

extension String {
    fileprivate var trimmingEnd: String {
        var text = self[...]
        while text.last == " " { text = text.dropLast() }
        return String(text)
    }
}
