// SPDX-License-Identifier: Apache-2.0

import API
import FoundationEssentials
import Session
import Support
import Testing

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct CatalogueTests {
    static let languages = [
        "en", "ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ro", "sv", "tr", "zh-Hans",
    ]
    private static let rightToLeft: Set = ["ar"]

    /// The content of a catalogue file, including keys that programs ignore.
    private struct File: Decodable {
        var language: String
        var name: String
        var direction: String
        var strings: [String: Strings.Entry]
    }

    private func file(_ language: String) throws -> File {
        let bytes = try #require(Catalogue.file(of: language))
        return try JSONDecoder().decode(File.self, from: Data(bytes))
    }

    private func braces(_ text: String) -> [String] { text.matches(of: /\{[^}]*\}/).map { String($0.output) }.sorted() }

    @Test func eachLanguageIsEmbedded() { #expect(Catalogue.languages == Self.languages) }

    @Test(arguments: languages) func embeddedCatalogueEqualsItsSource(language: String) throws {
        let bytes = try #require(Catalogue.file(of: language))
        let source = try Project.read("Sources/Display/Languages/\(language).json")
        #expect(String(decoding: bytes, as: UTF8.self) == source)
    }

    @Test(arguments: languages) func catalogueHasExactlyTheKnownKeys(language: String) throws {
        let file = try file(language)
        #expect(Set(file.strings.keys) == Set(Strings.Key.allCases.map(\.rawValue)))
        let lines = try Project.read("Sources/Display/Languages/\(language).json").matches(of: /\n {4}"/)
        #expect(lines.count == file.strings.count, "a key is a duplicate")
        #expect(file.language == language)
        #expect(!file.name.isEmpty)
        #expect(file.direction == (Self.rightToLeft.contains(language) ? "rtl" : "ltr"))
    }

    @Test(arguments: languages) func pluralsHaveEveryForm(language: String) throws {
        let forms = PluralForm.forms(of: language)
        for (key, value) in try file(language).strings {
            guard case .plural(let texts) = value else { continue }
            #expect(Set(texts.keys) == forms, "\(key)")
        }
        let counted = try file("en").strings.filter { if case .plural = $0.value { true } else { false } }
        for key in counted.keys {
            guard case .plural = try file(language).strings[key] else {
                Issue.record("\(key) has a count and no plural forms")
                continue
            }
        }
    }

    /// A plural form for a single number may have the number in words.
    @Test(arguments: languages) func bracesEqualThoseOfEnglish(language: String) throws {
        let inWords = PluralForm.allCases.filter { form in
            (0..<1_000).count { PluralForm(of: $0, in: language) == form } == 1
        }
        let english = try file("en").strings
        for (key, value) in try file(language).strings {
            let wanted = english[key]?.texts.values.first.map(braces) ?? []
            for (form, text) in value.texts {
                let isInWords = inWords.contains(form) && braces(text) == wanted.filter { $0 != "{count}" }
                let isRight = isInWords || braces(text) == wanted
                #expect(isRight, "\(key) \(form): \(text)")
            }
        }
    }

    @Test(arguments: languages) func textsAreClean(language: String) throws {
        for (key, value) in try file(language).strings {
            for text in value.texts.values {
                #expect(!text.isEmpty, "\(key)")
                #expect(!text.hasPrefix(" "), "\(key)")
                #expect(!text.hasSuffix(" "), "\(key)")
                #expect(text.unicodeScalars.allSatisfy(CleanText.isClean), "\(key): \(text)")
            }
        }
        #expect(Catalogue.strings(language)?[.hourMark].description.count == 1, "times have at most five characters")
    }

    /// Three buttons must fit side by side on a small screen, two on the calm face.
    @Test(arguments: languages) func buttonsAreShort(language: String) throws {
        let strings = try #require(Catalogue.strings(language))
        for operation in [.pause, .resume, .stop, Buttons.extend, .startBreak, .startFocus] {
            let text = try #require(Buttons.text(of: .press(operation), face: .focus, strings: strings))
            #expect(TerminalText.displayWidth(text) <= 15, "\(text)")
        }
        for key in [Strings.Key.endSession, .takeHere] { #expect(TerminalText.displayWidth(strings[key]) <= 19) }
    }

    @Test(arguments: languages) func colourOfALabelHasANameOfItsOwn(language: String) throws {
        let strings = try #require(Catalogue.strings(language))
        let names = try NamedColours.labels.map { strings[try #require(Strings.Key(rawValue: "\($0.name)Colour"))] }
        #expect(Set(names.map(\.description)).count == NamedColours.labels.count)
    }

    /// The text must fit between the margins of a terminal with 80 columns.
    @Test(arguments: languages) func aPressWithoutAnAnswerSaysWhenItIsOver(language: String) throws {
        let strings = try #require(Catalogue.strings(language))
        let text = RefusalText.text(.noAnswer, strings)
        #expect(text.description.contains("\(Limits.intentLife / 1_000)"))
        #expect(TerminalText.displayWidth(text) <= 72, "\(text)")
    }

    @Test(arguments: [
        ("de", "de"), ("de_AT.UTF-8", "de"), ("de_DE@euro", "de"), ("pt_BR", "pt"), ("pt-PT", "pt"), ("PT", "pt"),
        ("zh_CN.UTF-8", "zh-Hans"), ("zh-TW", "zh-Hans"), ("zh-hans", "zh-Hans"), ("ar_EG.UTF-8", "ar"),
        ("en_GB.UTF-8", "en"),
    ])
    func preferenceMatchesALanguage(wish: String, language: String) {
        #expect(Catalogue.match(wish)?.language == language)
    }

    @Test(arguments: ["", "C", "C.UTF-8", "POSIX", "xx", "d", "den", "_", "-", "..", "@", "*", "../de", "\u{0}", "🇩🇪"])
    func unknownPreferenceMatchesNothing(wish: String) {
        #expect(Catalogue.match(wish) == nil)
        #expect(Catalogue.best(for: [wish]) == .english)
        #expect(Catalogue.best(for: [wish, "sv"]).language == "sv")
    }

    @Test(arguments: [
        (["LANG": "de_AT.UTF-8"], "de"), (["LANG": "de", "LC_MESSAGES": "fr"], "fr"),
        (["LANG": "de", "LC_MESSAGES": "fr", "LC_ALL": "it"], "it"), (["LANG": "de", "LC_ALL": ""], "de"),
        (["LANG": "de", "LC_ALL": "C"], "en"), (["LC_CTYPE": "de"], "en"), ([:], "en"),
    ])
    func environmentSelectsTheLanguage(variables: [String: String], language: String) {
        #expect(Catalogue.best { variables[$0] }.language == language)
    }

    @Test(arguments: [
        ("fr", "fr"), ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr"), ("en;q=0.1,ja;q=0.9", "ja"),
        ("xx, sv;q=0.2", "sv"), ("de;q=0, ro;q=0.1", "ro"), ("de;q=0", "en"), ("de ; q=0.5, it ; q=0.6", "it"),
        ("nl, tr", "nl"), ("", "en"), (",,;;q=,", "en"), ("de;q=nan", "en"), ("de;q=x, pl;q=0.3", "pl"), ("*", "en"),
        ("zh-CN,zh;q=0.9", "zh-Hans"),
    ])
    func acceptLanguageSelectsTheLanguage(header: String, language: String) {
        #expect(Catalogue.best(forAcceptLanguage: header).language == language)
    }

    /// The samples that CLDR gives for its cardinal rules.
    @Test(arguments: [
        ("en", [PluralForm.one: [1], .other: [0, 2, 3, 11, 16, 21, 100, 101, 1_000, 10_000]]),
        ("de", [.one: [1], .other: [0, 2, 16, 21, 100, 1_000]]), ("nl", [.one: [1], .other: [0, 2, 16, 21, 100]]),
        ("sv", [.one: [1], .other: [0, 2, 16, 21, 100]]), ("it", [.one: [1], .other: [0, 2, 16, 21, 100]]),
        ("es", [.one: [1], .other: [0, 2, 16, 21, 100]]), ("tr", [.one: [1], .other: [0, 2, 16, 21, 100]]),
        ("fr", [.one: [0, 1], .other: [2, 17, 100, 1_000]]), ("pt", [.one: [0, 1], .other: [2, 17, 100, 1_000]]),
        ("ro", [.one: [1], .few: [0, 2, 16, 19, 101, 119, 1_001], .other: [20, 35, 100, 120, 1_000]]),
        (
            "pl",
            [
                .one: [1], .few: [2, 4, 22, 24, 32, 34, 42, 62, 102, 1_002],
                .many: [0, 5, 11, 12, 14, 19, 21, 100, 112, 1_000],
            ]
        ),
        (
            "ar",
            [
                .zero: [0], .one: [1], .two: [2], .few: [3, 10, 103, 110, 1_003], .many: [11, 26, 99, 111, 1_011],
                .other: [100, 102, 200, 202, 300, 302, 1_000, 10_000],
            ]
        ),
        ("ja", [.other: [0, 1, 2, 15, 100]]), ("ko", [.other: [0, 1, 2, 15, 100]]),
        ("zh-Hans", [.other: [0, 1, 2, 15, 100]]),
    ])
    func pluralFormsFollowCLDR(language: String, samples: [PluralForm: [Int]]) {
        for (form, counts) in samples {
            for count in counts { #expect(PluralForm(of: count, in: language) == form, "\(count)") }
        }
        #expect(Set(samples.keys) == PluralForm.forms(of: language))
        for count in 0..<1_200 {
            #expect(PluralForm.forms(of: language).contains(PluralForm(of: count, in: language)))
        }
    }

    @Test func countSelectsThePluralForm() throws {
        let polish = try #require(Catalogue.strings("pl"))
        #expect(polish.text(.timeLeft, count: 1) == "Została 1 minuta")
        #expect(polish.text(.timeLeft, count: 3) == "Zostały 3 minuty")
        #expect(polish.text(.timeLeft, count: 25) == "Zostało 25 minut")
        #expect(polish[.timeLeft] == "Zostało {count} minut")
        let arabic = try #require(Catalogue.strings("ar"))
        #expect(arabic.text(.secondsLeft, count: 2) == "بقيت ثانيتان")
        #expect(try #require(Catalogue.strings("tr")).text(.percent, count: 85) == "%85")
        #expect(try #require(Catalogue.strings("de")).text(.percent, count: 85) == "85\u{A0}%")
    }

    @Test func everyRefusalHasAText() {
        let keys = Refusal.allCases.map { RefusalText.key(of: $0) }
        #expect(Set(keys).count == keys.count)
        #expect(RefusalText.key(of: nil) == .refusedNotAllowed)
    }
}

extension Strings.Entry {
    /// The texts by plural form; `other` if there are no forms.
    fileprivate var texts: [PluralForm: String] {
        switch self {
        case .text(let text): [.other: text]
        case .plural(let forms): forms
        }
    }
}
