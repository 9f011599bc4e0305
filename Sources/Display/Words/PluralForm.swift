// SPDX-License-Identifier: Apache-2.0

/// The forms that a language can have for numbers of things, by the names of Unicode's CLDR.
public enum PluralForm: String, CaseIterable, Sendable {
    case zero, one, two, few, many, other

    /// The form for a whole number in a language, by CLDR's cardinal rules.
    public init(of count: Int, in language: String) {
        let (ten, hundred) = (count % 10, count % 100)
        self =
            switch language {
            case "ja", "ko", "zh-Hans": .other
            case "fr": count <= 1 ? .one : .other
            case "pt": count <= 1 ? .one : .other
            case "ro": count == 1 ? .one : count == 0 || (1...19).contains(hundred) ? .few : .other
            case "pl":
                count == 1 ? .one : (2...4).contains(ten) && !(12...14).contains(hundred) ? .few : .many
            case "ar":
                switch count {
                case 0: .zero
                case 1: .one
                case 2: .two
                default: (3...10).contains(hundred) ? .few : hundred >= 11 ? .many : .other
                }
            default: count == 1 ? .one : .other
            }
    }

    /// The forms that a language tells apart for the numbers that displays show.
    public static func forms(of language: String) -> Set<PluralForm> {
        switch language {
        case "ja", "ko", "zh-Hans": [.other]
        case "ro": [.one, .few, .other]
        case "pl": [.one, .few, .many]
        case "ar": [.zero, .one, .two, .few, .many, .other]
        default: [.one, .other]
        }
    }
}
