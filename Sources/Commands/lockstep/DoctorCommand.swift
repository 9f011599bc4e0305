// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import FoundationEssentials
import Glibc
import Joining
import Platform
import Session
import Settings

/// `lockstep doctor`: looks for faults, and suggests fixes.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check settings, node, broker, clocks, pages and ledger, and suggest fixes.",
        discussion: """
            Each line begins with ok, WRONG, or - for what is not there or not known. Exit code 0 without WRONG, else 3. \
            With --broker it says what that broker can do and what this means for Lockstep, and checks nothing else.
            """)

    @OptionGroup var socket: SocketOptions

    @OptionGroup(title: "Which ledger")
    var ledger: LedgerOptions

    @OptionGroup(title: "Which broker")
    var broker: BrokerOptions

    @Option(help: "With --broker: another member of its cluster; may be given more than once.")
    var member: [String] = []
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard broker.arguments.isEmpty, member.isEmpty else { return try await examineBroker() }
        let ledger = await ledgerFindings()
        let hasLedger = ledger.contains { $0.check == "ledger" && $0.state != .absent }
        try show([settings()] + (await nodeFindings(hasLedger: hasLedger)) + ledger)
    }

    /// Prints the findings of `lockstep-node`, which has the MQTT client, about a broker.
    private func examineBroker() async throws {
        let arguments = ["doctor"] + broker.arguments + member.flatMap { ["--member", $0] }
        let result = try await Child.run(
            CompanionExecutable.path(of: "lockstep-node"), arguments.map { LineText(showing: $0) },
            seconds: Self.timeout, showsErrors: true)
        if result.code != 0 { throw ExitCode(result.code) }
        try show(ReportJSON.decode(from: Array(result.output.utf8)))
    }

    /// The seconds that another program has for its findings.
    private static let timeout = 1_800

    private func show(_ findings: [Finding]) throws {
        if output.json { print(CommandOutput.json(findings)) } else { findings.forEach(Self.show) }
        if findings.contains(where: { $0.state == .wrong }) { throw ExitStatus.refused.code }
    }

    private static func show(_ finding: Finding) {
        let mark =
            switch finding.state {
            case .ok: "ok"
            case .absent: "-"
            case .wrong: "WRONG"
            }
        print("\(mark.padded(6))\(finding.check.padded(14))\(finding.found)")
        if let fix = finding.fix { print("\("".padded(20))→ \(fix)") }
    }

    // MARK: Settings

    /// Reads the settings files as the node does, and names the first bad line.
    private func settings() -> Finding {
        let (installation, wanted) = (Self.installation, socket.wantedSockets)
        let sockets =
            socket.localNode.map { [$0.path] } ?? (installation.hasPersonJoined ? wanted : wanted.reversed())
        guard let socket = sockets.first(where: { !installation.settingsFiles(ofNodeAt: $0).isEmpty }) else {
            return Finding("settings", .ok, "no file: the node has its command line, environment and defaults")
        }
        let files = installation.settingsFiles(ofNodeAt: socket)
        let readable = files.filter { access($0, R_OK) == 0 }
        let isMachine = socket == Installation.machineSocket
        // Other users may not read the files that the values name.
        let isWhole = readable == files && (!isMachine || geteuid() == 0)
        do throws(SettingError) {
            var values = SettingValues()
            for file in readable { try values.fill(file: file) }
            if isWhole {
                _ = try NodeSettings(values, environment: isMachine ? [:] : ProcessInfo.processInfo.environment)
            }
        } catch {
            let restart = installation.restartCommand(ofNodeAt: socket)
            return Finding("settings", .wrong, "\(error)", fix: "correct it, then \(restart)")
        }
        let rest = isWhole ? "" : "; sudo lockstep doctor reads all of them, and checks the values"
        return Finding("settings", .ok, "in \(files.joined(separator: ", "))\(rest)")
    }

    // MARK: The node

    private func nodeFindings(hasLedger: Bool) async -> [Finding] {
        guard let client = socket.localNode else {
            if let closed = socket.closedSocket {
                return [
                    Finding(
                        "node", .wrong, "only members of its group may use \(closed)", fix: SocketOptions.groupAdvice)
                ]
            }
            return [
                Finding(
                    "node", .wrong, "no node listens on \(socket.wantedSockets.joined(separator: " or "))",
                    fix: Self.installation.adviceWithoutNode)
            ]
        }
        do {
            let (status, nodes, kiosk) = (
                try await client.status(), try await client.nodes(), try await client.kiosk()
            )
            let broker =
                status.linked
                ? Finding("broker", .ok, "the node is connected") : await noBroker(client, status)
            return [
                Finding("node", .ok, "\(status.node), in the space \(status.space)"), broker,
            ] + secondNode(client) + Self.problems(status) + Self.pages(kiosk, status) + Self.names(nodes)
                + Self.clocks(status, nodes)
                + [debt(status, nodes, client, hasLedger: hasLedger)] + waitingRecords(nodes, client)
        } catch {
            let restart = Self.installation.restartCommand(ofNodeAt: client.path)
            return [
                Finding("node", .wrong, "\(error)", fix: "\(restart); its log: \(log(of: "lockstep-node", client))")
            ]
        }
    }

    /// Returns the command that prints the log of a service beside the node of a client.
    private func log(of unit: String, _ client: ControlClient) -> String {
        Self.installation.logCommand(of: unit, ofNodeAt: client.path)
    }

    /// Distinguishes a node without a broker from a node that cannot reach its broker.
    private func noBroker(_ client: ControlClient, _ status: StatusReport) async -> Finding {
        let installation = Self.installation
        let file = installation.brokerSettings(ofNodeAt: client.path)
        guard (try? await client.view())?.worksAlone != true else {
            return Finding(
                "broker", .absent,
                "none is set, so sessions stay on this machine: sudo lockstep join, or LOCKSTEP_BROKER in \(file)")
        }
        let reason = status.linkProblem.map { ": \($0)" } ?? ""
        let key = status.linkFault == .tls ? "LOCKSTEP_TLS_CA" : "LOCKSTEP_BROKER"
        return Finding(
            "broker", .wrong, "the node is not connected, and sessions go on here alone\(reason)",
            fix: status.linkFault == .login
                ? file.hasSuffix("/joined.env")
                    ? "sudo lockstep members on the broker's machine lists who is revoked; to join again: "
                        + "\(installation.leaveCommand(ofNodeAt: client.path)), then a new invitation"
                    : "check the user in LOCKSTEP_BROKER and the password in LOCKSTEP_PASSWORD_FILE, in \(file) or as the "
                        + "node was started"
                : "check \(key) in \(file) or as the node was started, and on the broker's machine systemctl status "
                    + "mosquitto and the firewall; the node's log: \(log(of: "lockstep-node", client))")
    }

    private static var installation: Installation { Installation(environment: ProcessInfo.processInfo.environment) }

    /// Names a second node of this machine, which other commands or other people use.
    private func secondNode(_ client: ControlClient) -> [Finding] {
        let otherSockets = socket.wantedSockets.filter { $0 != client.path && Installation.isInUse($0) }
        return otherSockets.map { other in
            Finding(
                "second node", .wrong, "another node listens on \(other), and commands use that on \(client.path)",
                fix: "end one of them: Ctrl-C for lockstep up, lockstep leave --user, or sudo lockstep leave")
        }
    }

    private static func problems(_ status: StatusReport) -> [Finding] {
        let found = status.problems.map { problem in
            Finding(problem.kind.check, problem.kind.isMinor ? .absent : .wrong, problem.text, fix: problem.fix)
        }
        guard !status.problems.contains(where: { $0.kind == .unsaved }) else { return found }
        return [Finding("disk", .ok, "the node's changes are saved")] + found
    }

    /// Names the addresses at which browsers open the node's pages; none if it serves none.
    private static func pages(_ kiosk: KioskReport, _ status: StatusReport) -> [Finding] {
        guard let here = kiosk.pageHere, let others = kiosk.pageForOthers,
            !status.problems.contains(where: { $0.kind == .noPage })
        else { return [] }
        let local = "\(kiosk.origin(of: here, host: nil, local: true))/ on this machine"
        let remote = "; \(kiosk.origin(of: others, host: nil))/ on others, by a link of lockstep kiosk or phone add"
        return [Finding("pages", .ok, local + (others.isLoopback ? "" : remote))]
    }

    /// Warns when the space has nearly as many known nodes as it has room for. Further ones would not be heard.
    private static func names(_ nodes: NodesReport) -> [Finding] {
        let known = nodes.nodes.count { $0.node != NodesReport.strangers }
        guard known > Limits.nodes * 9 / 10 else { return [] }
        let online = nodes.nodes.count(where: \.online)
        return [
            Finding(
                "nodes", .wrong, "\(known) are known, \(online) of them online; a space has room for \(Limits.nodes)",
                fix: "remove those that are gone, on the broker's machine: sudo lockstep revoke NAME; or use two spaces"
            )
        ]
    }

    private static func clocks(_ status: StatusReport, _ nodes: NodesReport) -> [Finding] {
        var wrong: [Finding] = []
        if status.clock?.wrong == true {
            let ahead = status.clockAhead ?? 0
            let source = nodes.nodes.first { $0.node == status.timeFrom }
            let size = PlanParser.text(ofSeconds: Int(ahead.magnitude.count) / 1_000)
            let difference =
                "this machine's clock is \(size) \(ahead < 0 ? "behind" : "ahead of") the time of the space"
            let origin = source.map { ", which is that of \($0.node)" } ?? ""
            wrong.append(
                Finding(
                    "clocks", .wrong, difference + origin,
                    fix: "set it, or let NTP set it: timedatectl set-ntp true"))
        }
        // A node that is offline does no harm, and its clock cannot be set now.
        let others = nodes.nodes.filter { $0.online && !$0.isSelf && $0.state == .clockWrong }.map(\.node)
        if !others.isEmpty {
            wrong.append(
                Finding(
                    "clocks", .wrong, "these differ from this node's clock: \(others.joined(separator: ", "))",
                    fix: "set the wrong clock, or let NTP set it: timedatectl set-ntp true"))
        }
        return wrong.isEmpty ? [Finding("clocks", .ok, "they agree")] : wrong
    }

    // MARK: The ledger

    /// Judges the retained debt, which is right only while the debt service is online and has published lately.
    private func debt(
        _ status: StatusReport, _ nodes: NodesReport, _ client: ControlClient, hasLedger: Bool
    ) -> Finding {
        let check = "weekly debt"
        let fix = "read the service's log: \(log(of: "lockstep-debt", client))"
        guard let minutes = status.debtMinutes else {
            guard hasLedger else {
                return Finding(check, .absent, "not measured: \(Self.installation.adviceWithoutLedger)")
            }
            return Finding(
                check, .wrong, "there is a ledger here, but the node receives no week from the debt service",
                fix: "\(fix); its broker and space must be those of the node")
        }
        guard status.linked else { return Finding(check, .absent, "unknown: no connection to the broker") }
        let age = status.debtAt.map {
            max(0, GroupTime(SystemClock.wallMilliseconds()) - (status.clockAhead ?? 0) - $0)
        }
        let update = age.map { ", last update \(PlanParser.text(ofSeconds: Int($0.count) / 1_000)) ago" } ?? ""
        let source = status.debtBy.map { " from the service \($0)" } ?? ""
        let heard = "\(DebtText.text(minutes: minutes)) received\(source)\(update)"
        if let name = status.debtBy, nodes.nodes.contains(where: { $0.node == name && !$0.online }) {
            return Finding(
                check, .wrong, "\(heard); its service \(name) is offline",
                fix:
                    "on its machine: sudo systemctl start lockstep-debt (your own: systemctl --user start lockstep-debt)"
            )
        }
        if let age, age > Feeds.longestSilence {
            return Finding(check, .wrong, "\(heard): this is older than a day; the service publishes daily", fix: fix)
        }
        guard status.debtBy == nil else { return Finding(check, .ok, heard) }
        return Finding(check, .absent, "\(heard); source unknown: a debt service of this version names itself")
    }

    /// Names the sessions of this node that no ledger has acknowledged.
    private func waitingRecords(_ nodes: NodesReport, _ client: ControlClient) -> [Finding] {
        guard let count = nodes.nodes.first(where: \.isSelf)?.recordsWaiting, count > 0 else { return [] }
        let found =
            count == 1
            ? "1 session of this node waits on disk for a debt service"
            : "\(count) sessions of this node wait on disk for a debt service"
        return [
            Finding(
                "records", .absent, found,
                fix: "if one runs, the node's log says what it refused: \(log(of: "lockstep-node", client))")
        ]
    }

    /// The findings of `lockstep-debt`, which alone can read the ledger.
    private func ledgerFindings() async -> [Finding] {
        let name = "lockstep-debt"
        guard CompanionExecutable.isInstalled(name) else {
            return [Finding("ledger", .absent, "\(name) is not installed here")]
        }
        let program = CompanionExecutable.path(of: name)
        do {
            let arguments = ["examine"] + ledger.arguments
            let result = try await Child.run(
                program, arguments.map { LineText(showing: $0) }, seconds: Self.timeout)
            if let findings: [Finding] = try? ReportJSON.decode(from: Array(result.output.utf8)) {
                return findings
            }
            let reason = result.errors.split(whereSeparator: \.isNewline).joined(separator: " ")
            return [
                Finding(
                    "ledger", .wrong, reason,
                    fix: "debt.env, in /etc/lockstep or in Config of the sources, says what its settings take")
            ]
        } catch {
            return [Finding("ledger", .wrong, "\(error)", fix: "install Lockstep again")]
        }
    }
}

extension ProblemReport.Kind {
    fileprivate var check: String {
        switch self {
        case .unsaved: "disk"
        case .sameID: "node id"
        case .tooLarge: "messages"
        case .notGranted: "rights"
        case .noPage: "page"
        case .noSuspendLock: "suspend"
        case .noAlert: "alerts"
        case .standsBy: "plain topics"
        }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
