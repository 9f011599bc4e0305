// SPDX-License-Identifier: Apache-2.0

import CAssets
import FoundationEssentials

/// The embedded languages, one JSON file each in `Languages`.
package enum Catalogue {
    /// The BCP 47 tags, English first.
    package static let languages: [String] = {
        let found = embedded.map { String(cString: $0.name) }
        return ["en"] + found.filter { $0 != "en" }.sorted()
    }()

    private static var embedded: [asset] { (0..<language_count()).map(language_at) }

    /// Returns the file of a language; `nil` if there is none.
    static func file(of language: String) -> [UInt8]? {
        embedded.first { String(cString: $0.name) == language }
            .map { Array(UnsafeBufferPointer(start: $0.bytes, count: $0.count)) }
    }

    package static func strings(_ language: String) -> Strings? {
        file(of: language).flatMap { try? Strings(catalogue: $0) }
    }

    /// Returns the best language for a preference; `nil` if none matches.
    ///
    /// A preference is a tag (`pt-BR`), a locale (`de_AT.UTF-8`) or an item of an Accept-Language header (`fr;q=0.8`).
    /// The region and what follows it are ignored if there is no better match.
    package static func match(_ wish: String) -> Strings? {
        let locale = wish.prefix { $0 != "." && $0 != "@" && $0 != ";" }
        let tag = String(locale.map { $0 == "_" ? "-" : $0 }).lowercased()
        guard let primary = tag.split(separator: "-").first else { return nil }
        let exact = languages.first { $0.lowercased() == tag }
        let near = languages.first { $0.lowercased().split(separator: "-").first == primary }
        return (exact ?? near).flatMap(strings)
    }

    /// Returns the first preferred language that exists, else English.
    package static func best(for wishes: [String]) -> Strings {
        wishes.lazy.compactMap(match).first ?? .english
    }

    /// Returns the language of a POSIX environment: of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set.
    package static func best(environment: (String) -> String?) -> Strings {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        return best(for: set.map { [$0] } ?? [])
    }

    /// Returns the best language for an Accept-Language header, by its weights; a weight of 0 excludes a language.
    package static func best(forAcceptLanguage header: String) -> Strings {
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
    /// English, the fallback for keys that a catalogue lacks.
    package static let english =
        Catalogue.strings("en") ?? Strings(language: "en", isRightToLeft: false, entries: [:])

    /// The JSON of a catalogue.
    private struct File: Decodable {
        var language: String
        var direction: String
        var strings: [String: Entry]
    }

    /// Decodes a catalogue file. Unknown keys are ignored.
    init(catalogue bytes: [UInt8]) throws {
        let file = try JSONDecoder().decode(File.self, from: Data(bytes))
        let known = file.strings.compactMap { name, entry in Key(rawValue: name).map { ($0, entry) } }
        self.init(
            language: file.language, isRightToLeft: file.direction == "rtl",
            entries: Dictionary(uniqueKeysWithValues: known))
    }
}
