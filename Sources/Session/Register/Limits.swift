// SPDX-License-Identifier: Apache-2.0

/// The bounds of every field. Together they keep the largest register below 16 KiB of JSON.
public enum Limits {
    /// Phases in a plan, after repeats are written out.
    public static let phases = 80
    /// Phases of a plan that may say what extensions added: a focus, and a break of each kind.
    public static let extended = 4
    /// Run intervals of a session; see ``Register/openRun()`` for what happens beyond.
    public static let runs = 120
    /// Ids of applied intents that a register carries.
    public static let applied = 64
    /// Seconds of one phase, extensions included: a day.
    public static let phaseSeconds = 1...86_400
    /// Bytes of a title in UTF-8.
    public static let titleBytes = 160
    /// Bytes of the name of a phase, a label or a node in UTF-8.
    public static let nameBytes = 48
    /// Bytes of an icon in UTF-8: a built-in name or an emoji.
    public static let iconBytes = 32
    /// Bytes of a payload.
    public static let payloadBytes = 16_384
    /// Bytes of a register whose fields are all as long as JSON can make them. A new field must fit into what is left of
    /// ``payloadBytes``; a test compares this number with the codec's.
    public static let largestRegisterBytes = 16_066
    /// Epochs, revisions and stamp counters.
    public static let counter: ClosedRange<Int> = 0...1_000_000_000_000
    /// Group times, in milliseconds since 1970: until the year 2200.
    public static let time: ClosedRange<Int64> = 0...7_258_118_400_000
    /// Boot-clock readings and elapsed times, in milliseconds: a hundred years.
    public static let reading: ClosedRange<Int64> = 0...3_155_760_000_000
    /// Epochs of a node that are plausible at the beginning of 2026; one more each second from then on.
    public static let epochs = 1_000_000
    /// By how many revisions another node's objection raises a version at most.
    public static let claimedRevisions = 1_000_000
    /// Nodes of a space that a node remembers; the messages of further ones are dropped.
    public static let nodes = 512

    /// A stamp further ahead of group time than this many milliseconds is not admitted.
    public static let stampLead: Int64 = 10_000
    /// No clock is believed that is further ahead of ``earliestStamp``: 20 years, in milliseconds.
    public static let plausibleMilliseconds: Int64 = 631_152_000_000
    /// Nodes whose clocks decide where none is known to be right.
    public static let council = 7
    /// A pong that comes later than this many milliseconds after its ping is not used.
    public static let pongAge: Int64 = 10_000
    /// Above this error bound, in milliseconds, a display shows the time as approximate.
    public static let exactEnough: Int64 = 250
    /// No session can have started before Lockstep existed: 2026-01-01, in milliseconds.
    public static let earliestStamp: Int64 = 1_767_225_600_000
    /// An expiry noticed later than this many milliseconds does not start the next phase by itself.
    public static let lateness: Int64 = 30 * 60_000
    /// How long an ended session stays on a display, in milliseconds.
    public static let completionShown: Int64 = 5_000
    /// Without contact to the owner for this many milliseconds a display is stale.
    public static let staleAfter: Int64 = 30_000
    /// How long an intent may take effect, in milliseconds.
    public static let intentLife: Int64 = 30_000
}

/// Text that may reach a screen.
public enum CleanText {
    /// Whether `text` has 1 to `bytes` bytes and holds no control character, line separator or direction override.
    public static func accepts(_ text: String, bytes: Int) -> Bool {
        (1...bytes).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(isClean)
    }

    /// Whether a terminal and a page show `scalar` as itself and nothing else happens.
    public static func isClean(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFF9...0xFFFB:
            false
        default: true
        }
    }
}
