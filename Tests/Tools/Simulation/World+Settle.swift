// SPDX-License-Identifier: Apache-2.0

import Core
import Session

/// The second phase: the faults stop, and the world must come to rest, agree and answer.
extension World {
    /// The time to agree: a dial, the barrier, a repair, and the wait for answers.
    private static let bound: Milliseconds = .seconds(20)

    mutating func heal() {
        isHealed = true
        tell("== the faults are over")
        (mix.duplicates, mix.drops, mix.reorders, mix.inflight) = (0, 0, 0, 0)
        mix.latency = min(mix.latency, 5_000)
        mix.jitter = min(mix.jitter, 5_000)
        mix.wakeLate = min(mix.wakeLate, 20)
        for half in brokers.indices { brokers[half].isUp = true }
        raiseBridge(bridgeBreaks)
        for node in machines.indices {
            machines[node].disk = .good
            machines[node].doom = nil
            machines[node].cutUntil = .start
            machines[node].refusal = nil
            if machines[node].isAlive {
                goOn(node, nap: machines[node].nap)
            } else {
                launch(node, life: machines[node].life)
            }
            // The system tells a program that its wall clock was set.
            if machines[node].isStepUnnoticed { feed(.input(.wake), to: node) }
        }
        queue.add(.haunt, at: now + .seconds(8))
        for index in connections.indices {
            unblock(index)
            if connections[index].isLossy { closeAtBroker(index) }
        }
        launchService()
    }

    mutating func run() {
        if mix.unshared != 0 { counters.add(.unshared) }
        run(until: .start + Milliseconds(mix.trouble))
        come(toRest: Self.bound)
        meetAgain()
        checkAgreement()
        probePress()
        let isStarted = probeStart()
        checkAgreement()
        if isStarted { checkQuiet() }
        checkLedger()
        for machine in machines {
            let instant = instant(machine.index)
            let ahead = machine.engine.groupTime(instant) - now.date
            let wall = machine.clock.wallError(at: now)
            let kernel = instant.wallBound == nil ? "" : ", synchronised"
            tell("\(Names.node(machine.index)): group time \(ahead) ms ahead, wall clock \(wall) ms\(kernel)")
        }
        if mix.canary != 0 { fail(.canary, "the planted violation") }
    }

    /// Lets a message cross between halves that were apart and keep retained messages separately. It is a press, whose
    /// effect all must show two seconds later, or a new connection. Before that no half can know of the other.
    private mutating func meetAgain() {
        guard violation == nil, witness.isParted else { return }
        counters.add(.metAgain)
        let displays = judged.filter { $0.seen.view.register?.status.isLive == true }
        guard let presser = displays.first.map({ _ in probe.pick(displays) }), probe.chance(600) else {
            return dialAgain()
        }
        let (before, isOwner) = (machines.map { $0.own?.version }, presser.seen.view.isOwner)
        // A correction to the same title changes nothing, so that only the intent and its answer cross.
        let same = IntentOperation.correct(title: presser.seen.view.register?.title)
        press(presser.index, probe.pick([.extend(seconds: 60), same, same, .stop]), sight: 0, id: 9_000)
        come(toRest: .seconds(2))
        if machines.map({ $0.own?.version }) != before {
            checkShown()
        } else if isOwner || Set(displays.map { $0.seen.view.register?.id }).count > 1 {
            return dialAgain()
        }
        come(toRest: .seconds(8))
    }

    /// Lets a node connect again.
    private mutating func dialAgain() {
        let node = probe.draw(0...(machines.count - 1))
        for index in connections.indices where connections[index].node == node && connections[index].isOpenAtBroker {
            closeAtBroker(index)
        }
        come(toRest: .seconds(8))
    }

    private mutating func come(toRest time: Milliseconds) {
        run(until: now + time)
        wait { $0.underWay > 0 }
        let left = underWay
        if left > 0 { fail(.settles, "\(left) packets are still under way") }
    }

    /// Goes on while a condition holds, for two seconds at most.
    mutating func wait(while condition: (World) -> Bool) {
        var timeout = 200
        while violation == nil, condition(self), timeout > 0 {
            run(until: now + 10)
            timeout -= 1
        }
    }

