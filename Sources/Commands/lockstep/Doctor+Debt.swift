// SPDX-License-Identifier: Apache-2.0

import Commands
import Display
import FoundationEssentials
import Wire

extension Doctor {
    /// The debt service says the week at least once a day; this leaves it an hour, in milliseconds.
    private static let freshness: Int64 = 25 * 3_600_000

    /// How the week's debt stands. The broker keeps what was said last, whoever said it: it is right only while its service
    /// is there and has said it lately.
    static func debt(_ status: StatusReport, _ nodes: NodesReport, hasLedger: Bool) -> Finding {
        guard let minutes = status.debtMinutes else { return silent(hasLedger: hasLedger) }
        guard status.linked else {
            return Finding("weekly debt", .absent, "without a broker nothing is heard of it")
        }
        let age = status.debtAt.map {
            max(0, Int64(Date().timeIntervalSince1970 * 1_000) - (status.clockAhead ?? 0) - $0)
        }
        let update = age.map { ", last update \((Int($0) / 1_000).inWords) ago" } ?? ""
        let heard = "\(DebtText.text(minutes: minutes)) is heard here\(update)"
        // Of the two services that show themselves only this one counts.
        let services = nodes.nodes.filter { $0.role == "service" && $0.node != "calm" }
        let names = services.map(\.node).joined(separator: ", ")
        if !services.isEmpty, !services.contains(where: \.online) {
            return Finding(
                "weekly debt", .wrong, "\(heard); its service \(names) is not there",
                mend: "on its machine: systemctl --user start lockstep-debt (of the machine: sudo systemctl start …)")
        }
        if let age, age > freshness {
            return Finding(
                "weekly debt", .wrong, "\(heard), and its service says it every day",
                mend: "the service's log says why: \(log(of: "lockstep-debt"))")
        }
        guard services.isEmpty else { return Finding("weekly debt", .ok, heard) }
        return Finding(
            "weekly debt", .absent,
            "\(heard); no service shows itself, as one for every space does not, so it may be anybody's")
    }

    private static func silent(hasLedger: Bool) -> Finding {
        guard hasLedger else { return Finding("weekly debt", .absent, "nobody counts it: lockstep-debt does") }
        return Finding(
            "weekly debt", .wrong, "there is a ledger here, and the node hears nothing of the week",
            mend:
                "the service's log says why: \(log(of: "lockstep-debt")); its broker and space are to be the node's"
        )
    }
}
