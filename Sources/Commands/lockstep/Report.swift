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
            if !json { print(done) }
        case .noop:
            if !json { print(Self.strings[.alreadySo]) }
        case .refused, .noAnswer, .noSession, .invalid:
            CommandLineRunner.say("lockstep: \(refusal(reply) ?? "")")
            throw status(of: reply).code
        }
        if let problem = reply.problem {
            CommandLineRunner.say("lockstep: warning: \(problem.text)\n  → \(problem.mend)")
            throw ExitStatus.unsafe.code
        }
    }

    /// The catalogue of the environment's language.
    static var strings: Strings { LanguageOptions.ofEnvironment }

    /// Why a request had no effect; `nil` when it had, or when it was so already.
    private static func refusal(_ reply: ReplyReport) -> String? {
        switch reply.outcome {
        case .applied, .duplicate, .noop: nil
        case .refused: words(reply)
        case .noAnswer:
            strings[.noAnswer] + "; " + strings.text(.lateEffect, count: Int(Limits.intentLife / 1_000))
        case .noSession: strings[.noSession]
        case .invalid where reply.field == "role":
            "a passing remote or a display has no place to hold a session; do it on a machine where a node runs"
        case .invalid:
            (reply.field.map { $0.isEmpty ? "" : "\($0): " } ?? "") + (reply.reason ?? strings[.refusedInvalid])
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
        let refusal = reply.reason.flatMap(Refusal.init(rawValue:))
        guard refusal == .superseded, let by = reply.by else { return strings[RefusalText.key(of: refusal)] }
        let time = TimeText.clock(by.at, offset: LocalTime.utcOffset(at: by.at))
        return strings.text(.supersededBy, ["node": by.node, "time": time])
    }
}

extension StatusReport {
    /// Whether there is a session that can still change.
    var isLive: Bool { Status(rawValue: status)?.isLive == true }
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
