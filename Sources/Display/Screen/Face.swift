// SPDX-License-Identifier: Apache-2.0

/// A way to draw a session.
package enum Face: String, CaseIterable, Sendable {
    /// Only the time.
    case boring
    /// Icon, label, state, a large time, and buttons.
    case focus
    /// Icon, title, a progress ring, how calm the room was, and two buttons.
    case calm
    /// Title, index and number of phases, the time, and the progress of the phase.
    case phases

    /// Whether minutes below ten have a leading zero.
    package var padsMinutes: Bool { self != .boring }
    package var marksApproximate: Bool { self != .boring }
    package var hasButtons: Bool { self != .boring }
}

/// The colours of a page.
package enum Theme: String, CaseIterable, Sendable {
    case dark, light
    case eInk = "e-ink"
}
