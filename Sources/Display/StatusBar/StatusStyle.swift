// SPDX-License-Identifier: Apache-2.0

/// How much of a session a status bar shows.
public enum StatusStyle: String, CaseIterable, Sendable {
    /// One sign for state and progress; the time only where a bar says that there is room.
    case minimal
    /// The sign and the time; on the `calm` face the percent in its place, once there is one.
    case compact
    /// Label or title, state, time, and what else there is to say.
    case expanded
}

/// Whom a status line is for.
public enum StatusFormat: String, CaseIterable, Sendable {
    /// Plain text.
    case text
    /// One object a line, for programs.
    case json
    /// One object a line as waybar's custom modules read it, with Pango markup.
    case waybar
    /// Text with tmux's style marks.
    case tmux
    /// Three lines for one look, one object a line for a block that persists.
    case i3blocks
    /// Text with polybar's colour marks.
    case polybar
}
