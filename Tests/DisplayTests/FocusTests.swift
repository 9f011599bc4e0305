// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Display

@Suite(.computing) struct FocusTests {
    private func screens() -> [Screen] {
        let plan = [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, seconds: 7_200)]
        let labels: [Label?] = [
            nil, Label(name: "Reading"), Label(name: "読書とノート 📚 und noch ein langer Name", colour: .grey),
        ]
        return labels.flatMap { label in
            Status.allCases.filter { $0 != .stopped }.flatMap { status in
                [0, 1].flatMap { phase in
                    [nil, Int64(-60_000)].map { lost in
                        let register = sample(
                            plan, phase: phase, status: status, elapsed: 61_000, label: label, title: "Chapter four")
                        let options = ScreenOptions(pending: .stop, message: lost == nil ? nil : "Refused: not now")
                        return Screen(view(register, lostAt: lost), at: 0, face: .focus, options: options)
                    }
                }
            }
        }
    }

    /// In digits drawn large or as text: no part of the time is ever missing, whatever else is on the screen.
    @Test func timeIsCompleteAtAnySize() {
        let screens = screens()
        for (step, depth) in [(1, ColourDepth.full), (7, .sixteen)] {
            for (index, size) in sizes.enumerated() {
                let screen = screens[(index * step) % screens.count]
                let canvas = canvas(screen, size.columns, size.rows, depth)
                #expect(showsTime(of: screen, on: canvas), "\(size) \(screen.time) \(screen.stateText)")
            }
        }
    }

    private func showsTime(of screen: Screen, on canvas: Canvas) -> Bool {
        let rows = (0..<canvas.rows).map { canvas.text(row: $0) }
        if screen.times.contains(where: { time in rows.contains { $0.contains(time) } }) { return true }
        let there = blocks(of: canvas)
        return BigDigits.sizes.contains { digits in
            guard digits.rows <= canvas.rows, digits.width(of: screen.time) <= canvas.columns else { return false }
            let pixmap = digits.pixmap(of: screen.time)
            var picture = Canvas(columns: pixmap.width, rows: pixmap.rows, background: nil)
            picture.draw(pixmap, column: 0, row: 0, line: Style())
            return contains(blocks(of: picture), in: there)
        }
    }

    /// The pixels of each cell: 1 for the upper, 2 for the lower, 4 for anything else.
    private func blocks(of canvas: Canvas) -> [[UInt8]] {
        let codes: [String: UInt8] = [" ": 0, "▀": 1, "▄": 2, "█": 3]
        return (0..<canvas.rows).map { row in (0..<canvas.columns).map { codes[canvas[$0, row].text] ?? 4 } }
    }

    private func contains(_ part: [[UInt8]], in whole: [[UInt8]]) -> Bool {
        for top in 0...(whole.count - part.count) {
            for left in 0...(whole[0].count - part[0].count) {
                let isThere = part.indices.allSatisfy { row in
                    whole[top + row][left..<left + part[row].count].elementsEqual(part[row])
                }
                if isThere { return true }
            }
        }
        return false
    }

    private func text(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> String {
        let canvas = canvas(screen, columns, rows, depth)
        return (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
    }

    @Test func everythingAtTheUsualSize() {
        let label = Label(name: "Reading", colour: Colour(red: 0x7C, green: 0xB9, blue: 0xA8))
        let screen = Screen(view(sample(label: label)), at: 628_000, face: .focus)
        let canvas = canvas(screen, 80, 24)
        let text = text(screen, 80, 24)
        for part in ["# Reading", "Focus in progress", "Pause  p", "+1 min  +", "Start break  b"] {
            #expect(text.contains(part), "\(part)")
        }
        let tag = (0..<24).flatMap { row in (0..<80).map { canvas[$0, row] } }.first { $0.text == "#" }
        #expect(tag?.style.foreground == label.colour)
        #expect(canvas[0, 0].style.background == Colour(red: 0, green: 0, blue: 0))
    }

    @Test func defaultLabelShowsTheStateOnce() {
        let text = text(Screen(view(sample()), at: 0, face: .focus), 80, 24)
        #expect(text.split(separator: "Focus in progress", omittingEmptySubsequences: false).count == 2)
        #expect(!text.contains("#"))
    }

    @Test func buttonsHaveBracketsWithoutColours() {
        for depth in [ColourDepth.none, .sixteen] {
            #expect(text(Screen(view(sample()), at: 0, face: .focus), 80, 24, depth).contains("[p] Pause"))
        }
    }

    @Test func pausedLooksDifferentEvenAsBareTime() {
        let running = canvas(Screen(view(sample()), at: 0, face: .focus), 5, 1)
        let paused = canvas(Screen(view(sample(status: .paused)), at: 0, face: .focus), 5, 1)
        #expect(running.text(row: 0) == paused.text(row: 0))
        for depth in ColourDepth.allCases {
            #expect(
                AnsiRenderer.text(from: nil, to: running, depth: depth)
                    != AnsiRenderer.text(from: nil, to: paused, depth: depth))
        }
    }

    @Test func staleSaysSoWithoutButtons() {
        let screen = Screen(view(sample(), lostAt: 0), at: 45_000, face: .focus)
        for (columns, rows) in [(80, 24), (40, 24), (40, 10), (40, 1), (60, 5)] {
            let text = text(screen, columns, rows)
            #expect(text.contains("Last heard 45 s ago"), "\(columns) \(rows)\n\(text)")
            #expect(!text.contains("Pause"))
        }
    }

    @Test func idleSaysHowToBegin() {
        #expect(text(Screen(view(nil), at: 0, face: .focus), 80, 24).contains("lockstep start"))
        for size in sizes {
            _ = canvas(Screen(view(nil, isLinked: false), at: 0, face: .focus), size.columns, size.rows)
        }
    }

    @Test func emptyTerminals() {
        for face in Face.allCases {
            for (columns, rows) in [(0, 0), (1, 1), (4, 1), (0, 9), (9, 0)] {
                _ = canvas(Screen(view(sample()), at: 0, face: face), columns, rows)
            }
        }
    }
}
