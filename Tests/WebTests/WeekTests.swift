// SPDX-License-Identifier: Apache-2.0

import API
import HTTPTypes
import NIOCore
import Session
import Support
import Synchronization
import Testing
import Wire

@testable import Web

/// The week page, as rendered from the feeds of the services.
@Suite(.timeLimit(.minutes(15))) struct WeekTests {
    private static let monday: GroupTime = 1_798_416_000_000  // 2026-12-28 in universal time
    private static let hour: Milliseconds = 3_600_000
    private static let study = Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF))

    private static func date(_ text: String) throws -> CivilDate { try #require(CivilDate(text)) }

    private static func feed(until: GroupTime? = nil, done: Milliseconds = hour, at: GroupTime = monday + 26 * hour)
        throws -> DebtFeed
    {
        let week = DebtWeek(
            name: "2026-W53", from: monday, to: monday + 168 * hour, goal: 420, done: done,
            days: [done, 0, 0, 0, 0, 0, 0], streak: 1, labels: [DebtWeek.LabelSum(label: nil, done: done)], calm: 85,
            until: until, first: try date("2026-12-28"), today: 1)
        return DebtFeed(minutes: 420 - Int(done.count / 60_000), at: at, week: week)
    }

    private static func year() throws -> DebtYear {
        DebtYear(
            first: try date("2025-12-29"), days: Array(repeating: 0, count: 363) + [90],
            calm: Array(repeating: nil, count: 51) + [60], at: monday)
    }

    /// A running session with a label.
    private static func session() -> View {
        var register = makeRegister([Phase(kind: .focus, seconds: 7_200)], label: study, title: "Reading")
        (register.stamp.time, register.startedAt, register.anchor.at) = (monday, monday, monday)
        register.runs = [Run(phase: 0, from: monday)]
        return View(register: register, anchorBoot: 1_000, error: ErrorBound(), isLinked: true)
    }

    private static func page(
        _ feeds: [Feed], at time: GroupTime, view: View = View(isLinked: true), worksAlone: Bool = false,
        _ query: String = "?lang=en", key: String = AuthMiddlewareTests.view
    ) async throws -> String {
        let node = FakeNode()
        node.groupTime.withLock { $0 = time }
        node.view.withLock { $0 = view }
        node.worksAlone.withLock { $0 = worksAlone }
        for feed in feeds { _ = node.feeds.withLock { $0.take(feed) } }
        var html = ""
        try await AuthMiddlewareTests.with(node) { client in
            let answer = try await client.get("/week\(query)", [.authorization: "Bearer \(key)"])
            #expect(answer.status == .ok)
            #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
            #expect(answer.headers[.cacheControl] == "no-store")
            html = String(buffer: answer.body)
        }
        return html
    }

    @Test func pageShowsTheNumbersOfTheFeeds() async throws {
        let html = try await Self.page(
            [.debt(try Self.feed()), .debtYear(try Self.year())], at: Self.monday + 30 * Self.hour)
        for text in [
            "-6h0m", "60m of 7h00m", "1 day in a row", "Calm 85%", "28 Dec – 3 Jan", "As of 06:00",
            "<bdi>21 Dec</bdi></th><td><bdi>90m</bdi></td><td><bdi>60%<",
        ] { #expect(html.contains(text), "\(text)") }
        #expect(!html.contains("class=\"notice\""))
    }

    /// The page adds it without news from the service. It counts for today, the label of the session, and the streak.
    @Test func runningTimeIsAdded() async throws {
        let feed = try Self.feed(until: Self.monday + 28 * Self.hour)
        let html = try await Self.page(
            [.debt(feed)], at: Self.monday + 26 * Self.hour + .minutes(45), view: Self.session())
        for text in [
            "-5h15m", "105m of 7h00m", "2 days in a row", "<bdi>Tue 29 Dec</bdi></th><td><bdi>45m<",
            "<bdi>Study</bdi></th><td><bdi>45m<", "<bdi>No label</bdi></th><td><bdi>60m<",
        ] { #expect(html.contains(text), "\(text)") }
        let later = try await Self.page([.debt(feed)], at: Self.monday + 40 * Self.hour)
        #expect(later.contains("<bdi>Tue 29 Dec</bdi></th><td><bdi>2h00m<"), "no longer than it runs")
    }

    @Test func missingDataIsReported() async throws {
        #expect(try await Self.page([], at: Self.monday).contains("no debt service counts it"))
        let onlyMinutes = DebtFeed(minutes: 5, at: Self.monday)
        #expect(try await Self.page([.debt(onlyMinutes)], at: Self.monday).contains("no debt service counts it"))
        let feed = Feed.debt(try Self.feed())
        #expect(try await Self.page([feed], at: Self.monday + 53 * Self.hour).contains("Last heard 27 h ago"))
        let fresh = Feed.debt(try Self.feed(at: Self.monday + 167 * Self.hour))
        #expect(try await Self.page([fresh], at: Self.monday + 168 * Self.hour + 60_000).contains("Last heard 1 h ago"))
        #expect(try await Self.page([fresh], at: Self.monday + 168 * Self.hour, view: View()).contains("Not connected"))
        let alone = try await Self.page([fresh], at: Self.monday + 168 * Self.hour, view: View(), worksAlone: true)
        #expect(!alone.contains("Not connected"))
    }

    /// Any client of a broker without passwords can publish such a feed.
    @Test(arguments: [GroupTime(1), 7_000_000_000_000])
    func aFeedThatWasComputedOutsideOfItsWeekIsShown(time: GroupTime) async throws {
        var feed = try Self.feed(at: time)
        feed.week?.today = nil
        feed.week?.days = [0]
        #expect(try await Self.page([.debt(feed)], at: Self.monday).contains("7h00m"))
    }

    /// The ledger is an hour east of the node, where the next day has begun.
    @Test func whoMayPressCanAddASession() async throws {
        var feed = try Self.feed()
        feed.week?.offset = 3_600
        feed.week?.labels = [DebtWeek.LabelSum(label: Self.study, done: Self.hour)]
        let (news, key) = ([Feed.debt(feed)], AuthMiddlewareTests.control)
        let html = try await Self.page(news, at: Self.monday + 47 * Self.hour + 1, key: key)
        #expect(html.contains("type=\"date\" required min=\"2026-01-01\" max=\"2026-12-30\" value=\"2026-12-30\""))
        #expect(html.contains("<option value=\"Study\">"))
        for (query, key) in [("?lang=en", AuthMiddlewareTests.view), ("?lang=en&controls=0", key)] {
            #expect(!(try await Self.page(news, at: Self.monday, query, key: key)).contains("<form"))
        }
        #expect(!(try await Self.page([], at: Self.monday, key: key)).contains("<form"), "nothing would count it")
    }

    @Test func anAddedSessionHasTheTimesOfTheLedger() async throws {
        let node = FakeNode()
        node.groupTime.withLock { $0 = Self.monday + 12 * Self.hour }
        var feed = try Self.feed()
        feed.week?.offset = 3_600
        feed.week?.labels = [DebtWeek.LabelSum(label: Self.study, done: Self.hour)]
        _ = node.feeds.withLock { [feed] in $0.take(.debt(feed)) }
        try await AuthMiddlewareTests.with(node) { client in
            func post(_ json: String, _ key: String = AuthMiddlewareTests.control) async throws -> RouteClient.Answer {
                try await client.post(
                    "/v1/debt", json, [.authorization: "Bearer \(key)", .contentType: "application/json"])
            }
            _ = try await post(#"{"title":" Reading ","label":"Study","from":"09:00","to":"09:50"}"#)
            let from = Self.monday + 8 * Self.hour
            #expect(node.asked.withLock(\.self) == ["add Reading Study \(from) \(from + .minutes(50))"])
            let late = try await post(#"{"from":"12:30","to":"13:30"}"#)
            #expect(late.status == .unprocessableContent)
            #expect(try JSON(Array(late.body.readableBytesView)).field == "to")
            #expect(try await post(#"{"from":"09:00","to":"09:50"}"#, AuthMiddlewareTests.view).status == .forbidden)
            node.saveFailure.withLock { $0 = "no space left" }
            let unsaved = try await post(#"{"from":"09:00","to":"09:50"}"#)
            #expect(unsaved.status == .serviceUnavailable)
            #expect(String(buffer: unsaved.body).contains("is not saved: no space left"))
        }
    }

    @Test func addressParametersAreApplied() async throws {
        let feed = Feed.debt(try Self.feed())
        let html = try await Self.page([feed], at: Self.monday, "?lang=ar&theme=light")
        #expect(html.contains("<html lang=\"ar\" dir=\"rtl\" class=\"light\">"))
        try await AuthMiddlewareTests.with { client in
            let bearer: HTTPFields = [.authorization: "Bearer \(AuthMiddlewareTests.view)"]
            #expect(try await client.get("/week?theme=pink", bearer).status == .unprocessableContent)
            let paired = try await client.get("/week?key=\(AuthMiddlewareTests.view)")
            #expect(paired.status == .seeOther)
            #expect(paired.headers[.location] == "/week")
            for name in ["week.css", "week.js"] {
                #expect(try await client.get("/\(name)", bearer).status == .ok)
            }
        }
    }
}
