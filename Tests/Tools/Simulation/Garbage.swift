// SPDX-License-Identifier: Apache-2.0

import Session
import Wire

/// Messages of a broken program.
enum Garbage {
    static let count = 12
    static let ghostNode = "ghost"

    static func erasure(of node: Int, what: Int) -> Packet {
        Packet(topic: topic(node, what % 2 == 0 ? "presence" : "session"), payload: [], retain: true)
    }

    /// A payload that must have no effect.
    static func packet(_ which: Int, node: Int, history: [Packet]) -> Packet {
        let session = topic(node, "session")
        let intent = topic(node, "intent")
        switch abs(which) % count {
        case 0: return Packet(topic: session, payload: Array("{".utf8), retain: true)
        case 1: return Packet(topic: session, payload: Array("null".utf8), retain: false)
        case 2: return Packet(topic: session, payload: [0xFF, 0xFE, 0], retain: true)
        case 3: return Packet(topic: intent, payload: Array(#"{"v":9,"id":[]}"#.utf8), retain: false)
        case 4: return Packet(topic: session, payload: Array(#"{"v":9}"#.utf8), retain: true)
        case 5: return Packet(topic: intent, payload: Array(repeating: UInt8(ascii: "["), count: 17_000), retain: false)
        case 6: return Packet(topic: topic(node, "hello"), payload: Array(#"{"v":1}"#.utf8), retain: true)
        case 7: return Packet(topic: topic(node, "presence"), payload: Array(#"{"v":1,"online":1}"#.utf8), retain: true)
        case 8: return Packet(topic: "lockstep/1/home/node/Bad Name/session", payload: [], retain: true)
        case 9: return Packet(topic: topic(node, "ack"), payload: Array(#"{"v":1,"kind":"later"}"#.utf8), retain: false)
        case 10: return swapped(history, node: node)
        default: return cut(history, node: node)
        }
    }

    /// The register of another node under this node's name.
    private static func swapped(_ history: [Packet], node: Int) -> Packet {
        let own = topic(node, "session")
        let other = history.last { $0.topic.hasSuffix("session") && $0.topic != own }
        return Packet(topic: own, payload: other?.payload ?? [1], retain: true)
    }

    /// Half of a payload.
    private static func cut(_ history: [Packet], node: Int) -> Packet {
        guard let last = history.last else { return Packet(topic: topic(node, "ack"), payload: [1], retain: false) }
        return Packet(
            topic: last.topic, payload: Array(last.payload.prefix(max(1, last.payload.count / 2))), retain: last.retain)
    }

    /// A running session of the ghost, a node without a machine.
    static func ghost(at stamp: GroupTime, id: Int, space: String) -> Packet? {
        guard let node = NodeID(ghostNode), let session = SessionID("G\(id)"), let boot = BootID("boot-ghost\(id)"),
            let space = SpaceID(space)
        else { return nil }
        let register = Register(
            running: session, since: stamp, of: node, Version(epoch: 1, rev: id + 1), on: boot)
        return Packet(WireCodec(space: space, me: node).encode(.register(register)))
    }

    private static func topic(_ node: Int, _ leaf: String) -> String {
        "lockstep/1/home/node/\(Names.node(node))/\(leaf)"
    }
}

extension Register {
    /// Creates the register of ten minutes of focus that a node without a machine claims.
    init(running id: SessionID, since stamp: GroupTime, of node: NodeID, _ version: Version, on boot: BootID) {
        self.init(
            id: id, lineage: id, stamp: Stamp(time: stamp, counter: 0, node: node), epoch: version.epoch,
            rev: version.rev, owner: node, title: "", icon: nil, label: nil, mode: .countdown,
            plan: [Phase(kind: .focus, seconds: 600)], autoAdvance: false, phase: 0, status: .running,
            startedAt: stamp, anchor: Anchor(elapsed: 0, at: stamp, bootID: boot, boot: 1_000),
            runs: [Run(phase: 0, from: stamp)])
    }
}

/// Payloads as nodes of other minor versions of the protocol write them.
enum Dialect {
    private static let later = Array(#""later":{"a":[1,null,"x"],"b":{}},"#.utf8)
    private static let derived = Array(#","elapsedSeconds""#.utf8)

    /// Writes a payload as another version does: 1 adds a field, 2 leaves out derived fields.
    static func speak(_ payload: [UInt8], dialect: Int) -> [UInt8] {
        switch dialect {
        case 1:
            guard payload.count > 2 else { return payload }
            return [payload[0]] + later + payload[1...]
        case 2:
            guard let cut = firstIndex(of: derived, in: payload) else { return payload }
            return payload[..<cut] + [UInt8(ascii: "}")]
        default: return payload
        }
    }

    private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (0...(bytes.count - pattern.count)).last {
            bytes[$0] == pattern[0] && bytes[$0..<($0 + pattern.count)].elementsEqual(pattern)
        }
    }
}
