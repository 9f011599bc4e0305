// SPDX-License-Identifier: Apache-2.0

import Commands
import Wire

extension Doctor {
    /// What the node says is wrong with it, and that its changes are saved where they are.
    static func problems(_ status: StatusReport) -> [Finding] {
        // An older node does not say it.
        guard let problems = status.problems else { return [] }
        let found = problems.map { problem in
            Finding(
                problem.kind.check, problem.kind.isMinor ? .absent : .wrong, problem.text, mend: problem.mend)
        }
        guard !problems.contains(where: { $0.kind == .unsaved }) else { return found }
        return [Finding("disk", .ok, "the node's changes are saved")] + found
    }
}

extension ProblemReport.Kind {
    fileprivate var check: String {
        switch self {
        case .unsaved: "disk"
        case .sameID: "node id"
        case .tooLarge: "messages"
        case .noSuspendLock: "suspend"
        }
    }
}
