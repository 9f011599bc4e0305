// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Session

/// The schedule by which the weeks of a service's spaces are computed, so that it keeps answering under load. Adding up
/// a week of thousands of sessions costs most, and each record can change the week. So after a computation the next one
/// waits for a multiple of the time that it took. All times are of the boot clock, in milliseconds.
struct WeekSchedule {
    /// The pause after a computation, in multiples of its length: computing takes at most a tenth of the time.
    private static let pause: Int64 = 10
    /// The maximum pause after a computation. The boot clock also counts a suspend or a stop in the middle of one.
    private static let pauseLimit: Int64 = 10_000
    /// The minimum pause between two reads of past weeks, in milliseconds.
    private static let shortestPause: Int64 = 2
    /// The maximum time until the calendar is checked again, in milliseconds: clocks can be set meanwhile.
    private static let longestPause: Int64 = 600_000

    private var changed: Set<SpaceID> = []
    /// The time before which no changed week is added up.
    private var updatesFrom: Int64 = 0
    private var unread: Set<SpaceID> = []
    private let (updater, reader, calendar): (LoopTimer, LoopTimer, LoopTimer)

    /// Makes a schedule of three timers. `updater` fires when changed weeks can be added up, `reader` when another past
    /// week can be read, `calendar` when a week or day may have ended.
    init(updater: LoopTimer, reader: LoopTimer, calendar: LoopTimer) {
        (self.updater, self.reader, self.calendar) = (updater, reader, calendar)
    }

    mutating func insert(changed space: SpaceID) { changed.insert(space) }

    /// Returns and removes the spaces whose weeks are to be added up now. If that has to wait, it arms the timer.
    mutating func removeChanged(at now: Int64) -> Set<SpaceID> {
        guard !changed.isEmpty else { return [] }
        guard now >= updatesFrom else {
            updater.arm(atBootMilliseconds: updatesFrom)
            return []
        }
        defer { changed = [] }
        return changed
    }

    /// Notes that changed weeks were added up between two times.
    mutating func noteUpdate(from begin: Int64, to end: Int64) { updatesFrom = end + Self.pause(after: end - begin) }

    private static func pause(after length: Int64) -> Int64 { max(0, min(length * pause, pauseLimit)) }

    /// Plans to read the past weeks of a space, one at a time.
    mutating func insert(unread space: SpaceID, at now: Int64) {
        if unread.isEmpty { reader.arm(atBootMilliseconds: now) }
        unread.insert(space)
    }

    var nextUnread: SpaceID? { unread.first }

    /// Notes that a past week was read between two times.
    mutating func noteRead(_ space: SpaceID, isComplete: Bool, from begin: Int64, to end: Int64) {
        if isComplete { unread.remove(space) }
        guard !unread.isEmpty else { return }
        reader.arm(atBootMilliseconds: end + max(Self.shortestPause, Self.pause(after: end - begin)))
    }

    /// Arms the calendar. `rest` is the milliseconds until the next end of a day or a week; `nil` without spaces.
    func armCalendar(in rest: Int64?, at now: Int64) {
        calendar.arm(atBootMilliseconds: now + max(1, min(rest ?? Self.longestPause, Self.longestPause)))
    }
}
