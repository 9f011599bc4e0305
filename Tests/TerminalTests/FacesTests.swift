// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Testing
import Wire

@testable import Terminal

/// Rules of all faces with buttons, on terminals of any size.
@Suite(.cpuBound) struct FacesTests {
    static let faces: [Face] = [.focus, .calm, .phases]

    private func screens(_ face: Face) -> [Screen] {
        let plan = [
            Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 7_200),
            Phase(kind: .focus, seconds: 1_500),
        ]
        let labels: [Label?] = [
            nil, Label(name: "Reading"), Label(name: "読書とノート 📚 und noch ein langer Name", colour: .grey),
        ]
        var screens: [Screen] = []
        for (index, status) in (Status.allCases + Status.allCases).enumerated() where status != .stopped {
            for phase in [0, 1] {
                for lost in [nil, BootTime(-60_000)] {
                    let register = makeRegister(
                        plan, phase: phase, status: status, elapsed: 61_000, label: labels[index % 3],
                        title: index % 2 == 0 ? "Chapter four" : "")
                    let options = ScreenOptions(
                        strings: Catalogue.best(for: [["en", "de", "ar", "ja"][index % 4]]),
                        pending: .press(.stop), answer: lost == nil ? nil : .userText("Refused: not now"),
                        calm: makeCalmFeed(85, .rising))
                    screens.append(Screen(makeView(register, lostAt: lost), at: 0, face: face, options: options))
                }
            }
        }
        return screens
    }

    /// The time is complete, in large digits or as text, or missing if there is no room.
    @Test(arguments: faces) func timeIsCompleteOrMissing(face: Face) {
        let screens = screens(face)
        for (index, size) in randomSizes(80).enumerated() {
            let screen = screens[index * 7 % screens.count]
            let depth = ColourDepth.allCases[index % 4]
            let canvas = canvas(screen, size.columns, size.rows, depth)
            let narrowest = screen.times.map(\.description.count).min() ?? 0
            if size.columns >= narrowest {
                #expect(ShownTime.isComplete(of: screen, on: canvas), "\(size) \(depth) \(screen.time)")
            } else {
                let text = (0..<size.rows).map { canvas.text(row: $0) }.joined()
                #expect(!text.contains { $0.isNumber || $0 == "█" }, "\(size): \(text)")
            }
        }
    }

    @Test func emptyTerminalCrashesNoFace() {
        for face in Face.allCases {
            for (columns, rows) in [(0, 0), (1, 1), (4, 1), (0, 9), (9, 0)] {
                _ = canvas(Screen(makeView(makeRegister()), at: 0, face: face), columns, rows)
            }
        }
    }

    /// A click on any cell of a button presses it; a click elsewhere presses no button.
    @Test(arguments: faces, ColourDepth.allCases) func clickTargetsMatchTheDrawnButtons(face: Face, depth: ColourDepth)
    {
        for (columns, rows) in [(80, 24), (40, 12), (120, 40), (30, 24), (200, 60)] {
            let screen = Screen(makeView(makeRegister(title: "Chapter four")), at: 0, face: face)
            let canvas = canvas(screen, columns, rows, depth)
            var cells: [Button.Action: [(column: Int, row: Int)]] = [:]
            for row in -1...rows {
                for column in -1...columns {
                    guard let action = canvas.action(column: column, row: row) else { continue }
                    cells[action, default: []].append((column, row))
                }
            }
            #expect(Set(cells.keys) == Set(screen.buttons.map(\.action)), "\(columns) × \(rows)")
            for button in screen.buttons {
                let area = cells[button.action] ?? []
                #expect(area.allSatisfy { (0..<columns).contains($0.column) && (0..<rows).contains($0.row) })
                let drawn = Dictionary(grouping: area, by: \.row).values.map { cells in
                    cells.map { canvas[$0.column, $0.row].text }.joined()
                }
                #expect(drawn.contains { $0.contains(button.text.description) }, "\(button.text): \(drawn)")
                #expect(drawn.allSatisfy { !$0.hasPrefix("  ") || $0.contains(button.text.description) }, "\(drawn)")
            }
        }
    }

    @Test(arguments: Face.allCases) func screenWithoutButtonsHasNoTargets(face: Face) {
        let options = ScreenOptions(isReadOnly: true)
        let screens = [
            Screen(makeView(makeRegister()), at: 0, face: face, options: options),
            Screen(makeView(nil), at: 0, face: face),
            Screen(makeView(makeRegister(), lostAt: 0), at: 40_000, face: face),
            Screen(makeView(makeRegister()), at: 0, face: .boring),
        ]
        for screen in screens {
            let canvas = canvas(screen, 80, 24)
            #expect(
                (0..<24).allSatisfy { row in (0..<80).allSatisfy { canvas.action(column: $0, row: row) == nil } })
        }
    }

    /// Long words and wide characters have room on a usual terminal, in every language.
    @Test(arguments: Catalogue.languages) func everyLanguageFits(language: String) throws {
        let strings = try #require(Catalogue.strings(language))
        let options = ScreenOptions(strings: strings, calm: makeCalmFeed(85, .falling))
        for face in Self.faces {
            for status in [Status.running, .paused, .ready] {
                let screen = Screen(makeView(makeRegister(status: status)), at: 0, face: face, options: options)
                for (columns, rows) in [(80, 24), (60, 20)] {
                    let canvas = canvas(screen, columns, rows)
                    let text = (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
                    for button in screen.buttons {
                        #expect(text.contains(button.text.description), "\(button.text)\n\(text)")
                    }
                    if let calm = screen.calmText { #expect(text.contains("\(calm) ↘"), "\(text)") }
                }
            }
        }
    }
}
