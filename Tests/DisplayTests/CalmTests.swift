// SPDX-License-Identifier: Apache-2.0

import Session
import Testing
import Wire

@testable import Display

/// The calm face on a terminal.
@Suite(.timeLimit(.minutes(5))) struct CalmTests {
    private let green = Colour(red: 0x7C, green: 0xB9, blue: 0xA8)

    private func screen(_ boot: BootTime = 375_000, status: Status = .running, emoji: String? = nil) -> Screen {
        var register = sample(status: status, label: Label(name: "Study", colour: green), title: "Reading")
        register.icon = emoji
        let options = ScreenOptions(calm: calm(85, .rising))
        return Screen(view(register), at: boot, face: .calm, options: options)
    }

    private func text(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> String {
        let canvas = canvas(screen, columns, rows, depth)
        return (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
    }

    private func isBraille(_ text: String) -> Bool {
        text.unicodeScalars.first.map { (0x2801...0x28FF).contains($0.value) } ?? false
    }

    private func ringCells(_ screen: Screen, _ colour: Colour) -> Int {
        let canvas = canvas(screen, 80, 24)
        let cells = (0..<24).flatMap { row in (0..<80).map { canvas[$0, row] } }
        return cells.count { isBraille($0.text) && $0.style.foreground == colour }
    }

    @Test func faceShowsEverythingAtTheUsualSize() {
        for depth in ColourDepth.allCases {
            let text = text(screen(), 80, 24, depth)
            for part in ["Reading", "Calm 85% ↗", "Pause", "End session"] { #expect(text.contains(part), "\(part)") }
            #expect(!text.contains("+1 min"))
        }
    }

    /// A quarter of the time is a quarter of the ring, in the label's colour.
    /// As on the page, the ring must not be the smaller part.
    @Test func ringIsBesideTheTimeOnAWideTerminal() {
        let behindRing = text(screen(), 160, 45).split(separator: "\n").filter { $0.contains { isBraille(String($0)) } }
            .compactMap { $0.split { isBraille(String($0)) }.last }
        #expect(behindRing.count { $0.contains("█") } > 3)
    }

    @Test func ringCloses() {
        let done = stride(from: Int64(0), through: 1_500_000, by: 150_000).map {
            ringCells(screen(BootTime($0)), green)
        }
        #expect(done.first == 0)
        for (earlier, later) in zip(done, done.dropFirst()) { #expect(earlier < later) }
        let closed = ringCells(screen(1_500_000), green)
        #expect(abs(ringCells(screen(750_000), green) * 2 - closed) < closed / 10)
        #expect(ringCells(screen(0), Shade.track) > closed / 3)
        #expect(ringCells(screen(1_500_000), Shade.track) == 0)
    }

    @Test func bareConsoleDrawsTheRingWithBlocks() {
        #expect(!text(screen(), 80, 24, .sixteen).contains { isBraille(String($0)) })
        #expect(text(screen(), 80, 24, .indexed).contains { isBraille(String($0)) })
    }

    @Test func emojiIsDrawnInTheRing() {
        #expect(text(screen(emoji: "📚"), 80, 24).contains("📚"))
        #expect(text(screen(emoji: "📚"), 30, 3).contains("📚"))
        #expect(text(screen(emoji: "📚"), 30, 1).contains("📚 Reading"))
    }

    @Test func unknownCalmIsADash() {
        #expect(text(Screen(view(sample()), at: 0, face: .calm), 80, 24).contains("Calm –"))
    }

    @Test func pausedSessionIsDimAndNamed() {
        let paused = screen(status: .paused)
        #expect(ringCells(paused, green) == 0)
        #expect(text(paused, 80, 24).contains("Focus paused"))
        #expect(text(paused, 80, 24).contains("Resume"))
    }

    private static let points: [(dx: Double, dy: Double, turn: Double)] = [
        (0, -1, 0), (1, -1, 0.125), (1, 0, 0.25), (1, 1, 0.375), (0, 1, 0.5), (-1, 1, 0.625), (-1, 0, 0.75),
        (-1, -1, 0.875), (0.5, -0.866, 1.0 / 12), (0.866, -0.5, 1.0 / 6), (-0.866, 0.5, 2.0 / 3),
    ]

    @Test(arguments: points)
    func ringTurnFollowsTheDirection(dx: Double, dy: Double, turn: Double) {
        #expect(abs(Ring.turn(dx, dy) - turn) < 0.001)
    }
}
