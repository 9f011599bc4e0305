// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session

/// The schedule by which the weeks of a service's spaces are computed, so that it keeps answering under load. Adding up
/// a week of thousands of sessions costs most, and each record can change the week. So after a computation the next one
/// waits for a multiple of the time that it took.
struct WeekSchedule {
    /// The pause after a computation, in multiples of its length: computing takes at most a tenth of the time.
    private static let pause: Int64 = 10
    /// The maximum pause after a computation. The boot clock also counts a suspend or a stop in the middle of one.
    private static let pauseLimit: Milliseconds = 10_000
    /// The minimum pause between two reads of past weeks.
    private static let shortestPause: Milliseconds = 2
    /// The maximum time until the calendar is checked again: clocks can be set meanwhile.
    private static let longestPause: Milliseconds = 600_000

    private var changed: Set<SpaceID> = []
    /// The time before which no changed week is added up.
    private var updatesFrom: BootTime = 0
    private var unread: Set<SpaceID> = []
    private let (updater, reader, calendar): (LoopTimer, LoopTimer, LoopTimer)

    /// Makes a schedule of three timers. `updater` fires when changed weeks can be added up, `reader` when another past
    /// week can be read, `calendar` when a week or day may have ended.
    init(updater: LoopTimer, reader: LoopTimer, calendar: LoopTimer) {
        (self.updater, self.reader, self.calendar) = (updater, reader, calendar)
    }

    mutating func insert(changed space: SpaceID) { changed.insert(space) }

    /// Returns and removes the spaces whose weeks are to be added up now. If that has to wait, it arms the timer.
    mutating func removeChanged(at now: BootTime) -> Set<SpaceID> {
        guard !changed.isEmpty else { return [] }
        guard now >= updatesFrom else {
            updater.arm(atBootMilliseconds: updatesFrom.milliseconds)
            return []
        }
        defer { changed = [] }
        return changed
    }

    /// Notes that changed weeks were added up between two times.
    mutating func noteUpdate(from begin: BootTime, to end: BootTime) {
        updatesFrom = end + Self.pause(after: end - begin)
    }

    private static func pause(after length: Milliseconds) -> Milliseconds { max(0, min(pause * length, pauseLimit)) }

    /// Plans to read the past weeks of a space, one at a time.
    mutating func insert(unread space: SpaceID, at now: BootTime) {
        if unread.isEmpty { reader.arm(atBootMilliseconds: now.milliseconds) }
        unread.insert(space)
    }

    var nextUnread: SpaceID? { unread.first }

    /// Notes that a past week was read between two times.
    mutating func noteRead(_ space: SpaceID, isComplete: Bool, from begin: BootTime, to end: BootTime) {
        if isComplete { unread.remove(space) }
        guard !unread.isEmpty else { return }
        reader.arm(atBootMilliseconds: (end + max(Self.shortestPause, Self.pause(after: end - begin))).milliseconds)
    }

    /// Arms the calendar. `rest` is the time until the next end of a day or a week; `nil` without spaces.
    func armCalendar(in rest: Milliseconds?, at now: BootTime) {
        let due = now + max(1, min(rest ?? Self.longestPause, Self.longestPause))
        calendar.arm(atBootMilliseconds: due.milliseconds)
    }
}
