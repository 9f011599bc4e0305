// SPDX-License-Identifier: Apache-2.0

import Core
import Session

/// The expected result of an input, noted before it is handled.
struct Expectation {
    /// The stamp that a start must exceed.
    var above: Stamp?
    /// The peer that must stay online.
    var staysOnline: NodeID?
    /// Whether the own session was paused.
    var wasPaused = false
    /// Whether the held registers may change.
    var mayChangeRegisters = false
    /// The clock that must stay as it is.
    var unchangedClock: VouchedClock?

    /// The vouched lead of a node's clock over the own boot clock.
    struct VouchedClock {
        var node: NodeID
        var lead: ClosedRange<Lead>?
    }
}

extension World {
    func expect(_ input: Input, at node: Int) -> Expectation {
        var expectation = Expectation(unchangedClock: unaskedClock(input, at: node))
        switch input {
        case .start:
            expectation.above = machines[node].seen.view.register?.stamp
            expectation.mayChangeRegisters = true
        case .received(.presence(let presence), let from, false) where !presence.isOnline && from != machines[node].id:
            let peer = machines[node].engine.peers[from]
            if let said = peer.presence, said.isOnline, said.connection != presence.connection, peer.isOnline {
                expectation.staysOnline = from
            }
        case .received(.register, _, _): expectation.mayChangeRegisters = true
        default: break
        }
        if witness.nodes[node].own?.status == .paused { expectation.wasPaused = true }
        return expectation
    }

    mutating func witnessInput(_ input: Input, at node: Int, boot: BootTime) {
        // A node waits for the barrier for two seconds at most.
        if let linkedAt = witness.nodes[node].linkedAt, boot >= linkedAt + .seconds(2) {
            witness.nodes[node].hasLooked = true
        }
        switch input {
        case .start(_, let session, _): witnessStart(session, at: node)
        case .linkUp(let connection, _):
            witness.nodes[node].linkedAt = boot
            witness.nodes[node].connection = connection
        case .linkDown:
            witness.nodes[node].linkedAt = nil
            witness.nodes[node].connection = nil
        case .barrierPassed: witness.nodes[node].hasLooked = true
        case .received(.register(let echo), machines[node].id, _) where !machines[node].core.isMakingWay:
            witness.nodes[node].foundEpoch = max(witness.nodes[node].foundEpoch, echo.epoch)
        default: break
        }
    }

    private mutating func witnessStart(_ session: SessionID, at node: Int) {
        // Every peer has its full allowance again.
        witness.nodes[node].lately.counts = [:]
        let isConcurrent = machines.indices.contains { other in
            guard other != node, let own = witness.nodes[other].own, own.status.isLive else { return false }
            return machines[node].engine.register(of: machines[other].id)?.id != own.id
        }
        if isConcurrent { counters.add(.concurrentStart) }
        guard witness.starts[session] == nil else { return }
        witness.starts[session] = now.date
        if vouchedError(of: node) == nil { witness.guessedIn[session] = witness.nodes[node].bootID }
        if !machines[node].seen.view.isLinked { witness.offline.insert(session) }
    }

    mutating func check(_ expectation: Expectation, after input: Input, before: NodeSnapshot, at node: Int) {
        let name = Names.node(node)
        let instant = instant(node)
        if let wake = machines[node].core.nextWake, wake <= instant.boot {
            fail(.wakeLater, "\(name) is to be woken at \(wake)")
        }
        if case .barrierPassed = input, !machines[node].core.isCatchingUp, witness.nodes[node].foundEpoch > 0,
            machines[node].own == nil
        {
            fail(.takesBack, "\(name) leaves on the broker what it has lost")
        }
        checkAnswers(of: node)
        if case .start(_, let session, _) = input {
            if let own = machines[node].own, own.id == session {
                let time = machines[node].engine.groupTime(instant)
                if let above = expectation.above, own.stamp <= above, above.time <= time + Limits.stampLead {
                    fail(.startIsLargest, "\(name) stamps \(session) \(own.stamp), not above \(above)")
                }
                if own.status.isLive, machines[node].seen.view.register?.id != session {
                    fail(.startIsLargest, "\(name) does not show \(session)")
                }
            }
        }
        if let clock = expectation.unchangedClock { check(clock, at: node) }
        if let peer = expectation.staysOnline {
            counters.add(.zombieIgnored)
            if !machines[node].engine.peers[peer].isOnline {
                fail(.zombieWill, "\(name) believes an old will of \(peer)")
            }
        }
        if machines[node].seen.isOwnBelow, !machines[node].engine.isProvisional {
            fail(.ownerYields, "\(name) keeps its own session alive below another")
        }
        if expectation.wasPaused, machines[node].own?.status == .superseded,
            before.view.register?.status == .paused
        {
            counters.add(.yieldWhilePaused)
        }
        checkCredit(after: input, before: before, at: node)
        checkMoment(at: node, boot: instant.boot)
        checkOwnClock(at: node)
        checkTimeHeld(at: node)
        if case .received(.register(let register), _, _) = input { checkVersion(of: register, heldBy: node) }
        let hasChanged = machines[node].seen !== before
        if hasChanged { checkView(after: before, at: node) }
        if expectation.mayChangeRegisters || hasChanged { checkEqualRegisters(with: node) }
    }

