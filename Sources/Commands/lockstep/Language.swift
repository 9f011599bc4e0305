// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import Glibc

/// Which language a command draws in.
struct LanguageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The language of what is drawn (default: that of LC_ALL, LC_MESSAGES or LANG).",
            discussion: Catalogue.languages.joined(separator: " ")),
        completion: .list(Catalogue.languages))
    var lang: String?

    func validate() throws {
        guard let lang, Catalogue.match(lang) == nil else { return }
        throw ValidationError("--lang “\(lang)”: there are \(Catalogue.languages.joined(separator: ", "))")
    }

    /// The strings of the language.
    var strings: Strings {
        lang.flatMap(Catalogue.match) ?? Self.ofEnvironment
    }

    /// The strings of a command that takes no language.
    static var ofEnvironment: Strings { Catalogue.best { name in getenv(name).map { String(cString: $0) } } }
}
