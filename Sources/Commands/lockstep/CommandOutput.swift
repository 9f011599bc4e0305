// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Platform
import Session
import Settings

/// The output of commands, for people and for programs.
enum CommandOutput {
    /// Prints the outcome of a request; throws the exit code of an outcome that is no success.
    /// - Parameters:
    ///   - done: The words for a success, which are made only if they are printed.
    ///   - refusal: The words for a refusal; `nil` for the usual ones.
    ///   - given: The options by the fields of the request, for the name of an invalid one.
    static func end(
        _ reply: ReplyReport, done: @autoclosure () async -> Localized, refusal: String? = nil,
        given: [String: GivenOption] = [:], json: Bool
    ) async throws {
        if json { print(Self.json(reply.encoded)) }
        let words = words(reply, strings)?.description ?? ""
        switch reply.outcome {
        case .applied, .duplicate:
            if !json { print(await done()) }
        case .noop:
            if !json { print(strings[.alreadySo]) }
        case .refused: throw ExitStatus.refused.printing(refusal ?? words)
        case .noAnswer: throw ExitStatus.noAnswer.printing(words)
        case .noSession: throw ExitStatus.noSession.printing(reply.reason ?? "\(words)\n  → lockstep start")
        case .invalid where reply.field == "role": throw ExitStatus.usage.printing(reply.reason ?? "")
        case .invalid:
            let field = reply.field.map { $0.isEmpty ? "" : "\(given[$0]?.description ?? $0): " } ?? ""
            throw ExitStatus.usage.printing(field + (reply.reason ?? words))
        case .failed: throw ExitStatus.failed.printing(reply.reason ?? words)
        }
        if let problem = reply.problem {
            throw ExitStatus.incomplete.printing("warning: \(problem.text)\n  → \(problem.fix)")
        }
    }

    static var strings: Strings { LanguageOptions.ofEnvironment }

    /// Returns an encoded report with one field per line, which a person can read too.
    static func json(_ encoded: [UInt8]) -> String { String(decoding: ReportJSON.pretty(encoded), as: UTF8.self) }

    static func json(_ json: JSONText) -> String { Self.json(Array(json.text.utf8)) }

    static func json(_ report: some Encodable) -> String { json(ReportJSON.encode(report)) }

    /// Returns the words for a press that had no effect; `nil` if it had one, or if there was nothing to change.
    static func words(_ reply: ReplyReport, _ strings: Strings) -> Localized? {
        let refusal = reply.reason.flatMap(Refusal.init(rawValue:))
        if refusal == .superseded, let by = reply.by {
            let at = by.at.milliseconds
            let time = TimeText.clock(at, offset: SystemClock.utcOffset(at: at))
            return strings.text(.supersededBy, ["node": .userText(by.node.rawValue), "time": time])
        }
        let key: Strings.Key? =
            switch reply.outcome {
            case .applied, .duplicate, .noop: nil
            case .refused: RefusalText.key(of: refusal)
            case .noAnswer: .noAnswer
            case .noSession: .noSession
            case .invalid: .refusedInvalid
            case .failed: .refusedNotAllowed
            }
        return key.map { RefusalText.text($0, strings) }
    }
}

/// An option or an argument in an error, with its value.
struct GivenOption: CustomStringConvertible {
    let description: String

    init(_ name: String, _ value: String?) {
        // A long value would hide the error.
        description = value.map { $0.utf8.count <= 100 ? "\(name) “\($0)”" : name } ?? name
    }
}

extension NodesReport {
    var lines: [String] {
        let rows = nodes.map { node in
            let dropped = node.dropped.values.reduce(0, +)
            return [
                node.node + (node.isSelf ? " (this node)" : ""), node.stateWords, node.name ?? "", node.software ?? "",
                dropped == 0 ? "" : "\(dropped) messages dropped",
                node.recordsWaiting.map { $0 == 0 ? "" : "records that wait for a debt service: \($0)" } ?? "",
            ]
        }
        return TextTable.lines(rows, width: TerminalText.displayWidth)
    }
}

extension NodeReport {
    fileprivate var stateWords: String {
        guard state == .clockWrong else { return state.rawValue + (serves.map { ", serves \($0)" } ?? "") }
        return online ? "clock wrong" : "offline, clock wrong"
    }
}
