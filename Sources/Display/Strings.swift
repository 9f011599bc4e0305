// SPDX-License-Identifier: Apache-2.0

/// Every string that a display may show, in one language.
///
/// A language is a table from ``Key`` to text; what it lacks stays English. Text in braces is filled in by the display:
/// `{node}`, `{from}`, `{time}`, `{count}`, `{index}`, `{total}`, `{phase}`.
public struct Strings: Hashable, Sendable {
    /// Names one string, the same in every language.
    public enum Key: String, CaseIterable, Sendable {
        case pause, resume, stop, extend, startBreak, startFocus
        case focusInProgress, focusPaused, breakInProgress, breakPaused
        case workInProgress, workPaused, restInProgress, restPaused, phaseInProgress, phasePaused
        case focusNext, breakNext, workNext, restNext, phaseNext
        case completed, moved, movedSomewhere
        case lastHeardSeconds, lastHeardMinutes, lastHeardHours, linkLost, tookOver
        case focus, shortBreak, longBreak, work, rest, phase, phaseIndicator
        case endsAt, hourMark, pending, idle
    }

    private var entries: [Key: String]

    /// A language from its table; keys that this version does not know are passed over.
    public init(table: [String: String]) {
        entries = [:]
        for (name, text) in table {
            if let key = Key(rawValue: name) { entries[key] = text }
        }
    }

    /// English, which every other language falls back to.
    public static let english = Strings(table: [:])

    /// The string as it stands in the table.
    public subscript(key: Key) -> String { entries[key] ?? key.english }

    /// The string with its braces filled in.
    public func text(_ key: Key, _ values: [String: String]) -> String {
        var result = ""
        var rest = self[key][...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            result += rest[..<open]
            let name = String(rest[rest.index(after: open)..<close])
            result += values[name] ?? String(rest[open...close])
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }
}
