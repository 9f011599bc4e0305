// SPDX-License-Identifier: Apache-2.0

import Display
import Session
import Support
import Wire

func sample(
    _ plan: [Phase] = [Phase(kind: .focus, seconds: 1_500)], phase: Int = 0, status: Status = .running,
    elapsed: Milliseconds = 0, label: Label? = nil, title: String = "", mode: Session.Mode = .countdown
) -> Register {
    guard let node = NodeID("desk"), let id = SessionID("S1"), let boot = BootID("b") else { fatalError("bad id") }
    let at: GroupTime = 1_800_000_000_000
    return Register(
        id: id, lineage: id, stamp: Stamp(time: at, counter: 0, node: node), epoch: 1, rev: 1, owner: node,
        title: title, icon: nil, label: label, mode: mode, plan: plan, autoAdvance: false, phase: phase,
        status: status, startedAt: at, anchor: Anchor(elapsed: elapsed, at: at, bootID: boot, boot: 0),
        runs: status == .running ? [Run(phase: phase, from: at)] : [])
}

func view(
    _ register: Register?, anchorBoot: BootTime = 0, error: Milliseconds? = 0, lostAt: BootTime? = nil,
    isLinked: Bool = true
) -> View {
    View(
        register: register, anchorBoot: anchorBoot, error: error.map { ErrorBound(size: $0) },
        contactLostAt: lostAt, isLinked: isLinked)
}

func calm(_ percent: Int, _ trend: CalmFeed.Trend) -> CalmFeed {
    guard let session = SessionID("S1") else { fatalError("bad id") }
    return CalmFeed(session: session, percent: percent, coverage: 100, trend: trend, at: 0)
}

func canvas(_ screen: Screen, _ columns: Int, _ rows: Int, _ depth: ColourDepth = .full) -> Canvas {
    TerminalPicture.canvas(of: screen, columns: columns, rows: rows, depth: depth)
}

/// Sizes from 5 × 1 to 200 × 60: every small one, then samples.
let sizes: [(columns: Int, rows: Int)] = {
    let columns = Array(5...24) + [27, 30, 33, 40, 47, 54, 60, 72, 79, 80, 81, 100, 133, 200]
    let rows = Array(1...12) + [14, 16, 20, 24, 30, 43, 60]
    return columns.flatMap { column in rows.map { (column, $0) } }
}()

/// Returns every size up to 14 × 6, then random ones up to 200 × 60, mostly small.
func randomSizes(_ count: Int, seed: UInt64 = 5) -> [(columns: Int, rows: Int)] {
    var dice = Random(seed: seed)
    let small = (1...14).flatMap { columns in (1...6).map { (columns, $0) } }
    let random = (0..<count).map { index in
        let isLarge = index % 5 == 0
        return (
            Int.random(in: 5...(isLarge ? 200 : 90), using: &dice),
            Int.random(in: 1...(isLarge ? 60 : 28), using: &dice)
        )
    }
    return small + random
}
