// SPDX-License-Identifier: Apache-2.0

/// The plural categories of Unicode's CLDR.
package enum PluralForm: String, CaseIterable, Decodable, CodingKeyRepresentable, Sendable {
    case zero, one, two, few, many, other

    /// Returns the form for a whole number in a language, by CLDR's cardinal rules.
    package init(of count: Int, in language: String) {
        let (ten, hundred) = (count % 10, count % 100)
        self =
            switch language {
            case "ja", "ko", "zh-Hans": .other
            case "fr", "pt": count <= 1 ? .one : .other
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

    package static func forms(of language: String) -> Set<PluralForm> {
        Set((0...200).map { PluralForm(of: $0, in: language) })
    }
}
