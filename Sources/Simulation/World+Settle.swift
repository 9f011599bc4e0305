// SPDX-License-Identifier: Apache-2.0

import Session

/// The second phase: the faults stop, and the world must come to rest, agree, and answer.
extension World {
    /// Within this many milliseconds everybody agrees: a dial, the barrier, a repair, and the answers' patience.
    private static let bound: Int64 = 20_000

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
            machines[node].cutUntil = 0
            if machines[node].isAlive {
                goOn(node, nap: machines[node].nap)
            } else {
                launch(node, life: machines[node].life)
            }
        }
        queue.add(.haunt, at: now + 8_000_000)
        for index in connections.indices {
            unblock(index)
            if connections[index].isLossy { closeAtBroker(index) }
        }
        launchService()
    }

    /// Runs the scenario to its end.
    mutating func run() {
        run(until: Int64(mix.trouble) * 1_000)
        come(toRest: Self.bound)
        checkAgreement()
        probePress()
        let isStarted = probeStart()
        checkAgreement()
        if isStarted { checkQuiet() }
        checkLedger()
        for machine in machines {
            let instant = instant(machine.index)
            let ahead = machine.engine.groupTime(instant) - Clock.epoch - now / 1_000
            let wall = machine.clock.wallError(at: now)
            let kernel = instant.wallBound == nil ? "" : ", synchronised"
            tell("\(Names.node(machine.index)): group time \(ahead) ms ahead, wall clock \(wall) ms\(kernel)")
        }
        if mix.canary != 0 { fail(.canary, "the planted violation") }
    }

    private mutating func come(toRest milliseconds: Int64) {
        run(until: now + milliseconds * 1_000)
        var patience = 200
        while violation == nil, underWay > 0, patience > 0 {
            run(until: now + 10_000)
            patience -= 1
        }
        let left = underWay
        if left > 0 { fail(.settles, "\(left) packets are still under way") }
    }

    private mutating func checkAgreement() {
        guard violation == nil else { return }
        let isOrphaned = isOrphaned
        if isOrphaned { counters.add(.orphan) }
        if !isOrphaned, !isDisputed, !isMisled, !isDueInPart {
            if isForgotten { checkLive() } else { checkViews() }
        }
        checkMinutes()
        checkDates()
        checkOutvoted()
        for machine in machines {
            let name = Names.node(machine.index)
            if !machine.open.isEmpty { fail(.allAnswered, "\(name) waits for \(machine.open.keys.sorted())") }
            let own = machine.own
            if machine.onDisk?.own != own { fail(.allWritten, "\(name) holds what is not on disk") }
            for peer in machines where peer.index != machine.index && !machine.engine.peers[peer.id].isOnline {
                fail(.allOnline, "\(name) does not see \(peer.id)")
            }
        }
    }

    /// Whether a node's own session began and ended without contact, so that nobody else knows of it.
    private func isWithheld(_ machine: Machine) -> Bool {
        machine.engine.isProvisional && machine.own?.status.isLive == false
    }

    /// Whether a node has lost its register for good, on its disk and on the broker, while others still show it. Only
    /// a takeover can put that right: nobody else may write for the node.
    private var isOrphaned: Bool {
        machines.contains { lost in
            (lost.own == nil || isWithheld(lost)) && machines.contains { $0.engine.register(of: lost.id) != nil }
        }
    }

    private mutating func checkViews() {
        let views = machines.map(\.seen.view)
        for (node, view) in views.enumerated() where view.register != views[0].register {
            let first = views[0].register
            fail(.oneView, "a shows \(Telling.line(first)), \(Names.node(node)) \(Telling.line(view.register))")
        }
        let owns = checkLive()
        let lives = owns.filter(\.status.isLive)
        if lives.count > 1 { fail(.largestLives, "\(lives.map(\.id)) are live") }
        if let live = lives.first, live != views[0].register { fail(.largestLives, "\(live.id) is live and not shown") }
        checkLargest(owns, shown: views[0].register)
        checkTimes()
    }

    /// One session lives at most, and none lives below another that its owner says.
    /// - Returns: The registers of all nodes.
    @discardableResult
    private mutating func checkLive() -> [Register] {
        let owns = machines.filter { !isWithheld($0) }.compactMap { $0.own }
        // One that the broker has lost has not appeared to the owner of the later one.
        let live = owns.filter { $0.status.isLive && !isLost($0.owner) }
        if live.count > 1 { fail(.largestLives, "\(live.map(\.id)) are live") }
        if let live = live.first, let above = owns.first(where: { $0.stamp > live.stamp }), !isGhostAhead {
            fail(.largestLives, "\(live.id) lives below \(above.id)")
        }
        return owns
    }

    private mutating func checkMinutes() {
        // Where no clock is right, what was told by two of them does not compare.
        guard mix.sync == Clock.Sync.honest.rawValue, mix.skew <= 4_000, !isForgotten else { return }
        let owns = machines.compactMap(\.own)
        for lost in owns where lost.status == .superseded {
            let begin = lost.continues?.at ?? lost.startedAt
            let later = owns.filter { $0.lineage == lost.lineage && $0.stamp > lost.stamp }
            let taken = later.filter { $0.continues?.node == lost.owner }
                .compactMap { $0.continues?.at }.filter { $0 >= begin }.min()
            guard let taken, let end = lost.runs.compactMap(\.to).max(), end > taken else { continue }
            fail(.minutesOnce, "\(lost.id) counts \(end - taken) ms that were taken over")
        }
    }

    /// Whether a stamp that nobody can make anew is not due yet, so that it may be admitted at any time, and here before
    /// there: the ghost's, or one of a node that has lost its register for good.
    private var isGhostAhead: Bool {
        machines.contains { machine in
            let time = machine.engine.groupTime(machine.clock.instant(at: now))
            return everyone.contains { id in
                guard let held = machine.engine.register(of: id), held.stamp.time > time else { return false }
                return place(of: id).map { machines[$0].own?.id != held.id } ?? true
            }
        }
    }

    /// Whether a stamp that is ahead is due on one node and not yet on another, whose clock is behind.
    private var isDueInPart: Bool {
        everyone.contains { id in
            let due = machines.compactMap { machine in
                machine.engine.register(of: id).map {
                    $0.stamp.time <= machine.engine.groupTime(machine.clock.instant(at: now)) + Limits.stampLead
                }
            }
            return due.contains(true) && due.contains(false)
        }
    }

    /// What is shown has the largest stamp of all that everybody must have admitted.
    private mutating func checkLargest(_ owns: [Register], shown: Register?) {
        if isGhostAhead { return }
        let strangers = everyone.dropFirst(machines.count).compactMap { machines[0].engine.register(of: $0) }
        let largest = (owns + strangers).max { $0.stamp < $1.stamp }
        if largest != shown { fail(.largestLives, "\(Telling.line(shown)) is shown, not \(Telling.line(largest))") }
    }

    /// Every display says by how much it is wrong at most, and at rest that is not much.
    private mutating func checkTimes() {
        for machine in machines {
            let boot = machine.clock.boot(at: now)
            guard let moment = machine.seen.view.lastMoment(at: boot), moment.register.status == .running,
                machines.contains(where: { $0.id == moment.register.owner })
            else { continue }
            let name = Names.node(machine.index)
            guard let error = moment.error, error <= Limits.exactEnough + Int64(2 * (mix.latency + mix.jitter) / 1_000)
            else {
                let bound = moment.error.map { "\($0) ms" } ?? "any amount"
                return fail(.timesAgree, "\(name) may be wrong by \(bound) about \(moment.register.id)")
            }
        }
    }

    /// A press anywhere gets an answer from the owner, unless the owner is one that nobody knows.
    private mutating func probePress() {
        guard violation == nil, !isDisputed, !isMisled, !isForgotten,
            let owner = machines[0].seen.view.register?.owner
        else { return }
        guard machines.contains(where: { $0.id == owner }) else { return }
        let node = probe.draw(0...(machines.count - 1))
        let unanswered = counters[.noAnswer]
        press(node, .extend(seconds: 60), sight: 0, id: 9_001)
        come(toRest: 8_000)
        if !machines[node].open.isEmpty || counters[.noAnswer] > unanswered {
            fail(.pressAnswered, "nobody answers \(Names.node(node))")
        }
        if machines[node].id != owner { counters.add(.peerAnswered) }
    }

    /// - Returns: Whether a session was started that everybody must show.
    private mutating func probeStart() -> Bool {
        // A stamp that comes due meanwhile beats the start, and rightly so.
        guard violation == nil, !isGhostAhead, !isDisputed, !isMisled, !isForgotten else { return false }
        let node = probe.draw(0...(machines.count - 1))
        start(node, plan: 0, auto: false, id: 9_002)
        // A stamp that is ahead of this node's clock may have to wait its turn; its own start does not.
        come(toRest: 10_000)
        for machine in machines where machine.seen.view.register?.id.rawValue != "S9002" {
            fail(.startShown, "\(machine.id) does not show the start of \(Names.node(node))")
        }
        return true
    }

    /// Ten minutes of a running session, in which nothing ends: nobody has anything to say.
    private mutating func checkQuiet() {
        guard violation == nil, !isGhostAhead, !isDisputed, !isMisled else { return }
        // What was handed on to the liar is asked again until it expires, for the liar does not answer.
        if isLiarPresent { run(until: now + Limits.intentLife * 1_000) }
        let before = said
        let corrected = counters[.clockCorrected]
        let own = machines.map { $0.own?.version }
        let states = machines.indices.map(clockState)
        run(until: now + 600_000_000)
        // A clock may drift until its kernel vouches for it no more, or until it is wrong.
        guard counters[.clockCorrected] == corrected, machines.indices.map(clockState) == states else { return }
        if said != before || own != machines.map({ $0.own?.version }) {
            fail(.quiet, "something was said although only time has passed")
        }
    }
}
