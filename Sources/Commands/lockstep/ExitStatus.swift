// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Wire

/// What an exit code means; the same for every command.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case usage = 2
    case refused = 3
    case noAnswer = 4
    case noSession = 5
    case unreachable = 6
    case unsafe = 7

    var meaning: String {
        switch self {
        case .done: "applied, or it was so already"
        case .usage: "the command or a value is wrong"
        case .refused: "refused; the reason is on stderr"
        case .noAnswer: "no answer in time; what was pressed can still take effect within 30 s"
        case .noSession: "there is no session"
        case .unreachable: "neither node nor broker reached"
        case .unsafe: "applied on this node, but not saved or not known to the others; the reason is on stderr"
        }
    }

    static var help: String {
        "EXIT CODES\n" + allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }

    var code: ExitCode { ExitCode(rawValue) }
}
