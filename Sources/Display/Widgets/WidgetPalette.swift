// SPDX-License-Identifier: Apache-2.0

import Session

/// The colours of a widget.
struct WidgetPalette {
    var ground: Colour
    var text: Colour
    var state: Colour
    /// Secondary text, and a stopped time.
    var quiet: Colour
    var tint: Colour
    var tag: Colour
    var warning: Colour
    /// The remaining part of a ring or a bar.
    var track: (colour: Colour, opacity: Double)
    /// The opacity of ring and icon while the time does not run.
    var dimOpacity = 0.45
}

extension WidgetPalette {
    init(screen: Screen, options: WidgetOptions) {
        guard !options.isEInk, screen.face != .boring else {
            self.init(boring: options)
            return
        }
        let ground = options.background ?? Shade.black
        let isLight = ground.alpha > 127 && ground.isLight
        let shown = { (colour: Colour) in options.colour ?? (isLight ? colour : colour.onBlack) }
        self.init(
            ground: ground, text: isLight ? Shade.black : Shade.white,
            state: isLight ? Colour(red: 0x33, green: 0x33, blue: 0x33) : Shade.state,
            quiet: isLight ? Colour(red: 0x66, green: 0x66, blue: 0x66) : Shade.quiet,
            tint: shown(screen.tint), tag: shown(screen.label?.colour ?? screen.tint),
            warning: isLight ? Colour(red: 0x8A, green: 0x5A, blue: 0x00) : Shade.warning,
            track: (isLight ? Shade.black : Shade.white, 0.2))
    }

    /// Creates the palette of the `boring` face: three colours unless others are set; black on white for e-ink.
    init(boring options: WidgetOptions) {
        let text = options.isEInk ? Shade.black : options.colour ?? Shade.boring
        let secondary = options.isEInk ? Shade.black : Shade.boringQuiet
        self.init(
            ground: options.isEInk ? Shade.white : options.background ?? Shade.boringGround, text: text,
            state: secondary, quiet: secondary, tint: text, tag: text, warning: secondary, track: (secondary, 1),
            dimOpacity: options.isEInk ? 1 : 0.45)
    }

    func colour(of mark: WidgetMark) -> Colour {
        switch mark {
        case .stale: warning
        case .completed: tint
        case .paused, .ready, .superseded: text
        }
    }
}

extension Colour {
    /// Whether black text on this colour is easier to read than white text.
    fileprivate var isLight: Bool { 299 * Int(red) + 587 * Int(green) + 114 * Int(blue) > 140_000 }
}
