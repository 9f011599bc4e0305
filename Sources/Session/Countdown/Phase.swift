// SPDX-License-Identifier: Apache-2.0

/// What a phase is for; decides icon, texts, buttons and whether its minutes count.
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
    /// What it is for.
    public var kind: PhaseKind
    /// Its own name ("Breathe"), where it has one: at most ``Limits/nameBytes``, without `"` and `\`.
    public var name: String?
    /// Its length in seconds, extensions included; the cap of a count-up session.
    public var seconds: Int
    /// Seconds of ``seconds`` that extensions added, where a phase that is put in later may be a copy of this one; else 0.
    public var added: Int

    /// Makes a phase.
    public init(kind: PhaseKind, name: String? = nil, seconds: Int, added: Int = 0) {
        self.kind = kind
        self.name = name
        self.seconds = seconds
        self.added = added
    }

    /// The phase at its length before extensions.
    var unextended: Phase { Phase(kind: kind, name: name, seconds: seconds - added) }

    /// The length in milliseconds.
    public var length: Int64 { Int64(seconds) * 1_000 }

    /// Whether every field is within ``Limits``.
    public var isValid: Bool {
        guard Limits.phaseSeconds.contains(seconds), (0..<seconds).contains(added) else { return false }
        guard let name else { return true }
        return CleanText.accepts(name, bytes: Limits.nameBytes)
            && !name.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    }
}
