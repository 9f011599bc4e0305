// SPDX-License-Identifier: Apache-2.0

import Session

/// What an input must lead to, noted before it is handled.
struct Expectation {
    /// A start must be stamped above this.
    var above: Stamp?
    /// Whether this peer must still be seen to be there.
    var staysOnline: NodeID?
    /// Whether the own session was paused.
    var wasPaused = false
    /// Whether what is held may change.
    var isRegister = false
}

/// Checks of what a node shows.
extension World {
    private var everyone: [NodeID] {
        machines.map(\.id) + [NodeID(Garbage.ghostNode)].compactMap(\.self)
    }

    func expect(_ input: Input, at node: Int) -> Expectation {
        var expectation = Expectation()
        switch input {
        case .start:
            expectation.above = machines[node].engine.view.register?.stamp
            expectation.isRegister = true
        case .received(.presence(let presence), let from, false) where !presence.online && from != machines[node].id:
            let peer = machines[node].engine.peers[from]
            if let said = peer.presence, said.online, said.connection != presence.connection, peer.isOnline {
                expectation.staysOnline = from
            }
        case .received(.register, _, _): expectation.isRegister = true
        default: break
        }
        if let own = witness.nodes[node].own, own.status == .paused { expectation.wasPaused = true }
        return expectation
    }

    mutating func witnessInput(_ input: Input, at node: Int, boot: Int64) {
        // It waits for the broker for two seconds at most.
        if let linkedAt = witness.nodes[node].linkedAt, boot >= linkedAt + 2_000 {
            witness.nodes[node].hasLooked = true
        }
        switch input {
        case .linkUp: witness.nodes[node].linkedAt = boot
        case .linkDown: witness.nodes[node].linkedAt = nil
        case .barrierPassed: witness.nodes[node].hasLooked = true
        case .received(.register(let echo), machines[node].id, _):
            witness.nodes[node].foundEpoch = max(witness.nodes[node].foundEpoch, echo.epoch)
        default: break
        }
    }

    mutating func witnessStart(_ session: SessionID, at node: Int) {
        let others = machines.indices.contains { other in
            guard other != node, let own = witness.nodes[other].own, own.status.isLive else { return false }
            return machines[node].engine.register(of: machines[other].id)?.id != own.id
        }
        if others { counters.add(.concurrentStart) }
        if !machines[node].isLinked { witness.offline.insert(session) }
    }

    mutating func check(_ expectation: Expectation, after input: Input, view before: View, at node: Int) {
        let name = Names.node(node)
        let instant = instant(node)
        if let wake = machines[node].engine.nextWake, wake <= instant.boot {
            fail(.wakeLater, "\(name) is to be woken at \(wake)")
        }
        let own = ownRegister(of: node)
        if case .barrierPassed = input, witness.nodes[node].foundEpoch > 0, own == nil {
            fail(.takesBack, "\(name) leaves on the broker what it has lost")
        }
        if case .start(_, let session, _) = input {
            if let own, own.id == session {
                if let above = expectation.above, own.stamp <= above {
                    fail(.startIsLargest, "\(name) stamps \(session) \(own.stamp), not above \(above)")
                }
                if own.status.isLive, machines[node].engine.view.register?.id != session {
                    fail(.startIsLargest, "\(name) does not show \(session)")
                }
            }
        }
        if let peer = expectation.staysOnline {
            counters.add(.zombieIgnored)
            if !machines[node].engine.peers[peer].isOnline {
                fail(.zombieWill, "\(name) believes an old will of \(peer)")
            }
        }
        if let own, own.status.isLive, let shown = machines[node].engine.view.register, shown.owner != own.owner {
            fail(.ownerYields, "\(name) keeps \(own.id) alive below \(shown.id)")
        }
        if expectation.wasPaused, own?.status == .superseded, before.register?.status == .paused {
            counters.add(.yieldWhilePaused)
        }
        checkMoment(at: node, boot: instant.boot)
        if machines[node].engine.view != before { checkView(after: before, at: node) }
        if expectation.isRegister || machines[node].engine.view.register != before.register {
            checkEqualMaps(with: node)
        }
    }

    private mutating func checkView(after before: View, at node: Int) {
        let name = Names.node(node)
        let view = machines[node].engine.view
        guard let shown = view.register, shown != before.register else { return }
        if let known = witness.nodes[node].shown[shown.owner], shown.version < known {
            fail(.viewNeverBack, "\(name) shows \(shown.owner)'s \(shown.version) after \(known)")
        }
        witness.nodes[node].shown[shown.owner] = shown.version
        let wall = instant(node).wall
        if shown.stamp != before.register?.stamp, !view.isOwner, shown.stamp.time > wall + Limits.stampLead + 4_000 {
            fail(.admission, "\(name) shows \(shown.id), \(shown.stamp.time - wall) ms ahead of its time")
        }
        if machines[node].disk == .good, machines[node].diskLast <= now, !machines[node].isFailing {
            let mark = machines[node].onDisk?.mark ?? HybridClock()
            if (mark.time, mark.counter) < (shown.stamp.time, shown.stamp.counter) {
                fail(.markOnDisk, "\(name) shows \(shown.stamp) and has written \(mark)")
            }
        }
        checkOffset(of: shown, anchorBoot: view.anchorBoot, at: node)
    }

    /// Where an owner's boot lies on this node's clock stays the same as long as both run.
    private mutating func checkOffset(of shown: Register, anchorBoot: Int64, at node: Int) {
        guard shown.owner != machines[node].id else { return }
        let offset = anchorBoot - shown.anchor.boot
        if let known = witness.nodes[node].offsets[shown.owner], known.boot == shown.anchor.bootID,
            known.milliseconds != offset
        {
            fail(.steadyTime, "\(Names.node(node)) moves \(shown.id) by \(offset - known.milliseconds) ms")
        }
        witness.nodes[node].offsets[shown.owner] = Witness.Offset(boot: shown.anchor.bootID, milliseconds: offset)
    }

    private mutating func checkMoment(at node: Int, boot: Int64) {
        let view = machines[node].engine.view
        guard let moment = view.lastMoment(at: boot) else { return witness.nodes[node].moment = nil }
        if let last = witness.nodes[node].moment, last.register.version == moment.register.version,
            last.register.id == moment.register.id, last.register.owner == moment.register.owner,
            (moment.register.phase, moment.elapsed) < (last.register.phase, last.elapsed)
        {
            fail(.timeNeverBack, "\(Names.node(node)) shows \(moment.elapsed) ms after \(last.elapsed) ms")
        }
        witness.nodes[node].moment = moment
    }

    /// Nodes that hold the same registers show the same, unless a stamp ahead of time is admitted here and not there.
    private mutating func checkEqualMaps(with node: Int) {
        let ids = everyone
        let latest = Clock.epoch + now / 1_000
        for other in machines.indices where other != node && machines[other].isAlive && !machines[other].isNapping {
            guard machines[other].engine.view.register != machines[node].engine.view.register else { continue }
            let isEqual = ids.allSatisfy { id in
                let mine = machines[node].engine.register(of: id)
                if let mine, mine.stamp.time > latest { return false }
                return mine == machines[other].engine.register(of: id)
            }
            if isEqual { fail(.equalMapsEqualViews, "\(Names.node(node)) and \(Names.node(other)) hold the same") }
        }
    }

    func ownRegister(of node: Int) -> Register? {
        machines[node].engine.register(of: machines[node].engine.configuration.node)
    }
}
