// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct ScreenTests {
    @Test func everyStatusHasAText() {
        let text = { (kind: PhaseKind, status: Status) in
            Screen(makeView(makeRegister([Phase(kind: kind, seconds: 60)], status: status)), at: 0, face: .focus)
                .stateText
        }
        #expect(text(.focus, .running) == "Focus in progress")
        #expect(text(.focus, .paused) == "Focus paused")
        #expect(text(.shortBreak, .running) == "Break in progress")
        #expect(text(.longBreak, .running) == "Break in progress")
        #expect(text(.focus, .ready) == "Focus is next")
        #expect(text(.focus, .completed) == "Completed")
        #expect(text(.focus, .stopped) == "")
        #expect(text(.focus, .superseded) == "Session ended by a later start")
    }

    @Test func laterStartIsNamedWithNodeAndTime() throws {
        var register = makeRegister(status: .superseded)
        register.supersededBy = Superseder(
            session: try #require(SessionID("S2")), node: try #require(NodeID("kitchen-pi")), at: 1_800_000_000_000)
        let options = ScreenOptions(utcOffset: { _ in 6 * 3_600 + 5 * 60 })
        let screen = Screen(makeView(register), at: 0, face: .focus, options: options)
        #expect(screen.stateText == "Ended by a later start on kitchen-pi, 14:05")
    }

    @Test func staleAndLostLinkGiveNotices() {
        let stale = Screen(makeView(makeRegister(), lostAt: 0, isLinked: false), at: 45_000, face: .focus)
        #expect(stale.notices.map(\.text) == ["Last heard 45 s ago · desk", "Not connected"])
        #expect(stale.isStale)
        #expect(stale.time == "24:15")
        let minutes = Screen(makeView(makeRegister(), lostAt: 0), at: 240_000, face: .focus)
        #expect(minutes.notices.map(\.text) == ["Last heard 4 min ago · desk"])
        var options = ScreenOptions()
        options.isClockWrong = true
        let wrong = Screen(makeView(makeRegister()), at: 0, face: .focus, options: options)
        #expect(wrong.notices.map(\.text) == ["Clock wrong"])
    }

    @Test func nodeWithoutABrokerHasNoLostLink() {
        var alone = ScreenOptions()
        alone.worksAlone = true
        #expect(Screen(makeView(nil, isLinked: false), at: 0, face: .focus, options: alone).notices.isEmpty)
        #expect(Screen(makeView(makeRegister(), isLinked: false), at: 0, face: .focus, options: alone).notices.isEmpty)
        let stale = Screen(
            makeView(makeRegister(), lostAt: 0, isLinked: false), at: 45_000, face: .focus, options: alone)
        #expect(stale.notices.map(\.text) == ["Last heard 45 s ago · desk"])
    }

    @Test func takeoverGivesANotice() throws {
        var register = makeRegister()
        register.continues = Continuation(
            node: try #require(NodeID("kitchen-pi")), epoch: 1, rev: 4, at: 1_800_000_000_000)
        func notices(on node: String?) -> [Screen.Notice] {
            let options = ScreenOptions(node: node.flatMap { NodeID($0) }, utcOffset: { _ in 6 * 3_600 + 5 * 60 })
            return Screen(makeView(register), at: 0, face: .focus, options: options).notices
        }
        for node in ["desk", "hall", nil] {
            #expect(
                notices(on: node) == [.init(kind: .tookOver, text: .userText("desk took over from kitchen-pi, 14:05"))])
        }
        #expect(notices(on: "kitchen-pi") == [.init(kind: .moved, text: .userText("Moved to desk, 14:05"))])
    }

    @Test func approximateTimeIsMarked() {
        let time = { (error: Milliseconds?, face: Face) in
            Screen(makeView(makeRegister(), error: error), at: 0, face: face).time
        }
        #expect(time(250, .focus) == "25:00")
        #expect(time(251, .focus) == "≈25:00")
        #expect(time(nil, .focus) == "≈25:00", "the error is unknown")
        #expect(time(nil, .boring) == "25:00", "it shows only the time")
        let paused = Screen(makeView(makeRegister(status: .paused), error: nil), at: 0, face: .focus)
        #expect(paused.time == "25:00", "it stands still everywhere")
        let long = Screen(
            makeView(makeRegister([Phase(kind: .focus, seconds: 5_400)]), error: nil), at: 0, face: .focus)
        #expect(long.times == ["≈1:30:00", "≈90:00", "≈1h30"])
    }

    @Test func phaseIndicatorCountsItsKind() {
        let work = Phase(kind: .work, seconds: 40)
        let rest = Phase(kind: .rest, seconds: 20)
        let plan = [work, rest, work, rest, work]
        #expect(Screen(makeView(makeRegister(plan, phase: 2)), at: 0, face: .focus).phaseIndicator == "Work 2/3")
        #expect(Screen(makeView(makeRegister(plan, phase: 3)), at: 0, face: .focus).phaseIndicator == "Rest 2/2")
        #expect(Screen(makeView(makeRegister()), at: 0, face: .focus).phaseIndicator == nil)
    }

    @Test func phasesFaceNamesAKindThatOccursOnce() {
        let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 300)]
        func screen(_ phase: Int, face: Face, title: String = "") -> Screen {
            Screen(makeView(makeRegister(plan, phase: phase, title: title)), at: 0, face: face)
        }
        #expect(screen(0, face: .phases, title: "Reading").indicatorBelowHeading == "Focus")
        #expect(screen(1, face: .phases, title: "Reading").indicatorBelowHeading == "Break")
        #expect(screen(1, face: .phases).phaseIndicator == "Break")
        #expect(screen(1, face: .phases).indicatorBelowHeading == nil, "the state text is “Break in progress” already")
        #expect(screen(1, face: .focus, title: "Reading").phaseIndicator == nil, "its state text says it")
    }

    @Test func breakHasItsTintDespiteALabel() {
        let label = Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF))
        let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .longBreak, seconds: 300)]
        for face in [Face.focus, .calm, .phases] {
            let focus = Screen(makeView(makeRegister(plan, label: label)), at: 0, face: face)
            let rest = Screen(makeView(makeRegister(plan, phase: 1, label: label)), at: 0, face: face)
            #expect(focus.tint == label.colour)
            #expect(rest.tint == NamedColours.rest)
            #expect(rest.label == label, "the tag keeps its colour")
        }
    }

    @Test(arguments: ["nope", "DANGER", "a", "1", "##", "📚📖", "hour glass", "📚x"])
    func unknownIconIsTheDrawingOfThePhase(icon: String) {
        var register = makeRegister()
        register.icon = icon
        let screen = Screen(makeView(register), at: 0, face: .focus)
        #expect(screen.emoji == nil)
        #expect(screen.icon == .hourglass)
        #expect(!Icon.canDraw(icon))
    }

    @Test(arguments: ["📚", "☕️", "✏", "👩‍💻", "🇩🇪", "1️⃣", "👍🏽"]) func emojiIsShown(icon: String) {
        var register = makeRegister()
        register.icon = icon
        #expect(Screen(makeView(register), at: 0, face: .focus).emoji == icon)
        #expect(Icon.canDraw(icon))
    }

    @Test func progressAndEndAreShown() {
        let screen = Screen(makeView(makeRegister()), at: 375_000, face: .focus)
        #expect(screen.progress == 0.25)
        #expect(screen.endsAt == "ends 08:25")
        #expect(Screen(makeView(makeRegister(status: .paused)), at: 0, face: .focus).endsAt == nil)
    }

    @Test func anEndHalfADayAwayNamesItsDay() {
        let long = makeView(makeRegister([Phase(kind: .focus, seconds: 54_000)]))
        let options = ScreenOptions(utcOffset: { _ in -3_600 })
        // The session began on Friday, 15 January 2027, at 07:00.
        #expect(Screen(long, at: 0, face: .focus, options: options).endsAt == "ends Fri 22:00")
        #expect(Screen(long, at: 10_800_000, face: .focus, options: options).endsAt == "ends Fri 22:00")
        #expect(Screen(long, at: 10_801_000, face: .focus, options: options).endsAt == "ends 22:00")
    }

    @Test func completionDisappears() {
        let done = makeView(makeRegister(status: .completed, elapsed: 1_500_000))
        #expect(Screen(done, at: 4_999, face: .focus).time == "00:00")
        #expect(Screen(done, at: 5_000, face: .focus).isIdle)
    }

    @Test func screenFollowsTheLanguage() throws {
        let file = """
            {"language": "de", "name": "Deutsch", "direction": "ltr", "strings": {"pause": "Anhalten", "unknown": "?",
            "lastHeardSeconds": {"one": "vor einer Sekunde gehört", "other": "vor {count} s gehört"}}}
            """
        let strings = try Strings(catalogue: Array(file.utf8))
        let options = ScreenOptions(strings: strings)
        #expect(
            Screen(makeView(makeRegister()), at: 0, face: .focus, options: options).buttons.first?.text == "Anhalten")
        let stale = Screen(makeView(makeRegister(), lostAt: 0), at: 45_000, face: .focus, options: options)
        #expect(stale.notices.first?.text == "vor 45 s gehört · desk")
        #expect(stale.stateText == "Focus in progress")
    }

    @Test func everyBraceIsKnown() {
        let known: Set = [
            "node", "from", "time", "count", "index", "total", "phase", "percent", "event", "day", "month",
            "done", "goal", "size", "command", "name",
        ]
        for key in Strings.Key.allCases {
            let values = Dictionary(uniqueKeysWithValues: known.map { ($0, "" as Localized) })
            #expect(!Strings.english.text(key, values).description.contains("{"), "\(key)")
        }
        let odd = Strings(language: "en", isRightToLeft: false, entries: [.stop: .text("a {b} {time")])
        #expect(odd.text(.stop, ["time": "x"]) == "a {b} {time")
    }
}
