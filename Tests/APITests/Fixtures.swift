// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

enum Fixtures {
    static let now: GroupTime = 1_800_000_000_000

    static func node(_ id: String) throws -> NodeID { try #require(NodeID(id)) }
    static func token<Kind>(_ id: String) throws -> Token<Kind> { try #require(Token(id)) }

    /// A countdown session that `desk` owns.
    static func register() throws -> Register {
        Register(
            id: try token("s-1"), lineage: try token("s-1"),
            stamp: Stamp(time: now, counter: 0, node: try node("desk")), epoch: 1, rev: 3, owner: try node("desk"),
            title: "Reading", icon: "📖",
            label: Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF)), mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 1_500), Phase(kind: .shortBreak, name: "Tea", seconds: 300)],
            autoAdvance: false, phase: 0, status: .running, startedAt: now,
            anchor: Anchor(elapsed: 61_500, at: now + 61_500, bootID: try token("b-1"), boot: 500_000),
            runs: [Run(phase: 0, from: now)])
    }

    static func presence() throws -> Presence {
        Presence(
            isOnline: true, connection: try token("c-1"), role: .node, name: "Hall", at: now,
            clock: ClockQuality(isSynced: true, bound: 12), software: "lockstep 0.1.0")
    }
}
