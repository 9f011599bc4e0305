// SPDX-License-Identifier: Apache-2.0

import API
import Display
import FoundationEssentials
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Session
import Support
import Synchronization
import Testing
import Wire

@testable import Web

@Suite(.timeLimit(.minutes(15))) struct RemoteTests {
    private struct Overview: Decodable {
        struct Offer: Decodable {
            var text: String
            var detail: String
            var request: StartRequest
            var lasts: Int64?
        }

        struct Machine: Decodable {
            var name: String
            var texts: [String]
            var isWrong: Bool
            var isOwner: Bool
        }

        struct Day: Decodable {
            var name: String
            var done: String
        }

        var mayPress: Bool
        var take: String?
        var again: [Offer]
        var presets: [Offer]
        var machines: [Machine]
        var days: [Day]
        var words: [String: Word]

        struct Word: Decodable { init(from decoder: any Decoder) throws {} }
    }

    private static let noon: GroupTime = 1_798_545_600_000  // 2026-12-29, 12:00 in universal time

    private static func bearer(_ key: String) -> HTTPFields { [.authorization: "Bearer \(key)"] }

    private static func overview(
        of node: FakeNode, key: String = AuthMiddlewareTests.control, _ query: String = "?lang=en"
    ) async throws -> Overview {
        var overview: Overview?
        try await AuthMiddlewareTests.with(node) { client in
            let answer = try await client.get("/v1/overview\(query)", bearer(key))
            #expect(answer.status == .ok)
            #expect(answer.headers[.cacheControl] == "no-store")
            overview = try JSONDecoder().decode(Overview.self, from: Data(answer.body.readableBytesView))
        }
        return try #require(overview)
    }

    private static func register(
        _ id: String, title: String = "Reading", owner: NodeID = FakeNode.node, at time: GroupTime, minutes: Int64 = 30
    ) throws -> Register {
        let id = try #require(SessionID(id))
        var register = makeRegister(
            [Phase(kind: .focus, seconds: 7_200)], status: .stopped, label: Label(name: "Study", colour: .grey),
            title: title)
        (register.id, register.lineage, register.owner) = (id, id, owner)
        register.stamp = Stamp(time: time, counter: 0, node: owner)
        (register.startedAt, register.anchor.at) = (time, time)
        register.runs = [Run(phase: 0, from: time, to: time + .minutes(minutes))]
        return register
    }

    @Test func shellIsSmallAndComplete() async throws {
        let worker = try Project.read("Sources/Web/Remote/remote-worker.js")
        let list = try #require(worker.firstMatch(of: /shell = \[([^\]]*)\]/)).output.1
        let names = list.matches(of: /"([^"]+)"/).map { String($0.output.1) }
        let page = try Project.read("Sources/Web/Remote/remote.html")
        for file in page.matches(of: /(?:href|src)="([^"]+\.(?:css|js|woff2))"/) {
            #expect(names.contains(String(file.output.1)), "\(file.output.1) is not kept")
        }
        try await AuthMiddlewareTests.with { client in
            var weight = 0
            for name in Set(names + RemoteRoutes.pathsWithoutKey.map { String($0.dropFirst()) }) {
                let answer = try await client.get("/\(name)", Self.bearer(AuthMiddlewareTests.view))
                #expect(answer.status == .ok, "\(name)")
                weight += answer.body.readableBytes
            }
            #expect(weight <= 150_000, "\(weight)")
            #expect(try await client.get("/remote").status == .unauthorized)
            for path in RemoteRoutes.pathsWithoutKey {
                #expect(try await client.get(path).status == .ok, "\(path)")
            }
            let wrong = try await client.get("/remote?theme=pink", Self.bearer(AuthMiddlewareTests.view))
            #expect(wrong.status == .unprocessableContent)
        }
    }

    @Test func overviewAndTimelineRefuseAnUnknownValueOfControls() async throws {
        try await AuthMiddlewareTests.with { client in
            for path in [RemoteRoutes.overviewPath, "/v1/timeline"] {
                let wrong = try await client.get("\(path)?controls=maybe", Self.bearer(AuthMiddlewareTests.control))
                #expect(wrong.status == .unprocessableContent, "\(path)")
                #expect(String(buffer: wrong.body).contains(#""field":"controls""#), "\(path)")
            }
        }
    }

    @Test func lastFourDifferentSessionsAreOfferedAgain() async throws {
        let node = FakeNode()
        node.groupTime.withLock { $0 = Self.noon }
        let titles = ["Reading", "Writing", "Reading", "Emails", "", "Walk"]
        let sessions = try titles.enumerated().map { index, title in
            RecentSession(
                try Self.register("s-\(index)", title: title, at: Self.noon - .minutes(60 * Int64(index + 1))),
                at: Self.noon)
        }
        node.recent.withLock { $0 = sessions }
        node.presets.withLock {
            $0 = [
                Preset(
                    name: "pomodoro",
                    plan: [.init(kind: .focus, seconds: 1_500), .init(kind: .shortBreak, seconds: 300)] + [
                        .init(kind: .focus, seconds: 1_500)
                    ])
            ]
        }
        let overview = try await Self.overview(of: node)
        #expect(overview.mayPress)
        #expect(overview.again.map(\.text) == ["Reading", "Writing", "Emails", "Study"])
        #expect(overview.again.first?.detail == "120 min")
        #expect(overview.again.first?.request.title == "Reading")
        #expect(overview.again.first?.request.phases == [PhaseRequest(kind: "focus", seconds: 7_200)])
        #expect(overview.presets.map(\.text) == ["25 min", "Count up", "pomodoro"])
        #expect(overview.presets.last?.detail == "2 × 25 min")
        #expect(overview.days.map(\.name) == ["Today"])
        #expect(overview.days.first?.done == "3h00m")
    }

    @Test func aStoppedSessionIsOfferedForTenMinutes() async throws {
        let node = FakeNode()
        var stopped = try Self.register("s-1", at: Self.noon - .minutes(30))
        stopped.anchor.elapsed = .minutes(30)
        node.recent.withLock { [stopped] in $0 = [RecentSession(stopped, at: Self.noon)] }
        node.groupTime.withLock { $0 = Self.noon + .minutes(9) }
        let offer = try #require(try await Self.overview(of: node).again.first)
        #expect(offer.text == "Go on with Reading")
        #expect(offer.detail == "1:30:00 left")
        #expect(offer.request == StartRequest(again: true))
        #expect(offer.lasts == 60_000)
        node.groupTime.withLock { $0 += .minutes(1) }
        #expect(try await Self.overview(of: node).again.map(\.text) == ["Reading"])
        var rest = try Self.register("s-2", at: Self.noon)
        rest.status = .completed
        rest.plan[0].seconds = 5_400
        node.recent.withLock { [rest] in $0.insert(RecentSession(rest, at: Self.noon), at: 0) }
        #expect(try await Self.overview(of: node).again.map(\.detail) == ["120 min"])
    }

    @Test func aStartThatCannotBeResolvedSaysWhy() async throws {
        let node = FakeNode()
        func start(_ body: String) async throws -> (HTTPResponse.Status, ReplyReport) {
            var found: (HTTPResponse.Status, ReplyReport)?
            try await AuthMiddlewareTests.with(node) { client in
                var headers = Self.bearer(AuthMiddlewareTests.control)
                headers[.contentType] = "application/json"
                let answer = try await client.post("/v1/start", body, headers)
                found = (answer.status, try ReplyReport(encoded: Array(answer.body.readableBytesView)))
            }
            return try #require(found)
        }
        let (status, late) = try await start(#"{"until":"25:00"}"#)
        #expect(status == .unprocessableContent)
        #expect(late.field == "until")
        #expect(late.outcome == .invalid)
        let (unknown, preset) = try await start(#"{"preset":"nowhere"}"#)
        #expect(unknown == .notFound)
        #expect(preset.field == "preset")
        #expect(preset.outcome == .invalid)
        #expect(try await start(#"{"until":"14:30","seconds":60}"#).1.field == "plan")
        #expect(try await start(#"{"again":true,"title":"x"}"#).1.field == "again")
        let (missing, none) = try await start(#"{"again":true}"#)
        #expect(missing == .notFound)
        #expect(none.outcome == .noSession)
        #expect(none.reason == "this node has seen no session that was stopped; start one with lockstep start")
        #expect(node.asked.withLock(\.self) == [])
    }

    @Test func machinesAreDescribed() async throws {
        let node = FakeNode()
        let desk = try #require(NodeID("kitchen"))
        var register = try Self.register("s-1", owner: desk, at: Self.noon)
        register.status = .running
        node.groupTime.withLock { $0 = Self.noon }
        node.view.withLock { [register] in $0 = View(register: register, anchorBoot: 1_000, isLinked: true) }
        node.nodesReport.withLock {
            $0 = NodesReport([
                NodeReport("desk", isOnline: true, isSelf: true),
                NodeReport("kitchen", isOnline: true, isClockWrong: true),
                NodeReport("pi", isOnline: false, lastHeard: Self.noon - 120_000),
            ])
        }
        let overview = try await Self.overview(of: node)
        #expect(overview.machines.map(\.name) == ["desk", "kitchen", "pi"])
        #expect(overview.machines.map(\.isOwner) == [false, true, false])
        #expect(overview.machines.map(\.isWrong) == [false, true, false])
        #expect(
            overview.machines.map(\.texts) == [
                ["Connected"], ["Owns the session", "Clock wrong"], ["Last heard 2 min ago"],
            ])
    }

    @Test func noOtherMachineCountsAsConnectedWhileTheNodeIsNot() async throws {
        let node = FakeNode()
        node.groupTime.withLock { $0 = Self.noon }
        node.nodesReport.withLock {
            $0 = NodesReport([
                NodeReport("desk", isOnline: false, isSelf: true),
                NodeReport("pi", isOnline: true, isHeard: false, lastHeard: Self.noon - 120_000),
            ])
        }
        let overview = try await Self.overview(of: node)
        #expect(overview.machines.map(\.texts) == [["Offline"], ["Last heard 2 min ago"]])
    }

    @Test(arguments: [
        (AuthMiddlewareTests.view, "", false), (AuthMiddlewareTests.control, "&controls=0", false),
        (AuthMiddlewareTests.control, "", true),
    ])
    func aPageThatOnlyLooksKnowsIt(key: String, query: String, mayPress: Bool) async throws {
        #expect(try await Self.overview(of: FakeNode(), key: key, "?lang=en\(query)").mayPress == mayPress)
    }

    /// A kiosk page offers presets if its key may press and it has buttons.
    @Test(arguments: [("1", AccessLevel.control, 4), ("on", .control, 4), ("", .control, 0), ("1", .view, 0)])
    func presetsAreOfferedWhileThereIsNoSession(controls: String, access: AccessLevel, count: Int) async throws {
        let node = FakeNode()
        node.presets.withLock {
            $0 = (1...6).map { Preset(name: "p\($0)", plan: [Phase(kind: .focus, seconds: 60)]) }
        }
        let options = try EventStreams.StreamOptions(
            controls.isEmpty ? [:] : ["controls": controls], header: "en", access: access)
        let channel = NIOAsyncTestingChannel()
        #expect(await EventStreams(node: node).join(options, as: .local, on: channel) != nil)
        guard case .body(let event) = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) else {
            Issue.record("the first event is not a timeline")
            return
        }
        let text = String(buffer: event)
        #expect(text.matches(of: /"op":"start"/).count == count)
        #expect(text.contains(#"{"op":"start","start":{"preset":"p1"},"text":"p1"}"#) == (count > 0), "\(text)")
    }
}
