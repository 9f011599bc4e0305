// SPDX-License-Identifier: Apache-2.0

/// A way to draw a session.
public enum Face: String, CaseIterable, Sendable {
    /// Only the time.
    case boring
    /// Icon, label, state, a large time, and buttons.
    case focus

    /// Whether minutes below ten are written with a leading zero.
    public var padsMinutes: Bool {
        switch self {
        case .boring: false
        case .focus: true
        }
    }

    /// Whether a time that may be wrong is marked as such.
    public var marksApproximate: Bool {
        switch self {
        case .boring: false
        case .focus: true
        }
    }

    /// Whether a person can press anything on this face.
    public var hasButtons: Bool {
        switch self {
        case .boring: false
        case .focus: true
        }
    }
}
