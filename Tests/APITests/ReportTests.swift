// SPDX-License-Identifier: Apache-2.0

import API
import FoundationEssentials
import Session
import Support
import Testing
import Wire

@Suite("Reports for scripts", .timeLimit(.minutes(15)))
struct ReportTests {
    private static let statusFields: Set<String> = [
        "space", "node", "linked", "linkProblem", "linkFault", "status", "session", "lineage", "owner", "isOwner",
        "title", "icon",
        "label",
        "mode", "autoAdvance", "plan", "phase", "currentPhase", "activityName", "startTime", "elapsedSeconds",
        "totalSeconds", "calmPercent", "isRunning", "remainingSeconds", "endsAt", "endsAtISO", "stale", "staleSince",
        "errorBound", "supersededBy", "continues", "revision", "epoch", "stamp", "clock", "clockAhead", "timeFrom",
        "approximate", "last", "calmTrend", "debtMinutes", "debtAt", "debtBy", "problems",
        "alarm", "overSeconds", "message", "messageUntil",
    ]

    private func status(_ view: View, boot: BootTime) throws -> StatusReport {
        let instant = Instant(boot: boot, wall: WallTime(Fixtures.now.milliseconds))
        return StatusReport(
            view: view, space: SpaceID.home, node: try Fixtures.node("hall"), at: instant,
            groupTime: Fixtures.now + (boot - 438_500))
    }

    private func fields(_ report: some Described) throws -> [String: JSON] {
        try JSONDecoder().decode([String: JSON].self, from: Data(report.encoded))
    }

    @Test func idleReportNamesEveryField() throws {
        let report = try status(View(isOwner: true, isLinked: true), boot: 500_000)
        let fields = try fields(report)
        #expect(Set(fields.keys) == Self.statusFields)
        #expect(fields["status"] == .string("idle"))
        #expect(fields["linked"] == .bool(true))
        #expect(fields["isOwner"] == .bool(false))
        #expect(fields["plan"] == .array([]))
        for key in ["session", "owner", "phase", "remainingSeconds", "endsAt", "calmPercent", "stamp", "activityName"] {
            #expect(fields[key] == .null, "\(key)")
        }
    }

    @Test func updatedReportIsThatOfTheLaterView() throws {
        let running = View(register: try Fixtures.register(), anchorBoot: 500_000, isLinked: true)
        var ended = running
        (ended.register, ended.isLinked) = (nil, false)
        let base = try status(View(isLinked: true), boot: 500_000)
        for (view, boot) in [(running, 510_250), (running, 513_250), (ended, 520_000)] as [(View, BootTime)] {
            // `status` has group time go with the boot clock, and the wall clock stand still.
            let ahead = 438_500 - boot
            let instant = Instant(boot: boot, wall: WallTime(Fixtures.now.milliseconds))
            let updated = base.updated(NodeView(view, clockAhead: ahead), at: instant)
            #expect(updated == (try status(view, boot: boot)))
        }
    }

    @Test func countdownReportHasItsTimes() throws {
        let view = View(register: try Fixtures.register(), anchorBoot: 500_000, isLinked: true)
        let report = try status(view, boot: 510_250)
        #expect(report.status == "running")
        #expect(report.isRunning)
        #expect(report.elapsedSeconds == 71)
        #expect(report.remainingSeconds == 1_429)
        #expect(report.totalSeconds == 1_500)
        #expect(report.endsAt == Fixtures.now + 1_500_000)
        #expect(report.endsAtISO == "2027-01-15T08:25:00.000Z")
        #expect(report.currentPhase?.index == 0)
        #expect(report.currentPhase?.count == 2)
        #expect(report.currentPhase?.remainingSeconds == 1_429)
        #expect(report.label?.colour == "#4c8dff")
        #expect(report.revision == 3)
        #expect(report.stamp?.node.rawValue == "desk")
        #expect(!report.stale)
        #expect(Set(try fields(report).keys) == Self.statusFields)
        #expect(try StatusReport(encoded: report.encoded) == report)
    }

    @Test func staleSinceIsInGroupTime() throws {
        let view = View(register: try Fixtures.register(), anchorBoot: 500_000, contactLostAt: 505_000)
        #expect(try status(view, boot: 534_999).stale == false)
        let report = try status(view, boot: 540_000)
        #expect(report.stale)
        #expect(report.staleSince == Fixtures.now + 505_000 - 438_500)
    }

