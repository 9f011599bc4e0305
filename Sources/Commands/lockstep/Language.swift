// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display
import FoundationEssentials

/// Which language a display speaks.
struct LanguageOptions: ParsableArguments {
    @Option(help: "The language, as de or pt-BR (default: that of the environment).")
    var lang: String?

    /// Its strings: the option's, else those that the locale asks for, else English.
    var strings: Strings {
        let environment = ProcessInfo.processInfo.environment
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        return Catalogue.best(for: [lang, locale].compactMap(\.self))
    }
}
