// SPDX-License-Identifier: Apache-2.0

package import API
import Core
package import Session

extension Node {
    /// All current problems, the most serious first.
    package var problems: [ProblemReport] {
        [files.problem, twinProblem, refusalProblem, suspend.problem, standbyProblem].compactMap(\.self)
            + pageProblems.values
    }

    func note(_ problem: ProblemReport?, ofPageAt address: String) { pageProblems[address] = problem }

    /// Whether the last change is not on disk.
    package var isUnsaved: Bool { files.failure != nil }

    /// Makes the report of a reply. It has the problem that keeps this node's session from the disk or from other
    /// nodes.
    package func makeReport(of reply: Reply) -> ReplyReport {
        guard case .answered(let answer) = reply, answer.session == core.engine.register(of: identity.node)?.id else {
            return ReplyReport(reply)
        }
        if case .refused = answer.outcome { return ReplyReport(reply) }
        return ReplyReport(reply, problem: files.problem ?? refusalProblem)
    }

    private var refusalProblem: ProblemReport? {
        switch core.registerRefusal {
        case .tooLarge(let bytes):
            ProblemReport(
                .tooLarge,
                "the broker refuses messages of \(bytes) bytes, so other nodes do not get this node's session",
                fix: "raise max_packet_size and message_size_limit in the broker's configuration to 20000 or more")
        case .notAllowed:
            ProblemReport(
                .notGranted, "the broker does not let \(identity.node) own a session, so other nodes do not get it",
                fix:
                    "on the broker's machine: sudo lockstep revoke \(identity.node), then sudo lockstep invite "
                    + "\(identity.node); with rights of your own: the topics of a node in acl, in the folder Config of the "
                    + "sources. Or set LOCKSTEP_ROLE here to the role that the broker grants")
        case nil: nil
        }
    }

    private var standbyProblem: ProblemReport? {
        plainServer.map {
            ProblemReport(
                .standsBy, "this node stands by: \($0) serves the plain topics",
                fix: "none is needed; LOCKSTEP_PLAIN=off here ends it")
        }
    }

    private var twinProblem: ProblemReport? {
        guard core.isTwinKnown(at: clocks().boot) else { return nil }
        let rule =
            view.isLinked
            ? "this one connected first and stays connected"
            : "the other one connected first, so this one disconnects and tries again later"
        return ProblemReport(
            .sameID, "another machine uses the id \(identity.node) in the space \(space): \(rule)",
            fix:
                "on one of the two: sudo lockstep leave, then join with an invitation for another name (joined without "
                + "an invitation: another LOCKSTEP_NODE in its node.env, with its user at the broker)")
    }
}
