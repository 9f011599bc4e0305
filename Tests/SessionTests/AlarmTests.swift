// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Session

/// Alarms, overtime, and what people say to all nodes.
@Suite(.timeLimit(.minutes(15))) struct AlarmTests {
    private static let minute: Milliseconds = .minutes(1)

    private static func rig(
        _ text: String = "focus 25m, shortBreak 5m", alarm: Bool = true, overtime: Bool = false,
        mode: Mode = .countdown, autoAdvance: Bool = false
    ) -> EngineHarness {
        var rig = EngineHarness().linked()
        rig.ticket += 1
        let start = Start(
            mode: mode, plan: plan(text), autoAdvance: autoAdvance, hasAlarm: alarm, hasOvertime: overtime)
        rig.send(.start(start, id: token("S1"), ticket: rig.ticket))
        return rig
    }

    private static func ok(_ rig: inout EngineHarness) -> IntentOutcome? {
        rig.ticket += 1
        rig.send(.acknowledge(id: token("A\(rig.ticket)"), ticket: rig.ticket))
        return outcome(rig.replies[rig.ticket])
    }

    private static func say(_ rig: inout EngineHarness, _ text: String, for life: Milliseconds = minute) -> Reply? {
        rig.ticket += 1
        rig.send(.say(text, for: life, id: token("W\(rig.ticket)"), ticket: rig.ticket))
        return rig.replies[rig.ticket]
    }

    private static func notices(_ rig: EngineHarness) -> [Notice] {
        rig.published.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    // MARK: Alarms

    @Test func alarmRingsForFiveMinutesAndWaitsUntilAPersonEndsIt() {
        var rig = Self.rig()
        rig.pass(25 * 60_000 - 1)
        #expect(rig.moment?.alarm == nil)
        rig.pass(1)
        #expect(rig.moment?.alarm?.isRinging == true)
        #expect(rig.moment?.alarm?.groupTime == EngineHarness.epoch + 25 * Self.minute)
        rig.pass(Limits.alarmRings - 1)
        #expect(rig.moment?.alarm?.isRinging == true)
        rig.pass(1)
        #expect(rig.moment?.alarm?.isRinging == false)
        #expect(Self.ok(&rig) == .applied)
        #expect(rig.moment?.alarm == nil)
        #expect(rig.moment?.register.status == .ready, "it changes no session")
        #expect(Self.ok(&rig) == .noop)
        #expect(Self.notices(rig).last?.acknowledgement?.lineage == token("S1"))
    }

    @Test func sessionWithoutAlarmHasNone() {
        var rig = Self.rig(alarm: false)
        rig.pass(25 * 60_000)
        #expect(rig.moment?.alarm == nil)
    }

    @Test(arguments: [nil, false] as [Bool?]) func settingOfTheNodeIsForStartsThatDoNotSay(alarm: Bool?) {
        var rig = EngineHarness(defaults: SessionDefaults(hasAlarm: true))
        rig.send(.start(Start(plan: plan("focus 25m"), hasAlarm: alarm), id: token("S1"), ticket: 1))
        #expect(rig.own?.hasAlarm == (alarm ?? true))
    }

    @Test func phaseThatFollowsByItselfRaisesNone() {
        var rig = Self.rig(autoAdvance: true)
        rig.pass(26 * 60_000)
        #expect(rig.moment?.alarm == nil)
        rig.pass(4 * 60_000)
        #expect(rig.moment?.register.status == .completed)
        #expect(rig.moment?.alarm != nil)
    }

    @Test(arguments: [IntentOperation.startBreak, .skip, .stop]) func pressOfWhatComesNextEndsTheAlarm(
        operation: IntentOperation
    ) {
        var rig = Self.rig()
        rig.pass(26 * 60_000)
        #expect(rig.moment?.alarm != nil)
        rig.press(operation)
        #expect(rig.moment?.alarm == nil)
    }

    @Test func completedSessionIsShownAsLongAsItsAlarmWaits() {
        var rig = Self.rig("focus 25m")
        rig.pass(25 * 60_000 + 3_600_000)
        #expect(rig.moment?.register.status == .completed)
        #expect(Self.ok(&rig) == .applied)
        #expect(rig.moment == nil)
    }

    /// Each device computes the alarm, and one notice ends it on all.
    @Test func alarmOfADeadOwnerIsEndedByAnotherNode() {
        var register = peerRegister()
        register.hasAlarm = true
        var rig = EngineHarness().linked().besideKitchen(register)
        rig.hear(.presence(presence("k1", online: false)), from: "kitchen")
        rig.pass(25 * 60_000)
        let due = EngineHarness.epoch + 25 * Self.minute
        #expect(rig.moment?.alarm?.isRinging == true)
        rig.hear(.notice(Notice(acknowledgement: Acknowledgement(lineage: token("P1"), at: due - 1))), from: "attic")
        #expect(rig.moment?.alarm != nil, "an earlier alarm was ended")
        rig.hear(.notice(Notice(acknowledgement: Acknowledgement(lineage: token("P2"), at: due))), from: "attic")
        #expect(rig.moment?.alarm != nil, "it is of another session")
        rig.hear(.notice(Notice(acknowledgement: Acknowledgement(lineage: token("P1"), at: due + 1))), from: "attic")
        #expect(rig.moment?.alarm == nil)
    }

    // MARK: Overtime

    @Test func phaseWithOvertimeGoesOnUntilAPersonEndsIt() {
        var rig = Self.rig(overtime: true, autoAdvance: true)
        rig.pass(25 * 60_000 + 2_500)
        #expect(rig.moment?.register.status == .running)
        #expect(rig.moment?.over == 2_500)
        #expect(rig.moment?.shownSeconds == 2)
        #expect(rig.moment?.remaining == 0)
        #expect(rig.moment?.alarm?.isRinging == true)
        rig.press(.pause)
        #expect(rig.own?.anchor.elapsed == 25 * Self.minute)
        #expect(rig.own?.anchor.over == 2_500)
        #expect(rig.moment?.alarm == nil, "the press has ended it")
        rig.pass(60_000)
        rig.press(.resume)
        rig.pass(1_000)
        #expect(rig.moment?.over == 3_500)
        rig.press(.startBreak)
        #expect(rig.moment?.over == 0)
        #expect(rig.own?.runs.first?.length == 25 * Self.minute + 2_500)
        #expect(rig.records.last?.over == 3_500)
        #expect(rig.own?.invalidField == nil)
    }

    @Test func forgottenOvertimeEndsAfterTwelveHours() {
        var rig = Self.rig(overtime: true, autoAdvance: true)
        rig.pass(25 * 60_000 + Limits.overtime - 1)
        #expect(rig.own?.status == .running)
        rig.pass(1)
        #expect(rig.own?.status == .ready, "the next phase waits")
        #expect(rig.records.last?.over == Limits.overtime)
    }

    /// Seconds that pass, the press behind them, and the overtime in the record then, in milliseconds.
    typealias Presses = [(Int64, IntentOperation, Milliseconds)]

    @Test(
        arguments: [
            [(1_620, .startBreak, 120_000), (330, .stop, 150_000)],
            // An early end makes up for nothing.
            [(600, .startBreak, 0), (330, .stop, 30_000)],
            // Pauses do not count.
            [(600, .pause, 0), (2_400, .resume, 0), (910, .pause, 10_000), (60, .resume, 10_000), (5, .stop, 15_000)],
            // An extension turns overtime into planned time.
            [(1_510, .extend(seconds: 60), 0), (0, .pause, 0), (0, .resume, 0), (55, .stop, 5_000)],
            [(1_499, .stop, 0)],
        ] as [Presses])
    func recordAddsUpTheOvertimeOfAllPhases(presses: Presses) {
        var rig = Self.rig(overtime: true)
        for (seconds, press, over) in presses {
            rig.pass(.seconds(seconds))
            rig.press(press)
            #expect(rig.records.last?.over == over)
        }
        #expect(rig.records.last?.runs.last?.to != nil)
    }

    @Test func openRunOfARecordEndsAtTheLimitOfOvertime() {
        var rig = Self.rig(overtime: true)
        rig.pass(25 * 60_000 + 10_000)
        rig.press(.correct(title: "Reading"))
        let record = rig.records.last
        #expect(record?.title == "Reading")
        #expect(record?.runs.last.map { $0.to == nil } == true)
        #expect(record?.endsAt == EngineHarness.epoch + 25 * Self.minute + Limits.overtime)
        #expect(record?.over == 0)
    }

    @Test func countUpHasNoOvertime() {
        var rig = Self.rig(overtime: true, mode: .countup)
        rig.pass(15 * 3_600_000)
        #expect(rig.own?.status == .completed)
        #expect(rig.records.last?.over == 0)
    }

    // MARK: Less time

    @Test func timeThatIsTakenAwayReducesWhatWasAdded() {
        var rig = Self.rig()
        rig.press(.extend(seconds: 120))
        rig.press(.extend(seconds: -60))
        #expect(rig.own?.plan[0].added == 60)
        rig.press(.extend(seconds: -300))
        #expect(rig.own?.plan[0].added == 0)
        #expect(rig.own?.plan[0].seconds == 1_500 + 120 - 60 - 300)
    }

    // MARK: Messages

    @Test func laterMessageIsShownUntilItEnds() {
        var rig = EngineHarness().linked()
        _ = Self.say(&rig, "Dinner")
        #expect(rig.engine.view.message?.text == "Dinner")
        let said = Self.notices(rig).last?.message
        let early = ScreenMessage(text: "Breakfast", at: rig.told - 1_000, until: rig.told + 60_000)
        rig.hear(.notice(Notice(message: early)), from: "attic")
        #expect(rig.engine.view.message == said)
        rig.pass(60_000)
        #expect(rig.engine.view.message == nil)
    }

    @Test func messageOfAnotherNodeIsTakenBack() {
        var rig = EngineHarness().linked()
        // Its clock is ahead a little.
        let theirs = ScreenMessage(text: "Dinner", at: rig.told + 2_000, until: rig.told + 60_000)
        rig.hear(.notice(Notice(message: theirs)), from: "attic")
        #expect(rig.engine.view.message == theirs)
        _ = Self.say(&rig, "")
        #expect(rig.engine.view.message == nil)
        rig.hear(.notice(Notice(message: theirs)), from: "attic")
        #expect(rig.engine.view.message == nil)
    }

    /// Such a notice would outlast all later messages.
    @Test func noticeThatIsAheadWaitsForItsTime() {
        var rig = EngineHarness().linked()
        let at = rig.told + Limits.stampLead + 1
        rig.hear(.notice(Notice(message: ScreenMessage(text: "Ha", at: at, until: at + 60_000))), from: "attic")
        #expect(rig.engine.view.message == nil)
        _ = Self.say(&rig, "Dinner")
        #expect(rig.engine.view.message?.text == "Dinner")
        rig.pass(1)
        #expect(rig.engine.view.message?.text == "Ha")
    }

    @Test func messageThatIsNotCleanOrTooLongIsRefused() {
        var rig = EngineHarness().linked()
        #expect(Self.say(&rig, "a\u{7}") == .invalid("message"))
        #expect(Self.say(&rig, String(repeating: "x", count: 161)) == .invalid("message"))
        #expect(Self.say(&rig, "Dinner", for: Limits.messageLife + 1) == .invalid("for"))
        #expect(Self.notices(rig).isEmpty)
    }

    @Test func displayMayNeitherSpeakNorEndAnAlarm() {
        var rig = EngineHarness(role: .display, mayPress: false).linked()
        #expect(Self.say(&rig, "Dinner") == .notPermitted)
        #expect(Self.ok(&rig) == nil)
    }

    @Test func noticeIsPublishedOnEachConnectionBehindTheBarrier() {
        var rig = EngineHarness()
        _ = Self.say(&rig, "Dinner")
        #expect(Self.notices(rig).isEmpty)
        rig.barriers = false
        rig.linkUp()
        #expect(Self.notices(rig).isEmpty)
        rig.pass(2_000)
        #expect(Self.notices(rig).count == 1)
        rig.send(.linkDown)
        rig.barriers = true
        rig.linkUp()
        #expect(Self.notices(rig).count == 2)
    }

    @Test func wordsOfANodeMoveWithGroupTime() throws {
        var rig = EngineHarness(wallBound: nil).linked()
        _ = Self.say(&rig, "Dinner")
        let before = rig.engine.view.message
        // NTP sets the clock back by an hour, and the kernel vouches for it.
        rig.told -= 3_600_000
        rig.wallBound = 5
        rig.pass(1_000)
        rig.send(.wake)
        let moved = try #require(before).at - Milliseconds(3_600_000)
        #expect(rig.engine.view.message?.at == moved)
        #expect(Self.notices(rig).last?.message == rig.engine.view.message)

        // A copy of before, which the broker delivers late, has the time that was wrong.
        let count = Self.notices(rig).count
        rig.hear(.notice(Notice(message: before)), from: "\(rig.engine.identity.node)")
        #expect(rig.engine.view.message?.at == moved)
        #expect(Self.notices(rig).count == count + 1)
    }

    @Test func nodeTakesOverTheNoticeThatItsEarlierProcessLeftAtTheBroker() {
        var rig = EngineHarness()
        rig.barriers = false
        rig.linkUp()
        let at = rig.told - Milliseconds(60_000)
        let left = Notice(message: ScreenMessage(text: "Dinner", at: at, until: at + 600_000))
        rig.hear(.notice(left), from: "\(rig.engine.identity.node)", retained: true)
        #expect(rig.engine.view.message == left.message)
    }
}
