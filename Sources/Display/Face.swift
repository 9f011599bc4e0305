// SPDX-License-Identifier: Apache-2.0

/// A way to draw a session.
public enum Face: String, CaseIterable, Sendable {
    /// Only the time.
    case boring
    /// Icon, label, state, a large time, and buttons.
    case focus
    /// Icon, title, a ring of the time that has passed, how calm the room was, and two buttons.
    case calm
    /// Title, which phase of how many, the time, and how much of the phase has passed.
    case phases

    /// Whether minutes below ten are written with a leading zero.
    public var padsMinutes: Bool { self != .boring }

    /// Whether a time that may be wrong is marked as such.
    public var marksApproximate: Bool { self != .boring }

    /// Whether a person can press anything on this face.
    public var hasButtons: Bool { self != .boring }
}
