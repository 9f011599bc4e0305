// SPDX-License-Identifier: Apache-2.0

/// The amount of detail in a status line.
package enum StatusStyle: String, CaseIterable, Sendable {
    /// One sign for state and progress; the time only if the bar has room for it.
    case minimal
    /// The sign and the time; on the `calm` face the percentage instead, if known.
    case compact
    /// Label or title, state, time and notices.
    case expanded
}

/// The status bar that a status line is for.
package enum StatusFormat: String, CaseIterable, Sendable {
    case text
    /// One object per line for waybar's custom modules, with Pango markup.
    case waybar
    /// Text with tmux's style marks.
    case tmux
    /// Three lines, or one object per line for a block that persists.
    case i3blocks
    /// Text with polybar's colour marks.
    case polybar
}
