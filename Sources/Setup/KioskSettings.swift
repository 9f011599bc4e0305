// SPDX-License-Identifier: Apache-2.0

/// The settings of the display on this machine's own screen, as `kiosk.env` holds them.
///
/// The node's unit reads the file too, for ``http``. Its own file has precedence.
package struct KioskSettings: Hashable, Sendable {
    /// The address at which the node serves the page.
    package static let http = "127.0.0.1:7780"
    /// The file, which belongs to root.
    package static let path = "/etc/lockstep/kiosk.env"

    package var face: String
    package var hasControls: Bool
    package var language: String?
    package var theme: String?
    /// The hours in which the screen is dark without a session.
    package var blank: String?
    /// `page`, `terminal`, or `auto` for the page where it can be shown.
    package var surface: String

    package init(
        face: String, hasControls: Bool, language: String?, theme: String?, blank: String?, surface: String
    ) {
        self.face = face
        self.hasControls = hasControls
        self.language = language
        self.theme = theme
        self.blank = blank
        self.surface = surface
    }

    /// The lines of the file. The names without LOCKSTEP_ are for `kiosk-session` alone.
    package var text: String {
        let values = [
            ("LOCKSTEP_HTTP", Self.http), ("KIOSK_FACE", face), ("KIOSK_CONTROLS", hasControls ? "on" : "off"),
            ("KIOSK_LANG", language ?? ""), ("KIOSK_THEME", theme ?? ""), ("KIOSK_BLANK", blank ?? ""),
            ("KIOSK_SURFACE", surface),
        ]
        return "# Written by `lockstep kiosk enable`.\n" + values.map { "\($0)=\($1)\n" }.joined()
    }
}
