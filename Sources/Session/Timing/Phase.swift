// SPDX-License-Identifier: Apache-2.0

/// The purpose of a phase; it determines icon, texts, buttons and whether the minutes count.
public enum PhaseKind: String, CaseIterable, Sendable {
    case focus, shortBreak, longBreak, work, rest, phase

    /// Whether the person rests in this phase.
    public var isBreak: Bool {
        switch self {
        case .shortBreak, .longBreak, .rest: true
        case .focus, .work, .phase: false
        }
    }
}

/// One timed part of a plan.
public struct Phase: Hashable, Sendable {
    public var kind: PhaseKind
    /// The phase's own name ("Breathe"), if it has one: 1 to ``Limits/nameBytes`` bytes of clean text without `"` and
    /// `\`.
    public var name: String?
    /// The phase's length in seconds with extensions, within ``Limits/phaseSeconds``; the cap of a count-up session.
    public var seconds: Int
    /// Seconds of ``seconds`` that extensions added, if a phase that is inserted later may copy this one; otherwise 0.
    public var added: Int

    public init(kind: PhaseKind, name: String? = nil, seconds: Int, added: Int = 0) {
        self.kind = kind
        self.name = name
        self.seconds = seconds
        self.added = added
    }

    /// The phase at its length before extensions.
    var unextended: Phase { Phase(kind: kind, name: name, seconds: seconds - added) }

    public var length: Milliseconds { .seconds(Int64(seconds)) }
    /// Whether every field is within ``Limits``, and they fit each other.
    public var isValid: Bool { isWithinBounds && isConsistent }

    var isWithinBounds: Bool {
        Limits.phaseSeconds.contains(seconds) && added >= 0
            && name.map { CleanText.accepts($0, bytes: Limits.nameBytes) } ?? true
    }

    /// Whether fields within their bounds fit each other: it is longer than what was added to it. A name has no quote
    /// and no backslash, which the grammar of plans uses.
    var isConsistent: Bool {
        added < seconds && !(name?.utf8.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") } ?? false)
    }
}
