// SPDX-License-Identifier: Apache-2.0

import Session

/// How days are written in a language.
struct DateText {
    let strings: Strings

    /// "Mon".
    func weekday(of date: CivilDate) -> String { Self.item(date.weekday, of: strings[.weekdays]) }

    /// "Nov".
    func month(of date: CivilDate) -> String { Self.item(date.components.month, of: strings[.months]) }

    /// "22 Nov".
    func day(_ date: CivilDate) -> String {
        strings.text(.dayMonth, ["day": "\(date.components.day)", "month": month(of: date)])
    }

    /// "16 Nov – 22 Nov".
    func days(from first: CivilDate, to last: CivilDate) -> String {
        "\(TextDirection.isolated(day(first))) – \(TextDirection.isolated(day(last)))"
    }

    /// An item of a list with spaces between, counted from 1.
    private static func item(_ number: Int, of list: String) -> String {
        let items = list.split(separator: " ")
        return items.count >= number ? String(items[number - 1]) : "\(number)"
    }

    /// A number within a text, where it would otherwise be torn apart.
    func isolated(_ number: String) -> String { strings.isRightToLeft ? "\u{2066}\(number)\u{2069}" : number }

    /// "25m", from two hours on "2h05m": whole minutes.
    static func minutes(_ minutes: Int) -> String { TimeText.minutes(seconds: minutes * 60, isCountUp: true) }
}
