// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Testing

@testable import Terminal

/// Only the time, in three greys.
@Suite(.cpuBound) struct BoringTests {
    private static let blocks: Set<Character> = [" ", "█", "▀", "▄"]

    private func screens() -> [Screen] {
        let label = Label(name: "Reading", colour: Colour(red: 255, green: 0, blue: 0))
        let seconds: [Int] = [0, 5, 59, 300, 599, 872, 3_599, 3_600, 7_205, 86_400]
        return Status.allCases.filter { $0 != .stopped }.flatMap { status in
            seconds.flatMap { left in
                [nil, BootTime(-60_000)].map { lost in
                    let register = makeRegister(
                        [Phase(kind: .focus, name: "Breathe", seconds: 86_400)], status: status,
                        elapsed: .seconds(Int64(86_400 - left)), label: label, title: "Chapter four")
                    let options = ScreenOptions(pending: .press(.pause), answer: .userText("Refused"))
                    return Screen(makeView(register, lostAt: lost), at: 0, face: .boring, options: options)
                }
            }
        }
    }

    @Test func boringFaceShowsOnlyTheTimeAtAnySize() {
        let screens = screens()
        for (index, size) in sizes.enumerated() {
            let screen = screens[index % screens.count]
            let canvas = canvas(screen, size.columns, size.rows)
            let rows = (0..<size.rows).map { canvas.text(row: $0) }
            let letters = rows.joined().filter { !Self.blocks.contains($0) }
            let hasBlocks = rows.joined().contains { "█▀▄".contains($0) }
            if hasBlocks {
                #expect(letters.isEmpty, "\(size): \(letters)")
            } else {
                #expect(screen.times.contains(.userText(letters)), "\(size): \(letters)")
                #expect(letters.allSatisfy { $0.isNumber || $0 == ":" || ($0 == "h" && size.columns < 8) })
            }
        }
    }

    @Test func boringFaceHasOnlyItsColoursAtAnyDepth() {
        let permitted: [ColourDepth: (Set<String>, Set<String>)] = [
            .full: (["38;2;136;136;136", "38;2;68;68;68", "39"], ["48;2;10;10;10"]),
            .indexed: (["38;5;102", "38;5;245", "38;5;238", "39"], ["48;5;232"]),
            .sixteen: (["37", "90", "39"], ["40"]),
            .none: (["39"], ["49"]),
        ]
        for (index, screen) in screens().enumerated() where index % 4 < 2 {
            for (depth, colours) in permitted {
                for (columns, rows) in [(5, 1), (21, 4), (80, 24)] {
                    var terminal = ModelTerminal(columns: columns, rows: rows)
                    terminal.take(AnsiRenderer.text(from: nil, to: canvas(screen, columns, rows, depth), depth: depth))
                    let cells = terminal.cells.joined()
                    #expect(Set(cells.map(\.foreground)).isSubset(of: colours.0))
                    #expect(Set(cells.map(\.background)).isSubset(of: colours.1))
                    #expect(!cells.contains { $0.bold })
                }
            }
        }
    }

    /// The debt of the week is below the time in the darker grey, and the time does not move.
    @Test func debtIsShownWhileThereIsOne() {
        for (columns, rows) in [(80, 24), (21, 4), (10, 2), (200, 60)] {
            func drawn(_ debt: Int?) -> Canvas {
                let options = ScreenOptions(debtMinutes: debt)
                return canvas(Screen(makeView(makeRegister()), at: 0, face: .boring, options: options), columns, rows)
            }
            let (with, without) = (drawn(120), drawn(nil))
            let texts = (0..<rows).map { with.text(row: $0) }
            let row = texts.firstIndex { $0.contains("-120m") }
            guard let row, let column = texts[row].firstIndex(of: "-") else {
                Issue.record("\(columns) × \(rows): \(texts)")
                continue
            }
            let place = texts[row].distance(from: texts[row].startIndex, to: column)
            #expect(with[place, row].style.foreground == Colour(red: 0x44, green: 0x44, blue: 0x44))
            for other in 0..<rows where other != row { #expect(with.text(row: other) == without.text(row: other)) }
            #expect(without.text(row: row).allSatisfy { $0 == " " })
            for none in [0, -30] { #expect(drawn(none) == without) }
        }
        let options = ScreenOptions(debtMinutes: 120)
        let flat = canvas(Screen(makeView(makeRegister()), at: 0, face: .boring, options: options), 12, 1)
        #expect(!flat.text(row: 0).contains("-120m"), "one row is the time's")
    }

    /// The last second looks like the first.
    @Test func coloursDoNotChangeAsTimeDecreases() {
        let colours = [0, 750_000, 1_499_000].map { (boot: BootTime) in
            let canvas = canvas(Screen(makeView(makeRegister()), at: boot, face: .boring), 80, 24)
            return Set((0..<24).flatMap { row in (0..<80).compactMap { canvas[$0, row].style.foreground } })
        }
        #expect(Set(colours).count == 1)
    }

    @Test func idleScreenIsEmpty() {
        let canvas = canvas(Screen(makeView(nil, isLinked: false), at: 0, face: .boring), 80, 24)
        #expect((0..<24).allSatisfy { canvas.text(row: $0).allSatisfy { $0 == " " } })
    }

    /// The digits of ten minutes and of nine minutes are equally high.
    @Test func sizeStaysWhileTheTimeShrinks() {
        let height = { (boot: BootTime) in
            let canvas = canvas(Screen(makeView(makeRegister()), at: boot, face: .boring), 80, 24)
            return (0..<24).count { canvas.text(row: $0).contains { $0 != " " } }
        }
        #expect(height(0) == height(1_000_000))
        #expect(height(0) > 4)
    }
}
