// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Support
import Testing

@testable import Wire

enum Fixtures {
    static let now: GroupTime = 1_800_000_000_000

    static func node(_ id: String) throws -> NodeID { try #require(NodeID(id)) }

    static func codec(_ me: String = "desk") throws -> WireCodec {
        WireCodec(space: try #require(SpaceID("home")), me: try node(me))
    }

    /// Whether Foundation, an independent parser, reads these bytes as JSON.
    static func isJSON(_ bytes: [UInt8]) -> Bool { (try? JSON(bytes)) != nil }

    static func token<Kind>(_ id: String) throws -> Token<Kind> { try #require(Token(id)) }

    static func protocolPage() throws -> String {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try String(contentsOfFile: "/\(folder)/Sources/Wire/Wire.docc/Protocol.md", encoding: .utf8)
    }

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
}
