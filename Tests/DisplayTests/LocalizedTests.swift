// SPDX-License-Identifier: Apache-2.0

import Display
import Support
import Testing

@Suite(.timeLimit(.minutes(15))) struct LocalizedTests {
    @Test(arguments: ["Paused", "it is paused", "min", "pausé", "休憩", "no session"])
    func codeAddsNoWords(word: String) {
        #expect(!Localized.symbols("5 \(word)").description.contains(word))
        #expect(!Localized(stringLiteral: "5 \(word)").description.contains(word))
    }

    @Test(arguments: ["", "25:00", "2h05m", "≈5:00", "-120m", " · ", "▌▌", "⏳", "\u{2066}25m\u{2069}"])
    func codeAddsDigitsAndSigns(text: String) { #expect(Localized.symbols(text) == text) }

    @Test func aPersonsWordsAreKept() {
        let title = Localized.userText("Reading <b>")
        #expect(title == "Reading <b>")
        #expect(("\(title) · \(25)m" as Localized) == "Reading <b> · 25m")
    }

    /// The script gets every text from the node. The arguments of `say` and of comparisons are no texts.
    @Test(arguments: ["Kiosk/kiosk.js", "Shared/alerts.js", "Shared/live.js", "Remote/remote.js"])
    func aScriptAssignsNoWords(file: String) throws {
        let lines = try Project.read("Sources/Web/\(file)").split(separator: "\n")
        for line in lines.filter({ $0.contains(/textContent = |\btext = |\bwrite\(|\btell\(/) }) {
            let shown = line.replacing(/\[[^\]]*\]\.includes|(\bsay\([^"]*|\bpart\(|=== )"\w+"/, with: "")
            let literals = shown.matches(of: /"[^"]*"|'[^']*'|`[^`]*`/)
            #expect(!literals.contains { $0.output.contains(/\p{L}{2}/) }, "\(line)")
        }
    }

    @Test(arguments: ["Kiosk/kiosk.html", "Remote/remote.html"]) func aPageHoldsNoWords(file: String) throws {
        let page = try Project.read("Sources/Web/\(file)")
        #expect(!page.replacing(/<[^>]*>/, with: " ").contains(/\p{L}{2}/))
        #expect(!page.contains(/\b(?:alt|title|placeholder|aria-label)="[^"]*\p{L}{2}/))
    }
}

/// Compares texts with the words that a test expects.
func == (text: Localized, other: String) -> Bool { text.description == other }
func == (text: Localized?, other: String?) -> Bool { text?.description == other }
func == (texts: [Localized], other: [String]) -> Bool { texts.map(\.description) == other }
