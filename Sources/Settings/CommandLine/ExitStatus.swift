// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The exit codes of `lockstep`, the same for every command.
package enum ExitStatus: Int32, CaseIterable, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case noAnswer = 4
    case noSession = 5
    case unreachable = 6
    case incomplete = 7
    case interrupted = 130

    private var meaning: String {
        switch self {
        case .done: "applied, or nothing to change"
        case .failed: "another error, such as an output that cannot be written; the reason is on stderr"
        case .usage: "the command or a value is wrong, or the role of this machine does not allow it"
        case .refused: "refused; the reason is on stderr"
        case .noAnswer: "no answer in time; the press can still take effect within 30 s"
        case .noSession: "there is no session"
        case .unreachable: "neither node nor broker reached"
        case .incomplete:
            "applied, but not saved, not known to the others or (revoke) not cleared; the reason is on stderr"
        case .interrupted: "a signal ended lockstep join, which undid its changes"
        }
    }

    package static var help: String {
        "EXIT CODES\n" + allCases.map { "  \($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }

    /// The code as the error that ends a command.
    package var code: ExitCode { ExitCode(rawValue) }
}
