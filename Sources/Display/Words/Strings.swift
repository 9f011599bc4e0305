// SPDX-License-Identifier: Apache-2.0

package import API

/// The strings of displays in one language.
///
/// Displays replace placeholders in braces, such as `{node}`. `weekdays` (from Monday on) and `months` are lists
/// separated by spaces.
package struct Strings: Hashable, Sendable {
    /// The key of a string, the same in every language.
    package enum Key: String, CaseIterable, Sendable {
        case pause, resume, stop, startBreak, startFocus, endSession
        case focusInProgress, focusPaused, breakInProgress, breakPaused
        case workInProgress, workPaused, restInProgress, restPaused, phaseInProgress, phasePaused
        case focusNext, breakNext, workNext, restNext, phaseNext
        case completed, stopped, moved, movedSomewhere, movedHere, supersededBy
        case lastHeardSeconds, lastHeardMinutes, lastHeardHours, linkLost, tookOver, clockWrong, unsaved, pageLost
        case clockBehind, clockAhead, staleSince
        case focus, shortBreak, longBreak, work, rest, phase, phaseIndicator
        case percent, calm, calmPercent, weeklyDebt, debtOfWeek
        case weekdays, months, dayMonth, doneOfGoal, streakDays, goalByDay, byDay, byLabel, byYear, calmByWeek
        case noLabel, otherLabels, noWeek, nothingDone, noCalm, numbers, asOf, day, week, label, done
        case endsAt, timeLeft, secondsLeft, timePassed, hourMark, pending, idle
        case left, passed, days, years, onThisNode, onNode
        case refusedSuperseded, refusedStalePhase, refusedExpired, refusedNotAllowed, refusedInvalid
        case refusedBusy
        case alreadySo, noAnswer, lateEffect, noSession, notPermitted
        case linkOver, linkAgain
        case eventStarted, eventPaused, eventResumed, eventPhase, eventCompleted, eventStopped, eventSuperseded
        case eventStale, eventLate
        case shortMinutes, start, lastSessions, goOn, presets, newSession, title, colour, duration, until, plan, countUp
        case untilTime, untilTomorrow
        case redColour, coralColour, orangeColour, amberColour, yellowColour, limeColour, oliveColour, greenColour
        case emeraldColour, mintColour, tealColour, cyanColour, skyColour, blueColour, indigoColour, violetColour
        case purpleColour, magentaColour, pinkColour, roseColour, brownColour, sandColour, slateColour, greyColour
        case ok, timeIsUp, timeWasUp, alarmEnded, messageToAll, messageShown, messageTakenBack, notEnoughLeft
        case addSession, from, endIsEarly, timeIsAhead
        case takeHere, save, saved, sound, undo, endsInSeconds, machines, online, offline, asleep, ownsSession, today,
            sessions
    }

    /// A string, plain or with the plural forms of its language.
    package enum Entry: Hashable, Sendable, Decodable, JSONWritable {
        case text(String)
        case plural([PluralForm: String])

        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .plural(try container.decode([PluralForm: String].self))
            }
        }

        package var json: JSONText {
            switch self {
            case .text(let text): text.json
            case .plural(let forms): JSONText(PluralForm.allCases.map { ($0.rawValue, forms[$0]?.json) })
            }
        }
    }

    /// The language as its BCP 47 tag: `de`, `zh-Hans`.
    package let language: String
    package let isRightToLeft: Bool
    private var entries: [Key: Entry]

    init(language: String, isRightToLeft: Bool, entries: [Key: Entry]) {
        self.language = language
        self.isRightToLeft = isRightToLeft
        self.entries = entries
    }

    /// Returns the entry of the catalogue; `nil` if it lacks the key.
    package func entry(_ key: Key) -> Entry? { entries[key] }

    /// The placeholder for an unknown number, the same in every language.
    package static let unknown: Localized = "–"
}