    private mutating func checkAgreement() {
        guard violation == nil else { return }
        if isOrphaned { counters.add(.orphan) }
        checkShown()
        checkMinutes()
        checkDates()
        checkOnlineClocks()
        checkVotes()
        for machine in machines {
            let name = Names.node(machine.index)
            if !machine.open.isEmpty { fail(.allAnswered, "\(name) waits for \(machine.open.keys.sorted())") }
            let own = machine.own
            if machine.onDisk?.journal.own != own { fail(.allWritten, "\(name) holds what is not on disk") }
            for peer in machines where peer.index != machine.index && !machine.engine.peers[peer.id].isOnline {
                // Where the halves share nothing, a node needs to know only the owner of the session that it shows.
                let shown = machine.seen.view.register
                if mix.unshared != 0, shown?.owner != peer.id || shown?.status.isLive != true { continue }
                fail(.allOnline, "\(name) does not see \(peer.id)")
            }
        }
        checkKept()
    }

    /// Checks that all nodes show the same.
    private mutating func checkShown() {
        if isOrphaned || isDisputed || isDueInPart { return }
        if isForgotten {
            checkLive()
        } else {
            checkViews()
            if mix.unshared == 0 { checkNotices() }
        }
    }

    /// The machines whose group time the liar's clock cannot set. The others may admit other stamps.
    private var judged: [Machine] { machines.filter { !isExposed($0.index) } }

    /// Whether a node's own session began and ended without contact, so that no other node knows of it.
    private func isWithheld(_ machine: Machine) -> Bool {
        machine.engine.isProvisional && machine.own?.status.isLive == false
    }

    /// Whether a node has lost its register on its disk and on the broker while others still show it. Only a takeover
    /// can repair that, since no other node writes its register.
    private var isOrphaned: Bool {
        machines.contains { lost in
            (lost.own == nil || isWithheld(lost)) && machines.contains { $0.engine.register(of: lost.id) != nil }
        }
    }

    /// Whether a register of the liar, or its last one, claims more epochs than an honest node reaches. The bound rises
    /// with time, so that one node refuses what another reads a moment later. And at the broker a refused claim
    /// replaces the register before it, which later only those nodes hold that had received it.
    private func isClaim(_ register: Register?) -> Bool {
        guard let register, let liar, register.owner == liar.node else { return false }
        return max(register.epoch, liar.register?.epoch ?? 0) > Limits.epochs
    }

    /// Checks that all judged nodes show one session: the live one, with the largest stamp.
    private mutating func checkViews() {
        let judged = judged
        guard let first = judged.first else { return }
        let shown = first.seen.view.register
        for machine in judged where machine.seen.view.register != shown {
            if isClaim(machine.seen.view.register) || isClaim(shown) { continue }
            let other = EventText.line(machine.seen.view.register)
            fail(.oneView, "\(first.id) shows \(EventText.line(shown)), \(machine.id) \(other)")
        }
        let ownRegisters = checkLive()
        let lives = ownRegisters.filter(\.status.isLive)
        if lives.count > 1 { fail(.largestLives, "\(lives.map(\.id)) are live") }
        if let live = lives.first, live != shown, !isClaim(shown) {
            fail(.largestLives, "\(live.id) is live and not shown")
        }
        checkLargest(ownRegisters, heldBy: first)
        checkTimes(of: judged)
    }

    /// Checks that all judged nodes show the same message, and no alarm that was ended.
    private mutating func checkNotices() {
        if witness.hasDied { return }
        let times = judged.map { $0.engine.groupTime(instant($0.index)) }
        guard let earliest = times.min(), let latest = times.max(), latest - earliest <= Limits.stampLead else {
            return
        }
        let shown = judged.map { ($0.id, $0.seen.view.message, $0.seen.view.lastMoment(at: $0.clock.boot(at: now))) }
        guard let first = shown.first else { return }
        for (node, _, moment) in shown where mix.sync == Clock.Sync.honest.rawValue && mix.skew <= 4_000 {
            guard let moment, let alarm = moment.alarm, let ended = witness.endedAlarms[moment.register.lineage] else {
                continue
            }
            if alarm.groupTime <= ended { fail(.alarmEnds, "\(node) shows an alarm that was ended") }
        }
        for other in shown.dropFirst() {
            // Their times may differ: the node that said it moved them with group time.
            if other.1?.text != first.1?.text {
                fail(.noticesAgree, "\(first.0) shows \(first.1?.text ?? "-"), \(other.0) \(other.1?.text ?? "-")")
            }
            let (mine, theirs) = (first.2, other.2)
            if mine?.register == theirs?.register, (mine?.alarm == nil) != (theirs?.alarm == nil) {
                fail(.noticesAgree, "only one of \(first.0) and \(other.0) has an alarm")
            }
        }
    }

