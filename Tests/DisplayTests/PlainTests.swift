// SPDX-License-Identifier: Apache-2.0

import API
import FoundationEssentials
import Session
import Support
import Testing
import Wire

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct PlainTests {
    private let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]

    private func shown(_ register: Register?, lostAt: BootTime? = nil, isReadOnly: Bool = false) -> DisplaySnapshot {
        let node = NodeView(makeView(register, lostAt: lostAt), isReadOnly: isReadOnly)
        return DisplaySnapshot(node, boot: 0, groupTime: 0, feeds: Feeds(), utcOffset: { _ in 0 })
    }

    private func report(
        _ register: Register?, at boot: BootTime = 0, lostAt: BootTime? = nil, draft: String = "",
        showsProgress: Bool = false
    ) -> PlainReport {
        PlainReport(
            shown(register, lostAt: lostAt), at: boot, online: 2, draft: draft, showsProgress: showsProgress)
    }

    private func text(_ topic: PlainTopic, of report: PlainReport) -> String {
        String(decoding: report.payload(of: topic), as: UTF8.self)
    }

    // MARK: Topics

    @Test func aRunningSessionHasAnEndAndNoRest() {
        let register = makeRegister(plan, label: Label(name: "Study", colour: .grey), title: "Reading")
        let running = report(register)
        let texts = [PlainTopic.state, .title, .label, .phase, .owner, .nodes].map { text($0, of: running) }
        #expect(texts == ["running", "Reading", "Study", "focus", register.owner.rawValue, "2"])
        let end = try? Date(text(.endsAt, of: running), strategy: .iso8601).timeIntervalSince1970
        #expect(end == (Double(register.endsAt?.milliseconds ?? 0) / 1_000).rounded())
        #expect(text(.remaining, of: running) == "")
        #expect(text(.progress, of: running) == "")
        #expect(running.can.contains("break"))
        #expect(!running.can.contains("resume"))
    }

    @Test func aPausedSessionHasARestAndNoEnd() {
        let paused = report(makeRegister(plan, status: .paused, elapsed: 5_000))
        #expect(text(.state, of: paused) == "paused")
        #expect(text(.remaining, of: paused) == "1495")
        #expect(text(.endsAt, of: paused) == "")
        #expect(paused.can.first == "resume")
    }

    @Test func withoutASessionTextsAreEmpty() throws {
        let idle = report(nil, draft: "Essay")
        #expect(text(.state, of: idle) == "idle")
        for topic in [PlainTopic.title, .label, .phase, .owner, .endsAt, .remaining, .calm, .debt, .streak] {
            #expect(text(topic, of: idle) == "", "\(topic)")
        }
        #expect(text(.draft, of: idle) == "Essay")
        #expect(idle.can == ["start"])
        let json = try JSON(idle.payload(of: .json))
        let topics = Set(PlainTopic.allCases.map(\.rawValue)).subtracting(["json"])
        #expect(json.keys == topics.union(["alarm", "can", "session"]))
        let values: [String: JSON] = [
            "state": "idle", "draft": "Essay", "remaining": .null, "nodes": 2, "alarm": false, "can": ["start"],
            "session": "",
        ]
        for (name, value) in values { #expect(json[name] == value, "\(name)") }
    }

    @Test func aSilentOwnerMakesItStaleByTimeAlone() {
        let register = makeRegister(plan)
        #expect(text(.state, of: report(register, at: 29_999, lostAt: 0)) == "running")
        #expect(text(.state, of: report(register, at: 30_000, lostAt: 0)) == "stale")
        let next = PlainReport.nextChange(of: shown(register, lostAt: 0), after: 10_000, showsProgress: false)
        #expect(next == 30_000)
    }

    @Test func progressIsOfFullMinutes() {
        let register = makeRegister(plan)
        #expect(text(.progress, of: report(register, at: 119_000, showsProgress: true)) == "4")
        #expect(text(.progress, of: report(register, at: 120_000, showsProgress: true)) == "8")
        let next = PlainReport.nextChange(of: shown(register), after: 61_000, showsProgress: true)
        #expect(next == 120_000)
    }

    @Test func aDisplayOffersNoCommand() {
        let report = PlainReport(
            shown(makeRegister(plan), isReadOnly: true), at: 0, online: 1, draft: "", showsProgress: false)
        #expect(report.can == [])
    }

    // MARK: Commands

    private func command(_ text: String) throws -> PlainCommand { try PlainCommand(Array(text.utf8)) }

    private func problem(_ text: String) -> PlainCommand.ReadError? {
        do throws(PlainCommand.ReadError) { _ = try PlainCommand(Array(text.utf8)) } catch { return error }
        return nil
    }

    @Test(arguments: [
        ("pause", PlainCommand.Action.press(Press(.pause))), ("resume", .press(Press(.resume))),
        ("stop", .press(Press(.stop))), ("skip", .press(Press(.skip))), ("break", .press(Press(.startBreak))),
        ("focus", .press(Press(.startFocus))), (" extend 60\n", .press(Press(.extend(seconds: 60)))),
        ("extend -60", .press(Press(.extend(seconds: -60)))), ("extend", .press(Press(.extend(seconds: 60)))),
        ("toggle", .toggle), ("take", .take), ("ok", .acknowledge),
        (#"{"op":"start","title":"Essay","for":"25m"}"#, .start(StartRequest(title: "Essay", seconds: 1_500))),
        (#"{"op":"start","preset":"deep","alarm":true}"#, .start(StartRequest(preset: "deep", alarm: true))),
        (#"{"op":"title","title":" Essay "}"#, .title("Essay")),
        (#"{"op":"extend","seconds":300}"#, .press(Press(.extend(seconds: 300)))),
    ])
    func everyCommandIsRead(text: String, action: PlainCommand.Action) throws {
        #expect(try command(text).action == action)
        #expect(try command(text).id == nil)
    }

    @Test(arguments: [
        ("", "op"), ("boom", "op"), ("extend much", "op"), ("pause now", "op"), ("extend 0", "seconds"),
        ("correct", "op"), ("{", ""), (#"{"id":"a","op":7}"#, "op"), (#"{"id":"a"}"#, "op"),
        (#"{"id":"a","op":"extend","seconds":"x"}"#, "seconds"), (#"{"id":"a","op":"pause","seconds":60}"#, "seconds"),
        (#"{"id":"a","op":"pause","title":"x"}"#, "op"), (#"{"id":"a","op":"pause","for":"1m"}"#, "for"),
        (#"{"id":"a","op":"start","for":"soon"}"#, "for"), (#"{"id":"a","op":"start","wrong":1}"#, "wrong"),
        (#"{"id":"a","op":"title"}"#, "title"), (#"{"id":"a","op":"title","title":"a\u0007"}"#, "title"),
        (#"{"id":"","op":"pause"}"#, "id"),
    ])
    func aBadCommandNamesItsField(text: String, field: String) throws {
        let problem = try #require(self.problem(text))
        #expect(problem.error.field == field)
        #expect(problem.id == (text.contains(#""id":"a""#) ? "a" : nil))
    }

    @Test func aCommandThatIsTooLongIsRefused() {
        #expect(problem(String(repeating: " ", count: Limits.payloadBytes) + "x")?.error.field == "")
    }

    // MARK: The turn

    private func node(_ id: String) throws -> NodeID { try #require(NodeID(id)) }

    @Test func aNodeServesIfNobodySaysThatItDoes() throws {
        let (desk, pi) = (try node("desk"), try node("pi"))
        var turn = PlainTurn(desk)
        #expect(turn.handle(.connected) == [.ask])
        #expect(!turn.hasWill)
        #expect(turn.handle(.question(desk)) == [])
        #expect(turn.handle(.timeUp) == [.reconnect])
        #expect(turn.hasWill)
        #expect(turn.handle(.disconnected) == [])
        #expect(turn.handle(.connected) == [.claim, .publish])
        #expect(turn.handle(.question(pi)) == [.claim])
        #expect(turn.handle(.server(desk)) == [])
        #expect(turn.handle(.disconnected) == [])
        #expect(turn.handle(.connected) == [.ask], "another node may serve meanwhile")
    }

    @Test func aNodeStandsByUntilTheServerIsGone() throws {
        let (desk, pi) = (try node("desk"), try node("pi"))
        var turn = PlainTurn(desk)
        _ = turn.handle(.connected)
        #expect(turn.handle(.server(pi)) == [])
        #expect(turn.state == .standingBy(pi))
        #expect(turn.handle(.timeUp) == [])
        #expect(turn.handle(.question(pi)) == [])
        #expect(turn.handle(.gone) == [.reconnect])
        #expect(turn.handle(.connected) == [.claim, .publish])
    }

    @Test func ofTwoThatServeTheSmallerIDStays() throws {
        let (desk, pi) = (try node("desk"), try node("pi"))
        var (first, second) = (PlainTurn(desk), PlainTurn(pi))
        for event in [PlainTurn.Event.connected, .timeUp, .connected] {
            _ = first.handle(event)
            _ = second.handle(event)
        }
        #expect(first.handle(.server(pi)) == [.claim])
        #expect(second.handle(.server(desk)) == [.reconnect])
        #expect(!second.hasWill)
    }

    // MARK: Home Assistant

    @Test func theDescriptionsForHomeAssistantAreTheKeptOnes() throws {
        let home = HomeAssistant(space: SpaceID.home, presets: ["pomodoro", "deep"], version: "0.1.0")
        let kept = try JSON(Array(Project.read("Tests/DisplayTests/Discovery/home.json").utf8))
        #expect(home.discovery.keys.sorted() == kept.keys.sorted())
        for (topic, payload) in home.discovery { #expect(try JSON(payload) == kept[topic], "\(topic)") }
    }
}
