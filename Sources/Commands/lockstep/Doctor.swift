// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Display
import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage
import Web
import Wire

/// `lockstep doctor`: whether everything is as it should be, and what to do where it is not.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks whether node, broker, clocks and ledger are well, and says how what is not is mended.",
        discussion: "Exit code 0 when all is well, 3 when something is wrong.")

    @OptionGroup var socket: SocketOptions

    @OptionGroup(title: "Which ledger")
    var ledger: LedgerOptions

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let ledger = await Self.ledger(ledger)
        let hasLedger = ledger.contains { $0.check == "ledger" && $0.state != .absent }
        let findings = await node(hasLedger: hasLedger) + ledger
        if output.json { print(Report.json(findings)) } else { for finding in findings { Self.say(finding) } }
        if findings.contains(where: { $0.state == .wrong }) { throw ExitStatus.refused.code }
    }

    private static func say(_ finding: Finding) {
        let mark =
            switch finding.state {
            case .ok: "ok"
            case .absent: "-"
            case .wrong: "WRONG"
            }
        print("\(mark.padded(6))\(finding.check.padded(14))\(finding.found)")
        if let mend = finding.mend { print("\("".padded(20))→ \(mend)") }
    }

    private func node(hasLedger: Bool) async -> [Finding] {
        let places = socket.wantedSockets.joined(separator: " or ")
        guard let client = socket.localNode else {
            return [
                Finding(
                    "node", .wrong, "none listens on \(places)",
                    mend:
                        "lockstep up, or systemctl --user start lockstep-node (of the machine: sudo systemctl start …)")
            ]
        }
        do {
            let (status, nodes) = (try await client.status(), try await client.nodes())
            return [
                Finding("node", .ok, "\(status.node), in the space \(status.space)"),
                status.linked ? Finding("broker", .ok, "the node is connected") : await Self.noBroker(client),
            ] + Self.problems(status) + Self.clocks(status, nodes) + [Self.debt(status, nodes, hasLedger: hasLedger)]
        } catch {
            return [Finding("node", .wrong, "\(error)", mend: "end it and start it again; its log may say why")]
        }
    }

    /// The command that shows what a service logged: of a person's installation, and of the machine's.
    static func log(of unit: String) -> String {
        "journalctl --user -u \(unit) (where it is the machine's: sudo journalctl -u \(unit))"
    }

    /// Tells a node that was given no broker from one that does not reach its own.
    private static func noBroker(_ client: ControlClient) async -> Finding {
        struct Seen: Error {}
        var worksAlone = false
        try? await client.views { view in
            worksAlone = view.worksAlone
            throw Seen()
        }
        guard !worksAlone else {
            return Finding(
                "broker", .absent, "none is set, so sessions stay on this machine: LOCKSTEP_BROKER in node.env")
        }
        return Finding(
            "broker", .wrong, "the node is not connected; sessions go on here alone",
            mend: "the node's log says why: \(Self.log(of: "lockstep-node")); then LOCKSTEP_BROKER in node.env")
    }

    private static func clocks(_ status: StatusReport, _ nodes: NodesReport) -> [Finding] {
        var wrong: [Finding] = []
        if status.clock?.wrong == true {
            let ahead = status.clockAhead ?? 0
            wrong.append(
                Finding(
                    "clocks", .wrong,
                    "this machine's is \((Int(abs(ahead)) / 1_000).inWords) \(ahead < 0 ? "behind" : "ahead of") the space's",
                    mend: "set it, or have it set: timedatectl set-ntp true"))
        }
        // A node that is away does no harm, and cannot be looked at.
        let others = nodes.nodes.filter { $0.online && !$0.isSelf && $0.state == "clockWrong" }.map(\.node)
        if !others.isEmpty {
            wrong.append(
                Finding(
                    "clocks", .wrong, "not that of this node on \(others.joined(separator: ", "))",
                    mend: "where it is wrong, set it, or have it set: timedatectl set-ntp true"))
        }
        return wrong.isEmpty ? [Finding("clocks", .ok, "they agree")] : wrong
    }

    /// What `lockstep-debt` says of the ledger, which it alone can read.
    private static func ledger(_ options: LedgerOptions) async -> [Finding] {
        let program = Sibling.path(of: "lockstep-debt")
        guard access(program, X_OK) == 0 else {
            return [Finding("ledger", .absent, "lockstep-debt is not installed here")]
        }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program)), arguments: Arguments(["examine"] + options.arguments), input: .none,
                output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
            if let findings = try? JSONDecoder().decode([Finding].self, from: Data(result.standardOutput.utf8)) {
                return findings
            }
            let reason = result.standardError.split(whereSeparator: \.isNewline).joined(separator: " ")
            return [Finding("ledger", .wrong, reason, mend: "Config/debt.env says what its settings take")]
        } catch {
            return [Finding("ledger", .wrong, "\(program) cannot be run: \(error)", mend: "install Lockstep again")]
        }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
