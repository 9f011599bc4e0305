// SPDX-License-Identifier: Apache-2.0

/// The positions of the parts of the focus face when the time is large.
struct FocusLayout {
    enum Shape {
        /// Icon and texts at the left, the time at the right, buttons below.
        case card
        /// All parts centred, one below the other.
        case column
    }

    var shape: Shape
    var digits: BigDigits
    /// The icon's height in pixels; `nil` for none.
    var icon: Int?
    var texts: [Line]
    var buttons: ButtonRows?
    var notice: Line?
    /// The empty rows between the parts.
    var gap: Int
    var margin: Int
    /// Whether there is a bar below the time.
    var hasBar = false
    /// The rows of the whole layout.
    var height: Int

    /// The number of shown parts.
    var parts: Int { texts.count + (icon == nil ? 0 : 1) + (buttons == nil ? 0 : 1) }
}

extension FocusPicture {
    static let textGap = 3
    private static let timeGap = 4
    private static let fewestTextColumns = 12
    private static let usualTextColumns = 17

    /// The parts that a layout tries to show. Gaps are omitted first, then icon, buttons, texts and notice.
    private struct Wish {
        var gap: Int
        var isTall = false
        var hasIcon = true
        var hasButtons = true
        var texts = 3
        var hasNotice = true
    }

    private static let wishes: [Wish] = [
        Wish(gap: 2, isTall: true), Wish(gap: 1, isTall: true), Wish(gap: 1),
        Wish(gap: 1, isTall: true, hasIcon: false), Wish(gap: 1, hasIcon: false),
        Wish(gap: 0), Wish(gap: 0, hasIcon: false), Wish(gap: 0, hasIcon: false, texts: 2),
        Wish(gap: 0, hasIcon: false, hasButtons: false),
        Wish(gap: 0, hasIcon: false, hasButtons: false, texts: 2),
        Wish(gap: 0, hasIcon: false, hasButtons: false, texts: 1),
    ]

    /// Returns the layout that omits least. Layouts with wide gaps count only if the time stays large.
    func cardLayout() -> FocusLayout? { bestLayout { cardLayout($0) } }
    func columnLayout() -> FocusLayout? { bestLayout { columnLayout($0) } }

    private func bestLayout(_ make: (Wish) -> FocusLayout?) -> FocusLayout? {
        let airy = Self.wishes.prefix(3).lazy.compactMap(make).first { $0.digits.height >= 10 }
        if let airy { return withBar(airy) }
        let small = Self.wishes.lazy.compactMap(make).first { $0.digits.height >= 7 }
        return small ?? Self.wishes.lazy.compactMap(make).first
    }

    /// Adds a bar if there are free rows for it.
    private func withBar(_ layout: FocusLayout) -> FocusLayout {
        let height = layout.height + layout.gap + 1
        guard screen.progress != nil, height <= rows else { return layout }
        var layout = layout
        layout.hasBar = true
        layout.height = height
        return layout
    }

    private func parts(_ wish: Wish, columns: Int) -> (buttons: ButtonRows?, notice: Line?, below: Int) {
        let buttons =
            wish.hasButtons && !screen.buttons.isEmpty
            ? ButtonRows(screen.buttons, columns: columns, isTall: wish.isTall, depth: depth) : nil
        let notice = wish.hasNotice ? notice : nil
        let below = [buttons?.height ?? 0, notice == nil ? 0 : 1].filter { $0 > 0 }.map { $0 + wish.gap }.reduce(0, +)
        return (buttons, notice, below)
    }

    private func cardLayout(_ wish: Wish) -> FocusLayout? {
        let margin = sideMargin
        let inner = columns - 2 * margin
        let texts = Array(self.texts.prefix(wish.texts))
        let parts = parts(wish, columns: inner)
        let longest = texts.map(\.width).max() ?? 0
        let textColumns = min(max(longest, Self.fewestTextColumns), max(inner / 5, Self.usualTextColumns))
        let air = wish.gap > 0 ? 2 : 0
        let highest = min(rows - parts.below - air, max(rows * 2 / 5, 3))
        guard highest >= texts.count else { return nil }
        for widest in [screen.widestTime, screen.time] {
            for digits in BigDigits.sizes where digits.rows <= highest {
                let icon = wish.hasIcon ? min(digits.height, 30) : nil
                if let icon, icon < Drawings.smallest { break }
                // A cup is as wide as high, an hourglass narrower; the time must not move between them.
                let iconColumns = icon.map { $0 + Self.textGap } ?? 0
                guard iconColumns + textColumns + Self.timeGap + digits.width(of: widest) <= inner else { continue }
                let height = max(digits.rows, texts.count) + parts.below
                return FocusLayout(
                    shape: .card, digits: digits, icon: icon, texts: texts, buttons: parts.buttons,
                    notice: parts.notice, gap: wish.gap, margin: margin, height: height)
            }
        }
        return nil
    }

    private func columnLayout(_ wish: Wish) -> FocusLayout? {
        let margin = sideMargin
        let inner = columns - 2 * margin
        let texts = Array(self.texts.prefix(wish.texts))
        let parts = parts(wish, columns: inner)
        if wish.hasButtons, !screen.buttons.isEmpty, parts.buttons == nil { return nil }
        let iconHeight = wish.hasIcon ? min(max(rows / 3, 10), 20) : nil
        let above = texts.count + wish.gap + (iconHeight.map { ($0 + 1) / 2 + wish.gap } ?? 0)
        let air = wish.gap > 0 ? 2 : 0
        let highest = min(rows - above - parts.below - air, max(rows * 2 / 5, 3))
        guard let digits = screen.bigTime(columns: inner, rows: highest) else { return nil }
        return FocusLayout(
            shape: .column, digits: digits, icon: iconHeight, texts: texts, buttons: parts.buttons,
            notice: parts.notice, gap: wish.gap, margin: margin, height: above + digits.rows + parts.below)
    }
}
