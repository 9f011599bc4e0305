// SPDX-License-Identifier: Apache-2.0

package import Session

/// The settings of the display on this machine's own screen, as `kiosk.env` holds them.
///
/// The node's unit reads the file too, for ``http``. Its own file has precedence.
package struct KioskSettings: Hashable, Sendable {
    /// The address at which the node serves the page.
    package static let http: LineText = "127.0.0.1:7780"
    /// The file, which belongs to root.
    package static let path = "/etc/lockstep/kiosk.env"

    package var face: LineText
    package var hasControls: Bool
    package var language: LineText?
    package var theme: LineText?
    /// The hours in which the screen is dark without a session.
    package var blank: LineText?
    /// The content without a session.
    package var idle: LineText?
    /// How long before its end a phase is marked.
    package var near: LineText?
    /// `page`, `terminal`, or `auto` for the page where it can be shown.
    package var surface: LineText

    package init(
        face: LineText, hasControls: Bool, language: LineText?, theme: LineText?, blank: LineText?,
        idle: LineText? = nil, near: LineText? = nil, surface: LineText
    ) {
        self.face = face
        self.hasControls = hasControls
        self.language = language
        self.theme = theme
        self.blank = blank
        self.idle = idle
        self.near = near
        self.surface = surface
    }

    /// The lines of the file. The names without LOCKSTEP_ are for `kiosk-session` alone.
    package func lines() throws(BadValue) -> SettingLines {
        var lines = SettingLines(comment: "Written by `lockstep kiosk enable`.")
        try lines.add(.http, Self.http)
        try lines.add("KIOSK_FACE", face)
        try lines.add("KIOSK_CONTROLS", hasControls ? "on" : "off")
        try lines.add("KIOSK_LANG", language ?? "")
        try lines.add("KIOSK_THEME", theme ?? "")
        try lines.add("KIOSK_BLANK", blank ?? "")
        try lines.add("KIOSK_IDLE", idle ?? "")
        try lines.add("KIOSK_NEAR", near ?? "")
        try lines.add("KIOSK_SURFACE", surface)
        return lines
    }
}
