// SPDX-License-Identifier: Apache-2.0

@testable import Session

/// The clocks of another node, as leads over the boot clock of the harness.
struct PeerClock {
    var bootID = "boot-p"
    /// Its boot clock.
    var lead: Milliseconds = 4_000_000
    /// Its wall clock.
    var wallLead: Lead = EngineHarness.epoch - 1_000_000
    /// Its group time; `nil` if its wall clock tells it.
    var groupLead: Lead?
    var quality = ClockQuality(isSynced: true, bound: 5)
    /// The delays of a ping to it and of a pong from it, in milliseconds.
    var there: Milliseconds = 0
    var back: Milliseconds = 0
}

struct Arrival {
    var at: BootTime
    var message: Message
    var sender: NodeID
}

extension EngineHarness {
    var pings: [(ping: Ping, to: NodeID)] {
        published.compactMap { if case .ping(let ping, let to) = $0 { (ping, to) } else { nil } }
    }
    var pongs: [(pong: Pong, to: NodeID)] {
        published.compactMap { if case .pong(let pong, let to) = $0 { (pong, to) } else { nil } }
    }
    var error: Milliseconds? { engine.view.lastMoment(at: boot)?.error }
    var groupTime: GroupTime { engine.groupTime(now) }

    func isContradicted(by node: String) -> Bool { engine.isContradicted(by: id(node), at: now) }

    /// Adds a node that answers pings, and delivers its presence.
    mutating func meet(
        _ node: String, _ clock: PeerClock = PeerClock(), role: Role = .node, connection: String? = nil
    ) {
        clocks[id(node)] = clock
        var said = presence(connection ?? "\(node)-1")
        said.role = role
        said.clock = clock.quality
        said.at = clock.time(at: boot)
        hear(.presence(said), from: node)
    }

    mutating func answer(_ ping: Ping, for node: NodeID) {
        guard let clock = clocks[node] else { return }
        let pong = Message.pong(clock.pong(to: ping, at: boot + clock.there), to: self.node)
        let due = boot + clock.there + clock.back
        guard due > boot else { return add(.received(pong, from: node, retained: false)) }
        let index = arriving.firstIndex { $0.at > due } ?? arriving.count
        arriving.insert(Arrival(at: due, message: pong, sender: node), at: index)
    }
}

extension PeerClock {
    func time(at boot: BootTime) -> GroupTime { boot + (groupLead ?? wallLead) }

    /// The answer at `boot` on the harness's boot clock.
    func pong(to ping: Ping, at boot: BootTime) -> Pong {
        Pong(
            connection: ping.connection, sent: ping.sent, bootID: token(bootID), boot: boot + lead,
            wall: WallTime(max(boot + wallLead, 0).milliseconds), at: time(at: boot), clock: quality)
    }
}