    private mutating func checkView(after before: NodeSnapshot, at node: Int) {
        let name = Names.node(node)
        let seen = machines[node].seen
        guard let shown = seen.shown, shown != before.shown else { return }
        if let known = witness.nodes[node].shown[shown.owner], shown.version < known {
            fail(.viewNeverBack, "\(name) shows \(shown.owner)'s \(shown.version) after \(known)")
        }
        witness.nodes[node].shown[shown.owner] = shown.version
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        // Without contact, and until the others were asked, admitted stamps stay admitted.
        let isSettled = witness.nodes[node].linkedAt.map { instant.boot > $0 + .seconds(5) } ?? false
        if isSettled, isJudging(node), shown.stamp != before.shown?.stamp, !seen.view.isOwner,
            shown.stamp.time > time + Limits.stampLead + .seconds(4)
        {
            fail(.admission, "\(name) shows \(shown.owner)'s, \(shown.stamp.time - time) ms ahead of its time")
        }
        if machines[node].isDiskIdle, !machines[node].isFailing {
            var mark = machines[node].onDisk?.journal.mark ?? HybridClock()
            // The own register has the own stamp.
            if seen.view.isOwner, let stamp = machines[node].onDisk?.journal.own?.stamp { _ = mark.see(stamp) }
            let isAdmissible = shown.stamp.time <= time + Limits.stampLead
            if isAdmissible, (mark.time, mark.counter) < (shown.stamp.time, shown.stamp.counter) {
                fail(.markOnDisk, "\(name) shows \(shown.stamp) and has written \(mark)")
            }
        }
    }

    private mutating func checkMoment(at node: Int, boot: BootTime) {
        guard let moment = machines[node].seen.view.lastMoment(at: boot) else {
            return witness.nodes[node].moment = nil
        }
        let kernelsAlwaysVouch = mix.sync == Clock.Sync.always.rawValue
        // A time of unknown error is exempt, since the first comparison of clocks may move it.
        // The session of a lying clock jumps, and its last pongs may arrive after its membership has ended.
        let isOfLiar = (liar?.falseClock != nil || isLiarRevoked) && moment.register.owner == liar?.node
        if !isOfLiar, let last = witness.nodes[node].moment, let error = last.error,
            !kernelsAlwaysVouch || error < Clock.syncedBound,
            last.register.version == moment.register.version, last.register.id == moment.register.id,
            last.register.owner == moment.register.owner,
            (moment.register.phase, moment.elapsed + moment.over) < (last.register.phase, last.elapsed + last.over)
        {
            fail(.timeNeverBack, "\(Names.node(node)) shows \(moment.elapsed) ms after \(last.elapsed) ms")
        }
        if moment.over > 0 { counters.add(.overtime) }
        witness.nodes[node].moment = moment
        checkError(of: moment, at: node)
    }

    /// Checks that a display differs from the owner's clock by at most its stated error.
    private mutating func checkError(of moment: Moment, at node: Int) {
        guard let error = moment.error, mix.sync != Clock.Sync.always.rawValue,
            let owner = place(of: moment.register.owner),
            // Until its program is launched again, the engine is of an earlier boot.
            moment.register.anchor.bootID == witness.nodes[owner].bootID,
            let anchor = machines[node].seen.view.register?.anchor
        else { return }
        let since = machines[owner].clock.boot(at: now) - anchor.boot
        let moved = moment.register.anchor.at - anchor.at
        let wrong = ((moment.boot - moment.anchorBoot) + moved - since).magnitude
        if wrong > error + 1 {
            let id = moment.register.id
            fail(.errorBound, "\(Names.node(node)) is wrong by \(wrong) ms about \(id), and states \(error) ms")
        }
    }

    /// Checks that nodes with equal registers show the same session, unless only one admits a stamp ahead of time.
    private mutating func checkEqualRegisters(with node: Int) {
        for other in machines.indices where other != node && machines[other].isAlive && !machines[other].isNapping {
            if machines[other].seen.shown == machines[node].seen.shown { continue }
            // Its program has not read its clock since a step.
            if machines[other].isStepUnnoticed { continue }
            let time = machines[node].engine.groupTime(instant(node))
            let otherTime = machines[other].engine.groupTime(instant(other))
            guard (time - otherTime).magnitude < Limits.stampLead else { continue }
            let isEqual = everyone.allSatisfy { id in
                let held = machines[node].engine.stampAndVersion(of: id)
                // Its admission may depend on the time of each node.
                if let held, held.stamp.time > min(time, otherTime) { return false }
                // One version has one register, or another check fails.
                let otherHeld = machines[other].engine.stampAndVersion(of: id)
                return held?.stamp == otherHeld?.stamp && held?.version == otherHeld?.version
            }
            guard isEqual else { continue }
            let shown = [node, other].map { index in
                machines[index].seen.shown.map { "the session of \($0.owner)" } ?? "none"
            }
            fail(
                .equalRegistersEqualViews,
                "\(Names.node(node)) and \(Names.node(other)) hold the same, and show \(shown[0]) and \(shown[1])")
        }
    }
}
