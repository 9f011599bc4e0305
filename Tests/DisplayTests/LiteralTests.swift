// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

/// Every string that a display shows comes from a catalogue.
struct LiteralTests {
    @Test func noDisplayHoldsALiteral() throws {
        let sources = try Project.files(under: "Sources/Display", where: { $0.hasSuffix(".swift") })
        #expect(sources.count > 20)
        for path in sources {
            for literal in ShownWords.swift(try Project.read(path)) {
                Issue.record("\(path):\(literal.line): “\(literal.text)” belongs in the catalogues")
            }
        }
    }

    @Test func noPageHoldsALiteral() throws {
        let folders = ["Sources/Web/Kiosk", "Sources/Web/Week"]
        for path in try folders.flatMap({ try Project.files(under: $0, where: { _ in true }) }) {
            let source = try Project.read(path)
            let literals =
                switch path.split(separator: ".").last {
                case "swift": ShownWords.swift(source)
                case "js": ShownWords.script(source)
                case "css": ShownWords.style(source)
                case "html", "svg": ShownWords.page(source)
                default: [Literal]()
                }
            for literal in literals {
                Issue.record("\(path):\(literal.line): “\(literal.text)” belongs in the catalogues")
            }
        }
    }

    @Test(arguments: [
        #"let text = "Paused""#, #"let text = "it is paused""#, #"let text = "\(minutes) min""#,
        #"let text = "\(minutes)min""#, #"let text = isOn ? "" : "pausé""#, #"let text = "休憩""#,
        #"f("\(isOn ? "On now" : "")")"#, #"let svg = "<text x=\"1\">Paused</text>""#,
        #"let svg = "<g aria-label=\"time left\">""#, #"let json = "{\"text\": \"no session\"}""#,
        "let text = \"\"\"\n    <b>\n    Paused\n    \"\"\"", ##"let text = #"one "two" three"#"##,
        #"let text = "rising""#,
        #"let text = "%{F#fff}Paused""#, "throw error\nlet text = \"Paused\"", #"let text = "no serif here""#,
    ])
    func found(source: String) { #expect(ShownWords.swift(source).count == 1, "\(source)") }

    @Test(arguments: [
        #"// let text = "Paused""#, #"/* "Paused" */ let key = "percent""#, #"let tag = "zh-Hans""#,
        #"let depth = term.hasSuffix("256color")"#, #"let text = "\(hours)h\(minutes)m""#, #"out += "\u{1B}[?25l""#,
        #"let svg = "<text x=\"1\" fill=\"none\">\(time)</text>""#, #"let svg = "<svg width=\"\(width)\"""#,
        #"let svg = " height=\"1\" class=\"large time\">""#, #"let json = "\"tooltip\": \"\(text)\"""#,
        #"let path = "M6 3h12M6 21h12zM7 3v3""#, #"let bar = "%{F\(colour)}\(time)%{F-}""#,
        ##"let tmux = "#[fg=colour2]\(time)#[default]""##, #"let name = "TERM""#, #"let name = "Lockstep""#,
    ])
    func passed(source: String) { #expect(ShownWords.swift(source).isEmpty, "\(ShownWords.swift(source))") }

    @Test func inPages() {
        let page = "<!doctype html><title>Lockstep</title><style>b{color:red}</style><b class=a></b>"
        #expect(ShownWords.page(page).isEmpty)
        #expect(!ShownWords.page("<p>Paused</p>").isEmpty)
        #expect(!ShownWords.page("<button title=\"Full screen\"></button>").isEmpty)
        #expect(ShownWords.script("'use strict'; on('click', `${a}:${b}`)").isEmpty)
        #expect(!ShownWords.script("show(`${seconds} s ago`)").isEmpty)
        #expect(ShownWords.style(".a::before { content: ''; font: bold 2em monospace }").isEmpty)
        #expect(!ShownWords.style(".a::before { content: 'Paused' }").isEmpty)
    }
}
