// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
public import Session
public import Wire

/// What is wrong with a node and can be mended by a person.
extension Node {
    /// All that is wrong now, the most serious first.
    var problems: [ProblemReport] { [unsaved, twinProblem, tooLargeProblem, suspendProblem].compactMap(\.self) }

    /// Whether the last change is not on disk.
    public var isUnsaved: Bool { journalFailure != nil }

    /// A reply, with the reason why what it says is not safe or not known to the others, if there is one.
    public func report(_ reply: Reply) -> ReplyReport {
        guard case .answered(let answer) = reply, answer.session == register(of: identity.node)?.id else {
            return ReplyReport(reply)
        }
        if case .refused = answer.outcome { return ReplyReport(reply) }
        return ReplyReport(reply, problem: unsaved ?? tooLargeProblem)
    }

    /// Notes how the last write of the journal ended. Displays show that beside the session.
    func journalEnded(with failure: String?) {
        if failure != nil { counted.failedWrites += 1 }
        let wasUnsaved = isUnsaved
        journalFailure = failure
        guard isUnsaved != wasUnsaved else { return }
        // The engine tries again every second: only news is worth a line.
        if let failure { log.error("the journal cannot be written", metadata: ["reason": "\(failure)"]) }
        redraw()
    }

    private var unsaved: ProblemReport? {
        guard let journalFailure, let directory else { return nil }
        let room = Self.room(at: directory.path).map { "; \($0)" } ?? ""
        return ProblemReport(
            .unsaved, "changes are not saved, and other nodes do not get them: \(journalFailure)\(room)",
            mend: "make room on the file system of \(directory.path), or make it writable; the node tries every second")
    }

    /// "0 of 64 KB are free there".
    private static func room(at path: String) -> String? {
        var system = statvfs()
        guard statvfs(path, &system) == 0 else { return nil }
        let block = UInt64(system.f_frsize)
        return "\(UInt64(system.f_bavail) * block >> 10) of \(UInt64(system.f_blocks) * block >> 10) KB are free there"
    }
}
