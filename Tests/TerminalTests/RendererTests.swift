// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(15))) struct RendererTests {
    private static let words = ["14:32", "漢字", "📚", "é", "█▀▄", "a", "  ", "読書 x", "e\u{301}"]
    private static let colours: [Colour?] = [nil, .grey, Colour(red: 200, green: 10, blue: 10)]

    private func scribble(on canvas: inout Canvas, with dice: inout Random) {
        for _ in 0..<Int.random(in: 0...6, using: &dice) {
            let style = Style(
                Self.colours.randomElement(using: &dice) ?? nil, on: Self.colours.randomElement(using: &dice) ?? nil,
                bold: .random(using: &dice), faint: .random(using: &dice))
            canvas.write(
                .userText(Self.words.randomElement(using: &dice) ?? ""), column: .random(in: -2...13, using: &dice),
                row: .random(in: -1...5, using: &dice), style: style)
        }
    }

    private func colour(_ codes: String, _ colour: Colour?) -> Bool {
        guard let colour else { return codes.hasSuffix("9") && codes.count == 2 }
        return codes.hasSuffix(";2;\(colour.red);\(colour.green);\(colour.blue)")
    }

    @Test(arguments: 0..<60)
    func rendererSendsExactlyTheDifferences(seed: Int) {
        var dice = Random(seed: UInt64(seed) &* 7_919 &+ 13)
        var terminal = ModelTerminal(columns: 12, rows: 5)
        var shown: Canvas?
        var next = Canvas(columns: 12, rows: 5, background: .grey)
        for _ in 0..<20 {
            scribble(on: &next, with: &dice)
            terminal.printed = 0
            terminal.take(AnsiRenderer.text(from: shown, to: next, depth: .full))
            var changed = 0
            for row in 0..<5 {
                for column in 0..<12 {
                    let cell = next[column, row]
                    let there = terminal.cells[row][column]
                    #expect(there.text == cell.text)
                    #expect(there.bold == cell.style.isBold)
                    #expect(colour(there.foreground, cell.style.foreground))
                    #expect(colour(there.background, cell.style.background))
                    if cell.width > 0, shown?[column, row] != cell { changed += 1 }
                }
            }
            #expect(terminal.printed == changed)
            #expect(terminal.faults.isEmpty, "\(terminal.faults)")
            shown = next
        }
    }

    @Test func samePictureSendsNothing() {
        let canvas = canvas(Screen(makeView(makeRegister()), at: 0, face: .focus), 80, 24)
        #expect(AnsiRenderer.text(from: canvas, to: canvas, depth: .full).isEmpty)
    }

    @Test func nextSecondIsAShortUpdate() {
        let first = canvas(Screen(makeView(makeRegister()), at: 0, face: .focus), 80, 24)
        let second = canvas(Screen(makeView(makeRegister()), at: 2_000, face: .focus), 80, 24)
        let text = AnsiRenderer.text(from: first, to: second, depth: .full)
        #expect(!text.isEmpty, "\(text.utf8.count)")
        #expect(text.utf8.count < 1_200, "\(text.utf8.count)")
    }

    @Test func anotherSizeIsDrawnCompletely() {
        let small = Canvas(columns: 3, rows: 1, background: nil)
        let large = Canvas(columns: 4, rows: 1, background: nil)
        #expect(AnsiRenderer.text(from: small, to: large, depth: .none) == "\u{1B}[1;1H\u{1B}[0m    ")
    }

    @Test(arguments: [
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], ColourDepth.full),
        (["TERM": "xterm-256color"], .indexed), (["TERM": "tmux-256color"], .indexed), (["TERM": "xterm"], .sixteen),
        (["TERM": "linux", "COLORTERM": "truecolor"], .sixteen), (["TERM": "dumb"], .none), ([:], .none),
        (["TERM": "vt220"], .none), (["TERM": "xterm-kitty"], .full),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
        (["TERM": "xterm-256color", "NO_COLOR": ""], .indexed),
    ])
    func environmentSelectsTheColourDepth(variables: [String: String], depth: ColourDepth) {
        #expect(ColourDepth { variables[$0] } == depth)
    }
}
