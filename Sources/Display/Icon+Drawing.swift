// SPDX-License-Identifier: Apache-2.0

package import API

extension Icon {
    /// The drawing as an SVG path in a 24 × 24 box, for a round stroke of width 2.
    package var path: String {
        switch self {
        case .hourglass:
            "M6 3h12M6 21h12M7 3v3c0 3.5 4 4 4 6s-4 2.5-4 6v3M17 3v3c0 3.5-4 4-4 6s4 2.5 4 6v3"
        case .cup: "M4 9h13v5a5 5 0 0 1-5 5H9a5 5 0 0 1-5-5zM17 10h1.5a2.5 2.5 0 0 1 0 5H17M8 3v3M13 3v3"
        case .book: "M12 6c-2-1.4-5-2-8-2v14c3 0 6 .6 8 2c2-1.4 5-2 8-2V4c-3 0-6 .6-8 2zM12 6v14"
        case .pen: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3"
        case .leaf: "M6 18C5 10 10 5 20 4c0 10-5 15-14 14zM4 21c1-5 4-8 9-10"
        case .dumbbell: "M4 9v6M7 7v10M17 7v10M20 9v6M7 12h10"
        }
    }

    /// The drawing as a character, for plain text.
    fileprivate var sign: Localized {
        switch self {
        case .hourglass: "⏳"
        case .cup: "☕"
        case .book: "📖"
        case .pen: "✏"
        case .leaf: "🌿"
        case .dumbbell: "🏋"
        }
    }
}

extension Screen {
    /// The session's emoji or drawing, or the drawing of a break, as a character.
    package var iconSign: Localized { isBreak ? icon.sign : emoji ?? icon.sign }
}
