// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Testing
import Wire

@testable import Terminal

/// The faces with words on a terminal.
@Suite(.cpuBound) struct FaceTextTests {
    private static let green = Colour(red: 0x7C, green: 0xB9, blue: 0xA8)
    private static let work = [
        Phase(kind: .work, seconds: 40), Phase(kind: .rest, seconds: 20), Phase(kind: .work, seconds: 40),
    ]

    private func text(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> String {
        let canvas = canvas(screen, columns, rows, depth)
        return (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
    }

    private func screen(
        _ face: Face, _ status: Status = .running, mode: Session.Mode = .countdown, icon: String? = nil
    ) -> Screen {
        var register = makeRegister(
            Self.work, phase: 2, status: status, elapsed: 20_000, label: Label(name: "Legs", colour: Self.green),
            title: "Workout", mode: mode)
        register.icon = icon
        return Screen(makeView(register), at: 0, face: face, options: ScreenOptions(calm: makeCalmFeed(85, .rising)))
    }

    @Test(arguments: [
        (
            Face.focus, Status.running,
            ["⏳ # Legs", "Work in progress", "Work 2/2 · Workout", "Pause", "+1 min", "Start break", "████████"]
        ),
        (.focus, .paused, ["# Legs", "Work paused", "Resume", "Stop"]),
        (.calm, .running, ["⏳ Workout", "Calm 85% ↗", "Pause", "End session", "████████"]),
        (.calm, .paused, ["Workout", "Calm 85% ↗ · Work paused", "Resume"]),
        (.phases, .running, ["Workout", "Work 2/2", "Pause", "Start break", "████████"]),
        (.phases, .paused, ["Workout", "▌▌ Work 2/2", "Resume"]),
        (.phases, .ready, ["Workout", "Work 2/2 · Work is next"]),
    ])
    func faceShowsEverythingAtTheUsualSize(face: Face, status: Status, parts: [String]) {
        for depth in ColourDepth.allCases {
            // A bare console has no icons.
            let icon = depth == .sixteen ? "⏳ " : ""
            let text = text(screen(face, status), 80, 24, depth)
            for part in parts {
                #expect(text.contains(icon.isEmpty ? part : part.replacing(icon, with: "")), "\(part)\n\(text)")
            }
            #expect(text.contains("▌▌") == (face == .phases && status == .paused))
            #expect(text.contains("+1 min") == (face != .calm && status == .running))
        }
    }

    /// Gaps go first, then the bar, further lines and the buttons; the time is large to the end.
    @Test(
        arguments: [
            (60, ["▄▄▄▄▄▄▄▄▄▄▄", "████████████████", "  Work 2/2 · Workout", "Pause", "█▀"], []),
            (12, ["████████████████", "  Work 2/2 · Workout", "Pause", "█▀"], ["▄▄▄▄▄▄▄▄▄▄▄"]),
            (8, ["  Work 2/2 · Workout", "Pause", "█▀"], ["████████████████"]),
            (6, ["  Work in progress · Work 2/2 · Workout", "Pause", "█▀"], []),
            (5, ["⏳ # Legs · Work in progress · Work 2/2 · Workout", "Pause", "█▀"], []),
            (4, ["⏳ # Legs · Work in progress · Work 2/2 · Workout", "█▀"], ["Pause"]),
            (1, ["⏳ # Legs · Work in progress · Work 2/2 · Workout", "00:20"], ["█▀"]),
        ] as [(Int, [String], [String])])
    func partsAreLeftOutInOrder(rows: Int, parts: [String], leftOut: [String]) {
        let text = text(screen(.focus), 80, rows)
        for part in parts { #expect(text.contains(part), "\(part)\n\(text)") }
        for part in leftOut { #expect(!text.contains(part), "\(part)\n\(text)") }
    }

    @Test func colourOfTheLabelIsThatOfTagAndBar() {
        let canvas = canvas(screen(.focus), 80, 24)
        let cells = (0..<24).flatMap { row in (0..<80).map { canvas[$0, row] } }
        #expect(cells.first { $0.text == "#" }?.style.foreground == Self.green)
        #expect(cells.count { $0.text == "█" && $0.style.foreground == Self.green } > 30)
        #expect(canvas[0, 0].style.background == Colour(red: 0, green: 0, blue: 0))
    }

    @Test func defaultLabelShowsTheStateOnce() {
        let text = text(Screen(makeView(makeRegister()), at: 0, face: .focus), 80, 24)
        #expect(text.split(separator: "Focus in progress", omittingEmptySubsequences: false).count == 2)
        #expect(!text.contains("#"))
    }

    @Test func iconIsThatOfTheSession() {
        #expect(text(screen(.calm, icon: "📚"), 30, 1).contains("📚 Workout"))
        #expect(text(screen(.focus, icon: "leaf"), 80, 24).contains("🌿 # Legs"))
    }

    @Test func buttonsHaveBracketsWithoutColours() {
        for depth in [ColourDepth.none, .sixteen] {
            #expect(text(Screen(makeView(makeRegister()), at: 0, face: .focus), 80, 24, depth).contains("[p] Pause"))
        }
    }

    @Test func pausedLooksDifferentEvenAsBareTime() {
        let running = canvas(Screen(makeView(makeRegister()), at: 0, face: .focus), 5, 1)
        let paused = canvas(Screen(makeView(makeRegister(status: .paused)), at: 0, face: .focus), 5, 1)
        #expect(running.text(row: 0) == paused.text(row: 0))
        for depth in ColourDepth.allCases {
            #expect(
                AnsiRenderer.text(from: nil, to: running, depth: depth)
                    != AnsiRenderer.text(from: nil, to: paused, depth: depth))
        }
    }

    @Test func partsStandInTheMiddle() throws {
        for (columns, rows) in [(160, 45), (80, 24), (40, 30)] {
            let lines = text(Screen(makeView(makeRegister()), at: 0, face: .focus), columns, rows).split(
                separator: "\n")
            for part in ["in progress", "Pause"] {
                let line = try #require(lines.first { $0.contains(part) })
                let before = line.prefix { $0 == " " }.count
                let after = columns - line.count + line.reversed().prefix { $0 == " " }.count
                #expect(abs(before - after) <= 4, "\(line)")
            }
        }
    }

    @Test func staleScreenHasANoticeAndNoButtons() {
        let screen = Screen(makeView(makeRegister(), lostAt: 0), at: 45_000, face: .focus)
        for (columns, rows) in [(80, 24), (40, 24), (40, 10), (40, 1), (60, 5)] {
            let text = text(screen, columns, rows)
            #expect(text.contains("Last heard 45 s ago"), "\(columns) \(rows)\n\(text)")
            #expect(!text.contains("Pause"))
        }
    }

    @Test func idleScreenNamesTheStartCommand() {
        #expect(text(Screen(makeView(nil), at: 0, face: .focus), 80, 24).contains("lockstep start"))
        for size in randomSizes(40) {
            _ = canvas(Screen(makeView(nil, isLinked: false), at: 0, face: .focus), size.columns, size.rows)
        }
    }

    @Test func unknownCalmIsADash() {
        #expect(text(Screen(makeView(makeRegister()), at: 0, face: .calm), 80, 24).contains("Calm –"))
    }

    @Test func linesShareARowWhereThereIsLittleRoom() {
        for (columns, rows) in [(20, 4), (40, 1)] {
            #expect(text(screen(.phases), columns, rows).contains("Workout · Work 2/2"), "\(columns) × \(rows)")
        }
    }

    @Test func signOfAnApproximateTimeIsDrawnLarge() throws {
        let screen = Screen(makeView(makeRegister(), error: nil), at: 0, face: .focus)
        let digits = try #require(screen.bigTime(columns: 70, rows: 12))
        #expect(digits.height > 10)
        #expect(digits.width(of: screen.time) <= 70)
        let sign = digits.pixmap(of: TimeText.approximateSign)
        let column = { (x: Int) in (0..<sign.height).filter { sign[x, $0] } }
        #expect(column(sign.width / 4).first ?? 0 < column(sign.width * 3 / 4).first ?? 0, "a crest, then a trough")
    }

    @Test func countUpHasNoBar() {
        for face in FacesTests.faces {
            #expect(!text(screen(face, mode: .countup), 80, 24).contains("████████████████"))
        }
    }

    @Test(arguments: [
        (0.0, ColourDepth.full, "        "), (1, .full, "████████"), (0.5, .full, "████    "), (0.3, .full, "██▍     "),
        (-1, .full, "        "), (7, .full, "████████"), (0.45, .sixteen, "███▌░░░░"),
    ])
    func barShowsProgress(progress: Double, depth: ColourDepth, drawn: String) {
        var canvas = Canvas(columns: 8, rows: 1, background: nil)
        canvas.drawBar(progress, column: 0, row: 0, columns: 8, style: Style(.grey), depth: depth)
        #expect(canvas.text(row: 0) == drawn)
    }
}