    /// A script can rely on the reported time within this bound.
    @Test func errorBoundGrowsWithDrift() throws {
        func bound(_ error: ErrorBound?, shown: Milliseconds = 0, boot: BootTime) throws -> Int? {
            let view = View(
                register: try Fixtures.register(), anchorBoot: 500_000, shownSinceAnchor: shown, error: error)
            let report = try status(view, boot: boot)
            #expect(try fields(report)["errorBound"] == report.errorBound.map { .number(Int64($0)) } ?? .null)
            return report.errorBound
        }
        #expect(try bound(nil, boot: 510_000) == nil, "the error is unknown")
        #expect(try bound(ErrorBound(), boot: 510_000) == 0, "the owner's own time")
        #expect(try bound(ErrorBound(size: 12), boot: 910_000) == 12)
        let measured = ErrorBound(size: 12, at: 510_000)
        #expect(try bound(measured, boot: 510_000) == 12)
        #expect(try bound(measured, boot: 520_000) == 14, "200 ppm")
        #expect(
            try bound(ErrorBound(size: 12), shown: 10_030, boot: 510_000) == 42, "the countdown stands still")
        #expect(try status(View(error: measured), boot: 510_000).errorBound == nil, "idle")
    }

    @Test func countUpHasNoEnd() throws {
        var register = try Fixtures.register()
        register.mode = .countup
        register.plan = [Phase(kind: .focus, seconds: 54_000)]
        let report = try status(View(register: register, anchorBoot: 500_000), boot: 501_000)
        #expect(report.elapsedSeconds == 62)
        #expect(report.totalSeconds == nil)
        #expect(report.remainingSeconds == nil)
        #expect(report.endsAt == nil)
    }

    @Test func endedSessionIsIdleAfterFiveSeconds() throws {
        var register = try Fixtures.register()
        register.status = .completed
        register.runs = []
        let view = View(register: register, anchorBoot: 500_000)
        #expect(try status(view, boot: 504_999).status == "completed")
        #expect(try status(view, boot: 505_000).status == "idle")
        register.status = .stopped
        #expect(try status(View(register: register, anchorBoot: 500_000), boot: 500_000).status == "idle")
    }

    @Test func nodesAreAnArrayInOrder() throws {
        let presence = try Fixtures.presence()
        let rows = [
            NodeReport("hall", isOnline: false, dropped: [.malformed: 2]),
            NodeReport(
                "desk", presence: presence, isOnline: true, lastHeard: 7, recordsWaiting: 2,
                isSelf: true),
            NodeReport("attic", presence: presence, isOnline: true, isClockWrong: true),
        ]
        let report = NodesReport(rows)
        #expect(report.nodes.map(\.node) == ["attic", "desk", "hall"])
        #expect(report.nodes.map(\.state) == [.clockWrong, .online, .unknown])
        let bytes = report.encoded
        #expect(bytes.first == UInt8(ascii: "["))
        #expect(try NodesReport(NodesReport.format.value(of: bytes)) == report)
        let row = try #require(try JSONDecoder().decode([[String: JSON]].self, from: Data(bytes)).last)
        #expect(row["dropped"] == .object(["malformed": .number(2)]))
        #expect(row["lastHeard"] == .null)
        #expect(row["recordsWaiting"] == .null)
        #expect(row.count == 14)
    }

    @Test func nodeReportsCarryTheClockQuality() throws {
        var presence = try Fixtures.presence()
        presence.isSleeping = true
        for quality in [
            ClockQuality(isSynced: true, bound: 12), ClockQuality(isSynced: false),
            ClockQuality(isSynced: false, isWrong: true),
        ] {
            presence.clock = quality
            let row = NodeReport("hall", presence: presence, isOnline: false)
            let bytes = NodesReport([row]).encoded
            let said = try #require(try JSONDecoder().decode([[String: JSON]].self, from: Data(bytes)).first)
            #expect(
                said["clock"]
                    == .object([
                        "synced": .bool(quality.isSynced), "bound": quality.bound.map { .number($0.count) } ?? .null,
                        "wrong": .bool(quality.isWrong),
                    ]))
            #expect(said["state"] == .string("sleeping"))
            #expect(try NodesReport.format.value(of: bytes).first?.clock == ClockReport(quality))
        }
    }

    @Test func replyReportCarriesOutcomeAndReason() throws {
        let session: SessionID = try Fixtures.token("s-1")
        let by = Superseder(session: try Fixtures.token("s-2"), node: try Fixtures.node("hall"), at: 5)
        let answer = Answer(
            intent: try Fixtures.token("i"), outcome: .refused(.superseded), session: session, rev: 4, by: by)
        let refused = ReplyReport(.answered(answer))
        #expect(refused.outcome == .refused)
        #expect(refused.reason == "superseded")
        #expect(refused.by?.node.rawValue == "hall")
        #expect(refused.session == "s-1")
        #expect(refused.rev == 4)
        #expect(ReplyReport(.noAnswer(session)).outcome == .noAnswer)
        #expect(ReplyReport(.noSession).outcome == .noSession)
        let invalid = ReplyReport(.invalid("title"))
        #expect(invalid.outcome == .invalid)
        #expect(invalid.field == "title")
        #expect(
            String(decoding: invalid.encoded, as: UTF8.self)
                == #"{"outcome":"invalid","reason":null,"by":null,"session":null,"rev":null,"#
                + #""field":"title","problem":null}"#)
        #expect(try ReplyReport(encoded: refused.encoded) == refused)
    }

    @Test(
        arguments: [
            ("127.0.0.1", "127.0.0.1", "http", "http"), ("127.0.0.1", "0.0.0.0", "https", "http"),
            ("0.0.0.0", "127.0.0.1", "http", "http"), ("0.0.0.0", "0.0.0.0", "https", "http"),
            (nil, "::", "https", "https"),
            (nil, "127.0.0.1", "https", "https"), ("0.0.0.0", nil, "http", "http"),
        ] as [(String?, String?, String, String)])
    func linksUseHTTPSWhereOthersReachIt(plain: String?, secure: String?, forOthers: String, here: String) throws {
        func isLoopback(_ host: String?) -> Bool { host == nil || host == "127.0.0.1" }
        let report = KioskReport(
            host: plain, port: plain.map { _ in 80 }, isLoopback: isLoopback(plain),
            https: secure.map { HTTPSReport(host: $0, port: 443, isLoopback: isLoopback($0), authority: nil) },
            machine: "pi")
        #expect(report.pageForOthers?.scheme == forOthers)
        #expect(report.pageHere?.scheme == here)
        #expect(try KioskReport(encoded: report.encoded) == report)
        #expect(KioskReport(machine: "pi").pageForOthers == nil)
    }

    @Test func originOfAnIPv6AddressHasBrackets() throws {
        let report = KioskReport(host: "::", port: 80, isLoopback: false, machine: "pi")
        let page = try #require(report.pageForOthers)
        #expect(page.origin(at: "fd00::1") == "http://[fd00::1]:80")
        #expect(page.origin(at: "pi.local") == "http://pi.local:80")
    }
}