    /// Checks that at most one session lives, and none below a larger stamp. Returns the nodes' own registers.
    @discardableResult
    private mutating func checkLive() -> [Register] {
        let ownRegisters = judged.filter { !isWithheld($0) }.compactMap { $0.own }
        // A session that the broker has lost has not appeared to the owner of the later one.
        let live = ownRegisters.filter { $0.status.isLive && !isLost($0.owner) }
        if live.count > 1 { fail(.largestLives, "\(live.map(\.id)) are live") }
        if let live = live.first, let above = ownRegisters.first(where: { $0.stamp > live.stamp }), !isGhostAhead {
            fail(.largestLives, "\(live.id) lives below \(above.id)")
        }
        return ownRegisters
    }

    /// Checks that no session counts minutes after its takeover.
    private mutating func checkMinutes() {
        // Times of two wrong clocks do not compare.
        guard mix.sync == Clock.Sync.honest.rawValue, mix.skew <= 4_000, !isForgotten else { return }
        let ownRegisters = machines.compactMap(\.own)
        for lost in ownRegisters where lost.status == .superseded {
            let begin = lost.continues?.at ?? lost.startedAt
            var later = ownRegisters.filter { $0.lineage == lost.lineage && $0.stamp > lost.stamp }
            if mix.unshared != 0, let owner = machines.first(where: { $0.id == lost.owner })?.engine {
                // The other half may keep a takeover that was itself taken over. It is not repeated for this node.
                later.removeAll { owner.register(of: $0.owner)?.id != $0.id }
            }
            let taken = later.filter { $0.continues?.node == lost.owner }
                .compactMap { $0.continues?.at }.filter { $0 >= begin }.min()
            guard let taken, let end = lost.runs.compactMap(\.to).max(), end > taken else { continue }
            fail(.minutesOnce, "\(lost.id) counts \(end - taken) ms that were taken over")
        }
    }

    /// Whether a register that no node owns any more has a stamp that is not due yet. So one node may admit it before
    /// another. It is a register of the ghost, of the liar, or of a node that has lost it for good.
    private var isGhostAhead: Bool {
        judged.contains { machine in
            let time = machine.engine.groupTime(machine.clock.instant(at: now))
            return everyone.contains { id in
                guard let held = machine.engine.register(of: id), held.stamp.time > time,
                    // No clock can tell a later time.
                    held.stamp.time < Limits.earliestStamp + Limits.plausibleSpan + 2 * Limits.stampLead
                else { return false }
                return place(of: id).map { machines[$0].own?.id != held.id } ?? true
            }
        }
    }

    /// Whether a stamp that is ahead is due on one node and not yet on another.
    private var isDueInPart: Bool {
        everyone.contains { id in
            let due = judged.compactMap { machine in
                machine.engine.register(of: id).map {
                    machine.engine.admits($0.stamp, at: machine.clock.instant(at: now))
                }
            }
            return due.contains(true) && due.contains(false)
        }
    }

    /// Checks that the session shown has the largest stamp that all judged nodes must have admitted.
    private mutating func checkLargest(_ ownRegisters: [Register], heldBy machine: Machine) {
        if isGhostAhead { return }
        let others = Set(everyone).subtracting(judged.map(\.id))
        let admitted = others.compactMap { machine.engine.register(of: $0) }
            .filter { machine.engine.admits($0.stamp, at: machine.clock.instant(at: now)) }
        let shown = machine.seen.view.register
        let largest = (ownRegisters + admitted).max { $0.stamp < $1.stamp }
        if largest != shown { fail(.largestLives, "\(EventText.line(shown)) is shown, not \(EventText.line(largest))") }
    }

