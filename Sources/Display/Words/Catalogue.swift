// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The languages that the programs carry, one JSON file each in `Languages`.
public enum Catalogue {
    /// Their tags, English first.
    public static let languages: [String] = {
        let found = Assets.names(withSuffix: suffix).map { String($0.dropLast(suffix.count)) }
        return ["en"] + found.filter { $0 != "en" }.sorted()
    }()

    private static let suffix = ".language.json"

    /// A language by its exact tag; `nil` where there is none.
    public static func strings(_ language: String) -> Strings? {
        guard let bytes = Assets.bytes(named: language + suffix) else { return nil }
        return try? Strings(catalogue: bytes)
    }

    /// The language that goes with a wish; `nil` where there is none.
    ///
    /// A wish can be a tag (`pt-BR`), a locale (`de_AT.UTF-8`) or an item of an Accept-Language header (`fr;q=0.8`);
    /// region and what follows are passed over where there is no better match.
    public static func match(_ wish: String) -> Strings? {
        let locale = wish.prefix { $0 != "." && $0 != "@" && $0 != ";" }
        let tag = String(locale.map { $0 == "_" ? "-" : $0 }).lowercased()
        guard let primary = tag.split(separator: "-").first else { return nil }
        let exact = languages.first { $0.lowercased() == tag }
        let near = languages.first { $0.lowercased().split(separator: "-").first == primary }
        return (exact ?? near).flatMap(strings)
    }

    /// The first of the wished languages that there is, else English.
    public static func best(for wishes: [String]) -> Strings {
        wishes.lazy.compactMap(match).first ?? .english
    }

    /// The language of an environment, by POSIX: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
    /// - Parameter environment: The value of a variable.
    public static func best(environment: (String) -> String?) -> Strings {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        return best(for: set.map { [$0] } ?? [])
    }

    /// The same, in the order of an Accept-Language header's weights; a weight of 0 means "not this one".
    public static func best(forAcceptLanguage header: String) -> Strings {
        let wishes = header.split(separator: ",").enumerated().map { index, item in
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            let given = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            return (tag: parts.first ?? "", weight: given ?? 1, index: index)
        }
        let wanted = wishes.filter { $0.weight > 0 }
        return best(for: wanted.sorted { ($1.weight, $0.index) < ($0.weight, $1.index) }.map(\.tag))
    }
}

extension Strings {
    /// English, which what a catalogue lacks falls back to.
    public static let english =
        Catalogue.strings("en") ?? Strings(language: "en", name: "English", isRightToLeft: false, entries: [:])

    private struct File: Decodable {
        var language: String
        var name: String
        var direction: String
        var strings: [String: Value]
    }

    private enum Value: Decodable {
        case text(String)
        case forms([String: String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .forms(try container.decode([String: String].self))
            }
        }
    }

    /// Reads a catalogue file; keys that this version does not know are passed over.
    init(catalogue bytes: [UInt8]) throws {
        let file = try JSONDecoder().decode(File.self, from: Data(bytes))
        var entries: [Key: Entry] = [:]
        for (name, value) in file.strings {
            guard let key = Key(rawValue: name) else { continue }
            switch value {
            case .text(let text): entries[key] = .text(text)
            case .forms(let forms):
                let known = forms.compactMap { name, text in PluralForm(rawValue: name).map { ($0, text) } }
                entries[key] = .plural(Dictionary(uniqueKeysWithValues: known))
            }
        }
        self.init(
            language: file.language, name: file.name, isRightToLeft: file.direction == "rtl", entries: entries)
    }
}
