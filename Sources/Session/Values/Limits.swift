// SPDX-License-Identifier: Apache-2.0

/// The bounds of every field, and the constants that several parts share. The protocol states all of them, so a change
/// here is a change of the protocol. They keep the largest register below ``payloadBytes``; a test checks that.
public enum Limits {
    /// Phases in a plan, with repeats written out. 80 hold ten rounds of a workout of eight parts.
    public static let phases = 80
    /// Phases of a plan that may have added seconds: one that is no break, and one break of each kind.
    public static let extended = 4
    /// Runs of a session. Beyond it, the two oldest neighbours of one phase merge. 120 are for 80 phases and 40 pauses.
    public static let runs = 120
    /// Ids of applied intents in a register: more than people press within ``intentLife``.
    public static let applied = 64
    /// Seconds of one phase with extensions: up to a day.
    public static let phaseSeconds = 1...86_400
    /// The longest phase in hours, for texts.
    package static let phaseHours = phaseSeconds.upperBound / 3_600
    /// The longest time that a phase goes on beyond its length. A shorter one could end the phase of a person who still
    /// works; a longer one counts the night of a person who forgot it.
    public static let overtime: Milliseconds = .minutes(720)
    /// How long an alarm counts as new. A device that first sees it later does not ring. Shorter means that devices
    /// with a slow connection stay silent. Longer means that a device that wakes rings for an end that people noticed
    /// long ago.
    public static let alarmNewFor: Milliseconds = .seconds(10)
    /// How long an alarm rings; after that it is only shown, until a person ends it. Shorter misses a person in another
    /// room; longer disturbs without need.
    public static let alarmRings: Milliseconds = .minutes(5)
    /// The longest time that a message is on all screens.
    public static let messageLife: Milliseconds = .days(1)
    /// Bytes of a title in UTF-8: the width of a screen.
    public static let titleBytes = 160
    /// Bytes of the name of a phase, a label or a node in UTF-8.
    public static let nameBytes = 48
    /// Bytes of an icon in UTF-8: a built-in name or an emoji.
    public static let iconBytes = 32
    /// Bytes of a payload: below the 64 KiB packets of the broker, and above the largest register.
    public static let payloadBytes = 16_384
    /// Epochs, revisions and stamp counters: exact in a JSON reader that uses doubles.
    public static let counter: ClosedRange<Int> = 0...1_000_000_000_000
    /// Group times: until the year 2200.
    public static let time: ClosedRange<GroupTime> = 0...7_258_118_400_000
    /// Readings of a wall clock, with the range of ``time``.
    public static let wall: ClosedRange<WallTime> = 0...7_258_118_400_000
    /// Readings of a boot clock: a hundred years.
    public static let reading: ClosedRange<BootTime> = 0...3_155_760_000_000
    /// Error bounds of a clock, with the range of ``reading``.
    public static let bound: ClosedRange<Milliseconds> = 0...3_155_760_000_000
    /// The largest plausible epoch at the beginning of 2026. It rises by one each second, so no version is the last.
    public static let epochs = 1_000_000
    /// The most revisions by which an objection of another node raises a version. It must not use up ``counter``.
    public static let claimedRevisions = 1_000_000
    /// Nodes of a space that a node remembers; messages of further ones are discarded. It bounds the memory of a node.
    public static let nodes = 4_096

    /// The most that an admitted stamp is ahead of a vouched group time, and that agreeing clocks differ. A kernel that
    /// calls its clock synchronised is right within 10 s, and no person waits longer for a start.
    public static let stampLead: Milliseconds = .seconds(10)
    /// The most that a plausible clock is ahead of ``earliestStamp``: 20 years. An admitted stamp is at most that much
    /// ahead of a group time that no kernel vouches for.
    public static let plausibleSpan: Milliseconds = .days(7_305)
    /// Nodes that are asked for the time. The median of seven is right even if three are wrong. Fewer tolerate fewer
    /// wrong ones; more cost pings.
    public static let timeReferences = 7
    /// The longest time from a ping to a pong that is used; a later one bounds nothing.
    public static let pongAge: Milliseconds = .seconds(10)
    /// The largest error bound of a time that is not shown as approximate. A person sees when two displays change
    /// further apart. So a larger one hides a visible error, and a smaller one marks times that look right.
    public static let exactEnough: Milliseconds = 250
    /// The earliest start of a session: 2026-01-01, when Lockstep began to exist.
    public static let earliestStamp: GroupTime = 1_767_225_600_000
    /// The longest time after an expiry at which the next phase starts by itself: half an hour. Shorter means that a
    /// plan waits after a short suspend; longer, that phases count while no person is there.
    public static let lateness: Milliseconds = .minutes(30)
    /// How long a display shows a completed or superseded session. A shorter time is too short to read how it ended; a
    /// longer one delays the idle screen and its buttons.
    public static let completionShown: Milliseconds = .seconds(5)
    /// The time without contact to the owner until a display is stale. Shorter interruptions of a network end by
    /// themselves, and notices of them only alarm people. Longer means that people rely on a time that may miss a
    /// press.
    public static let staleAfter: Milliseconds = .seconds(30)
    /// How long an intent may take effect. A later effect would surprise; with a shorter life, presses are lost when
    /// the broker restarts.
    public static let intentLife: Milliseconds = .seconds(30)
}
