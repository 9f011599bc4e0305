// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Display

/// The options for what a page or a terminal shows.
struct DisplayOptions: ParsableArguments {
    @Option(help: "The face (default: \(Face.focus)).")
    var face: Face?

    @Option(
        help: "The hours in which the screen is dark without a session, as 23:00-07:00.",
        transform: { text in
            guard let hours = BlankHours(text) else { throw ValidationError("it must be hours such as 23:00-07:00") }
            return hours
        })
    var blank: BlankHours?

    @Option(help: "What is shown without a session, except on the boring face (default: \(Idle.clock)).")
    var idle: Idle?

    @Option(
        help:
            "How long before its end a running phase is marked, as 5m; never on the boring face (default: not at all).",
        transform: { text in
            guard let near = EndWarning(text) else { throw ValidationError("it must be a duration such as 5m or 90s") }
            return near
        })
    var near: EndWarning?
}

/// The options for what a page shows, each of which is a parameter of its address.
struct PageOptions: ParsableArguments {
    @OptionGroup var display: DisplayOptions

    @Option(help: "The language (default: that of the browser): \(Catalogue.languages.joined(separator: ", ")).")
    var lang: String?

    @Option(help: "The colours.")
    var theme: Theme?

    var parameters: [(name: String, value: String?)] {
        [
            ("face", display.face?.rawValue), ("lang", lang.flatMap(Catalogue.match)?.language),
            ("theme", theme?.rawValue), ("blank", display.blank?.description), ("idle", display.idle?.rawValue),
            ("near", display.near?.description),
        ]
    }

    func validate() throws { try LanguageOptions.check(lang) }
}

extension Face: ExpressibleByArgument {}
extension Idle: ExpressibleByArgument {}
extension Theme: ExpressibleByArgument {}
