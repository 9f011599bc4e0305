// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Glibc

/// The option for the format of the output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON, for programs.")
    var json = false
}

/// The option for the language in which a command draws.
struct LanguageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language of what is drawn (default: that of LC_ALL, LC_MESSAGES or LANG).",
            discussion: Catalogue.languages.joined(separator: " ")),
        completion: .list(Catalogue.languages))
    var lang: String?

    func validate() throws { try Self.check(lang) }

    static func check(_ lang: String?) throws {
        guard let lang, Catalogue.match(lang) == nil else { return }
        throw ValidationError("--lang “\(lang)”: there are \(Catalogue.languages.joined(separator: ", "))")
    }

    var strings: Strings { lang.flatMap(Catalogue.match) ?? Self.ofEnvironment }

    static var ofEnvironment: Strings { Catalogue.best { name in getenv(name).map { String(cString: $0) } } }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// All values, for a help text.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
