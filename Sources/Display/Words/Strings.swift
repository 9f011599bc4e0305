// SPDX-License-Identifier: Apache-2.0

/// Every string that a display may show, in one language.
///
/// Text in braces is filled in by the display: `{node}`, `{from}`, `{time}`, `{count}`, `{index}`, `{total}`,
/// `{phase}`, `{percent}`, `{event}`, `{day}`, `{month}`, `{done}`, `{goal}`, `{size}`. `weekdays` (from Monday on) and
/// `months` are lists with spaces between.
public struct Strings: Hashable, Sendable {
    /// Names one string, the same in every language.
    public enum Key: String, CaseIterable, Sendable {
        case pause, resume, stop, extend, startBreak, startFocus, endSession
        case focusInProgress, focusPaused, breakInProgress, breakPaused
        case workInProgress, workPaused, restInProgress, restPaused, phaseInProgress, phasePaused
        case focusNext, breakNext, workNext, restNext, phaseNext
        case completed, stopped, moved, movedSomewhere, movedHere, supersededBy
        case lastHeardSeconds, lastHeardMinutes, lastHeardHours, linkLost, tookOver, clockWrong, unsaved, pageLost
        case clockBehind, clockAhead, staleSince
        case focus, shortBreak, longBreak, work, rest, phase, phaseIndicator
        case percent, calm, calmPercent, calmRising, calmFalling, calmSteady, weeklyDebt
        case weekdays, months, dayMonth, doneOfGoal, streakDays, goalByDay, byDay, byLabel, byYear, calmByWeek
        case noLabel, otherLabels, noWeek, nothingDone, noCalm, numbers, asOf, day, week, label, done
        case endsAt, timeLeft, secondsLeft, timePassed, hourMark, pending, idle
        case left, passed, days, years, onThisNode, onNode
        case refusedSuperseded, refusedStalePhase, refusedExpired, refusedNotAllowed, refusedInvalid
        case refusedBusy
        case alreadySo, noAnswer, lateEffect, noSession, notPermitted
        case eventStarted, eventPaused, eventResumed, eventPhase, eventCompleted, eventStopped, eventSuperseded
        case eventStale, eventLate
        case scan
    }

    /// A string in the forms that its language has for numbers.
    public enum Entry: Hashable, Sendable {
        case text(String)
        case plural([PluralForm: String])
    }

    /// The language as its BCP 47 tag: `de`, `zh-Hans`.
    public let language: String
    /// Its own name for itself.
    public let name: String
    /// Whether it is written from right to left.
    public let isRightToLeft: Bool
    private var entries: [Key: Entry]

    init(language: String, name: String, isRightToLeft: Bool, entries: [Key: Entry]) {
        self.language = language
        self.name = name
        self.isRightToLeft = isRightToLeft
        self.entries = entries
    }

    /// What stands in the catalogue; `nil` where that lacks the key.
    public func entry(_ key: Key) -> Entry? { entries[key] }

    /// The string as it stands in the catalogue, with its braces; of several forms the most general one.
    public subscript(key: Key) -> String {
        switch entries[key] {
        case .text(let text): text
        case .plural(let forms): forms[.other] ?? forms[.many] ?? ""
        case nil: self == .english ? key.rawValue : Strings.english[key]
        }
    }

    /// The string with its braces filled in.
    public func text(_ key: Key, _ values: [String: String]) -> String { Self.fill(self[key], values) }

    /// The string in the form that goes with a number, which `{count}` stands for.
    public func text(_ key: Key, count: Int, _ values: [String: String] = [:]) -> String {
        var text = self[key]
        if case .plural(let forms) = entries[key], let form = forms[PluralForm(of: count, in: language)] { text = form }
        return Self.fill(text, values.merging(["count": String(count)]) { value, _ in value })
    }

    private static func fill(_ text: String, _ values: [String: String]) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            result += values[name] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