    /// Checks that every display at rest knows its owner's time closely.
    private mutating func checkTimes(of judged: [Machine]) {
        for machine in judged {
            let boot = machine.clock.boot(at: now)
            guard let moment = machine.seen.view.lastMoment(at: boot), moment.register.status == .running,
                machines.contains(where: { $0.id == moment.register.owner })
            else { continue }
            let name = Names.node(machine.index)
            // Halves that meet again have compared clocks for two seconds only; a time that was ahead stands still.
            let view = machine.seen.view
            let standsFor = witness.isParted ? max(0, view.shownSinceAnchor - (boot - view.anchorBoot)) : 0
            guard let error = moment.error,
                error - standsFor <= Limits.exactEnough + Milliseconds(2 * (mix.latency + mix.jitter) / 1_000)
            else {
                let bound = moment.error.map { "\($0) ms" } ?? "any amount"
                return fail(.timesAgree, "\(name) may be wrong by \(bound) about \(moment.register.id)")
            }
        }
    }

    private mutating func drawJudged(mayBeService: Bool) -> Int? {
        let drawn = probe.draw(0...(machines.count - 1))
        let nodes = judged.map(\.index).filter { mayBeService || !isService($0) }
        return nodes.contains(drawn) ? drawn : nodes.first
    }

    /// Checks that a press on a judged node is answered by the owner, if that is a judged node.
    private mutating func probePress() {
        guard violation == nil, !isDisputed, !isForgotten, let owner = judged.first?.seen.view.register?.owner,
            judged.contains(where: { $0.id == owner }), let node = drawJudged(mayBeService: true)
        else { return }
        // Only a takeover answers for an orphan, and a service cannot take over.
        if isOrphaned, isService(node) { return }
        let unanswered = counters[.noAnswer]
        press(node, .extend(seconds: 60), sight: 0, id: 9_001)
        come(toRest: .seconds(8))
        if !machines[node].open.isEmpty || counters[.noAnswer] > unanswered {
            fail(.pressAnswered, "\(owner) does not answer \(Names.node(node))")
        }
        if machines[node].id != owner { counters.add(.peerAnswered) }
    }

    /// Checks that all judged nodes show a start. Returns whether one was made.
    private mutating func probeStart() -> Bool {
        // A stamp that comes due meanwhile is larger than that of the start.
        guard violation == nil, !isGhostAhead, !isDisputed, !isForgotten, let node = drawJudged(mayBeService: false)
        else { return false }
        start(node, plan: 0, auto: false, id: 9_002)
        come(toRest: .seconds(10))
        for machine in judged where machine.seen.view.register?.id.rawValue != "S9002" {
            // The node of the start may have refused it, and so have stamped below it.
            if isClaim(machine.seen.view.register) { continue }
            let shown = EventText.line(machine.seen.view.register)
            fail(.startShown, "\(machine.id) shows \(shown), not the start of \(Names.node(node))")
        }
        return true
    }

    /// Checks that no judged node publishes during ten minutes of a running session in which nothing ends.
    private mutating func checkQuiet() {
        guard violation == nil, !isGhostAhead, !isDisputed, !isAboutToContradict else { return }
        // An intent for the liar or the ghost is sent again until it expires, since these do not answer.
        if isLiarPresent || ghost != nil { run(until: now + Limits.intentLife) }
        let judged = judged.map(\.index)
        let before = judged.map { published[$0] }
        let (corrected, hellos) = (counters[.clockCorrected], self.hellos)
        let own = judged.map { machines[$0].own?.version }
        let states = machines.indices.map(clockState)
        let unjudged = machines.indices.filter { !judged.contains($0) }
        let others = unjudged.map { machines[$0].own?.version }
        run(until: now + .minutes(10))
        // A clock may drift until its kernel no longer vouches for it, or until it is wrong. A node with a wrong clock
        // may end a phase of an older session; the owner of the current one then repeats its register.
        guard counters[.clockCorrected] == corrected, machines.indices.map(clockState) == states,
            judged == self.judged.map(\.index), others == unjudged.map({ machines[$0].own?.version })
        else { return }
        // A liar that states another time in each answer causes hellos, and presences of nodes without a vouched clock.
        if isLiarPresent, hellos != self.hellos || liar?.falseClock?.manner == .wavering { return }
        for (place, node) in judged.enumerated() where published[node] != before[place] {
            fail(.quiet, "\(Names.node(node)) publishes although only time has passed")
        }
        if own != judged.map({ machines[$0].own?.version }) { fail(.quiet, "a session changes without an input") }
    }
}
