// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Display

/// The phases face on a terminal, and the bar that the focus face has too.
@Suite(.timeLimit(.minutes(5))) struct PhasesTests {
    private static let plan = [
        Phase(kind: .work, seconds: 40), Phase(kind: .rest, seconds: 20), Phase(kind: .work, seconds: 40),
    ]

    private func screen(_ status: Status = .running, face: Face = .phases, mode: Session.Mode = .countdown) -> Screen {
        let register = sample(
            Self.plan, phase: 2, status: status, elapsed: 20_000, label: Label(name: "Legs"), title: "Workout",
            mode: mode)
        return Screen(view(register), at: 0, face: face)
    }

    private func text(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> String {
        let canvas = canvas(screen, columns, rows, depth)
        return (0..<rows).map { canvas.text(row: $0) }.joined(separator: "\n")
    }

    @Test func faceShowsEverythingAtTheUsualSize() {
        for depth in ColourDepth.allCases {
            let text = text(screen(), 80, 24, depth)
            for part in ["Workout", "Work 2/2", "Pause", "Start break", "████████"] {
                #expect(text.contains(part), "\(part)\n\(text)")
            }
        }
    }

    @Test func kindThatOccursOnceIsNamed() {
        let plan = [Phase(kind: .work, seconds: 40), Phase(kind: .rest, seconds: 300)]
        for (phase, name, other) in [(0, "Work", "Rest"), (1, "Rest", "Work")] {
            let screen = Screen(view(sample(plan, phase: phase, title: "Legs")), at: 0, face: .phases)
            for (columns, rows) in [(80, 24), (40, 12), (20, 4)] {
                let text = text(screen, columns, rows)
                #expect(text.contains(name), "\(columns) × \(rows)\n\(text)")
                #expect(!text.contains(other), "\(columns) × \(rows)\n\(text)")
            }
        }
    }

    @Test func strokesAreDrawnOnlyWhilePaused() {
        for (columns, rows) in [(80, 24), (40, 12), (200, 60)] {
            #expect(text(screen(.paused), columns, rows).contains("▌▌"))
            #expect(!text(screen(), columns, rows).contains("▌▌"))
        }
        #expect(text(screen(.paused, mode: .countup), 80, 24).contains("▌▌"))
    }

    @Test func titleAndIndicatorShareALittleRoom() {
        #expect(text(screen(), 20, 4).contains("Workout"))
        #expect(text(screen(), 20, 4).contains("Work 2/2"))
        #expect(text(screen(), 40, 1).contains("Workout"))
    }

    @Test func nextPhaseIsNamed() { #expect(text(screen(.ready), 80, 24).contains("Work is next")) }

    @Test(arguments: [
        (0.0, "        "), (1, "████████"), (0.5, "████    "), (0.3, "██▍     "), (-1, "        "), (7, "████████"),
    ])
    func barShowsProgress(progress: Double, drawn: String) {
        var canvas = Canvas(columns: 8, rows: 1, background: nil)
        ProgressBar(columns: 8, progress: progress).draw(
            on: &canvas, column: 0, row: 0, style: Style(.grey), depth: .full)
        #expect(canvas.text(row: 0) == drawn)
    }

    @Test func bareConsoleDrawsABar() {
        var canvas = Canvas(columns: 4, rows: 1, background: nil)
        ProgressBar(columns: 4, progress: 0.45).draw(on: &canvas, column: 0, row: 0, style: Style(), depth: .sixteen)
        #expect(canvas.text(row: 0) == "█▌░░")
    }

    @Test func focusFaceHasABarIfThereIsRoom() {
        #expect(text(screen(face: .focus), 80, 24).contains("████████████████"))
        #expect(!text(screen(face: .focus, mode: .countup), 80, 24).contains("████████████████"))
        #expect(!text(screen(face: .focus), 80, 10).contains("████████████████"))
    }
}
