// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

extension SpaceID {
    package static let home = SpaceID("home") ?? { fatalError("bad id") }()
}

extension NodeID {
    package static let desk = NodeID("desk") ?? { fatalError("bad id") }()
}

package func makeRegister(
    _ plan: [Phase] = [Phase(kind: .focus, seconds: 1_500)], phase: Int = 0, status: Status = .running,
    elapsed: Milliseconds = 0, label: Label? = nil, title: String = "", mode: Session.Mode = .countdown
) -> Register {
    guard let id = SessionID("S1"), let boot = BootID("b") else { fatalError("bad id") }
    let at: GroupTime = 1_800_000_000_000
    return Register(
        id: id, lineage: id, stamp: Stamp(time: at, counter: 0, node: .desk), epoch: 1, rev: 1, owner: .desk,
        title: title, icon: nil, label: label, mode: mode, plan: plan, autoAdvance: false, phase: phase,
        status: status, startedAt: at, anchor: Anchor(elapsed: elapsed, at: at, bootID: boot, boot: 0),
        runs: status == .running ? [Run(phase: phase, from: at)] : [])
}

package func makeView(
    _ register: Register?, anchorBoot: BootTime = 0, error: Milliseconds? = 0, lostAt: BootTime? = nil,
    isLinked: Bool = true
) -> View {
    View(
        register: register, anchorBoot: anchorBoot, error: error.map { ErrorBound(size: $0) },
        contactLostAt: lostAt, isLinked: isLinked)
}

package func makeCalmFeed(_ percent: Int, _ trend: CalmFeed.Trend) -> CalmFeed {
    guard let session = SessionID("S1") else { fatalError("bad id") }
    return CalmFeed(session: session, percent: percent, coverage: 100, trend: trend, at: 0)
}
