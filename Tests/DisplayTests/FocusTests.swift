// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Display

@Suite(.cpuBound) struct FocusTests {
    private func text(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> String {
        let canvas = canvas(screen, columns, rows, depth)
        return (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
    }

    @Test func faceShowsEverythingAtTheUsualSize() {
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

    @Test func buttonsStandInTheMiddle() throws {
        for (columns, rows) in [(160, 45), (80, 24), (40, 30)] {
            let lines = text(Screen(view(sample()), at: 0, face: .focus), columns, rows).split(separator: "\n")
            let line = try #require(lines.first { $0.contains("Pause") })
            let before = line.prefix { $0 == " " }.count
            let after = columns - line.count + line.reversed().prefix { $0 == " " }.count
            #expect(abs(before - after) <= 4, "\(line)")
        }
    }

    @Test func staleScreenHasANoticeAndNoButtons() {
        let screen = Screen(view(sample(), lostAt: 0), at: 45_000, face: .focus)
        for (columns, rows) in [(80, 24), (40, 24), (40, 10), (40, 1), (60, 5)] {
            let text = text(screen, columns, rows)
            #expect(text.contains("Last heard 45 s ago"), "\(columns) \(rows)\n\(text)")
            #expect(!text.contains("Pause"))
        }
    }

    @Test func idleScreenNamesTheStartCommand() {
        #expect(text(Screen(view(nil), at: 0, face: .focus), 80, 24).contains("lockstep start"))
        for size in randomSizes(40) {
            _ = canvas(Screen(view(nil, isLinked: false), at: 0, face: .focus), size.columns, size.rows)
        }
    }
}
