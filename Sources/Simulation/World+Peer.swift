// SPDX-License-Identifier: Apache-2.0

import Session

/// Checks of what one peer that lies can reach.
extension World {
    /// More messages or changes in one second than any peer may cause: what is allowed in a row, and in a second.
    private static let mostPerSecond = 121

    /// Something that the liar causes at a node, and that is bounded.
    enum Caused: Hashable { case effect, pong, objection, correction }

    /// The liar causes a bounded number of each thing per second.
    mutating func witnessRate(of what: Caused, at node: Int) {
        let second = now / 1_000_000
        if witness.nodes[node].lately.second != second { witness.nodes[node].lately = (second, [:]) }
        witness.nodes[node].lately.counts[what, default: 0] += 1
        let count = witness.nodes[node].lately.counts[what] ?? 0
        if count > Self.mostPerSecond {
            fail(.peerBounded, "\(Names.node(node)) lets one peer cause \(count) of \(what) in a second")
        }
    }

    /// What a node says to the liar, or because of it.
    mutating func witnessBounded(_ message: Message, by node: Int) {
        guard isLiarPresent, let liar else { return }
        switch message {
        case .pong(_, to: liar.node): witnessRate(of: .pong, at: node)
        case .ack(.fork(liar.node, _)), .ack(.clock(liar.node, _, _)): witnessRate(of: .objection, at: node)
        default: break
        }
    }

    // MARK: Clocks

    /// What a node knows of honest clocks that are vouched for: how many of their nodes are there, and the bounds of all.
    private func honestVoices(at node: Int) -> (count: Int, leads: ClosedRange<Int64>?) {
        let (engine, instant) = (machines[node].engine, instant(node))
        let voices = engine.vouchedVoices(instant).filter { $0.key != liar?.node }
        let count = voices.count { $0.value.isPresent && engine.peers[$0.key].isOnline }
        guard let low = voices.values.map(\.lead.lowerBound).min(),
            let high = voices.values.map(\.lead.upperBound).max()
        else { return (count, nil) }
        return (count, low...high)
    }

    /// Whether a node goes by what others say, and hears fewer than two that are honest and vouched for beside the liar.
    /// Then the liar's clock can be its group time.
    func isExposed(_ node: Int) -> Bool {
        liar?.falseClock != nil && vouchedError(of: node) == nil && honestVoices(at: node).count < 2
    }

    /// Whether some node is exposed, so that one can have another time than another.
    var isMisled: Bool { machines.indices.contains(where: isExposed) }

    /// Where two honest clocks are vouched for, a false one moves nothing.
    mutating func checkTimeHeld(at node: Int) {
        guard isLiarPresent, liar?.falseClock != nil else { return }
        if isExposed(node) {
            counters.add(.exposed)
            witness.nodes[node].exposedAt = now
            if let own = machines[node].own { witness.exposed.insert(own.id) }
            return
        }
        let instant = instant(node)
        let time = machines[node].engine.groupTime(instant)
        if vouchedError(of: node) != nil {
            // Where kernels vouch for clocks that are wrong, two of those can outvote with the liar.
            let error = time - instant.wall
            if error != 0, mix.sync == Clock.Sync.honest.rawValue {
                fail(.timeHeld, "\(Names.node(node)) is \(error) ms off its clock")
            }
            return
        }
        // Who comes back counts from the next pong on.
        guard let leads = honestVoices(at: node).leads,
            witness.nodes[node].exposedAt.map({ now - $0 > 10_000_000 }) ?? true
        else { return }
        // What a median wavers by is not followed.
        let beyond = max(leads.lowerBound - (time - instant.boot), time - instant.boot - leads.upperBound)
        if beyond > 51 { fail(.timeHeld, "\(Names.node(node)) goes by a time \(beyond) ms beyond all honest ones") }
    }

    // MARK: Versions

    /// Nobody holds a register under a version that no honest node can reach.
    mutating func checkVersion(of register: Register, heldBy node: Int) {
        guard register.owner == liar?.node, let held = machines[node].engine.register(of: register.owner) else {
            return
        }
        // By the latest time that any clock can tell.
        let bound = Limits.epochs + Int(Limits.plausibleMilliseconds / 1_000) + Int(Clock.day / 1_000)
        if held.epoch > bound { fail(.counterBounded, "\(Names.node(node)) holds \(held.owner)'s \(held.version)") }
    }

    // MARK: Minutes

    /// A session that ends because of a peer's register has run until that one says that it continues it.
    mutating func checkCut(from before: Register, to own: Register, at node: Int) {
        // What is over moves with its anchor when it is dated.
        guard isLiarPresent, own.id == before.id, own.epoch == before.epoch, own.status == .superseded,
            before.status.isLive || own.anchor == before.anchor
        else { return }
        let boot = instant(node).boot
        let present = before.status == .running ? boot : before.anchor.boot
        let begin = own.continues?.at ?? own.startedAt
        let taken = everyone.compactMap { machines[node].engine.register(of: $0) }
            .filter { $0.lineage == own.lineage && $0.stamp > own.stamp }
            .compactMap { $0.continues?.at }.filter { $0 >= begin - Limits.stampLead }.min()
        // An open run keeps its length, so it moves with group time.
        let shift = own.anchor.at - before.anchor.at - (own.anchor.boot - before.anchor.boot)
        let end = taken.map { $0 - max(0, shift) } ?? .max
        let lost = before.ran(until: present, cutAt: end) - own.ran(until: boot)
        // Moved back, it may begin before the one that it follows has ended, and is cut there.
        if lost > 4 + max(0, -shift) { fail(.minutesTheirOwn, "\(own.id) loses \(lost) ms to no takeover of it") }
    }
}

extension Register {
    /// Milliseconds that it had run by `boot`, without what its runs say of the time from an instant on.
    fileprivate func ran(until boot: Int64, cutAt instant: Int64) -> Int64 {
        let all = ran(until: boot)
        let later = runs.reduce(Int64(0)) { sum, run in
            let end = run.to ?? anchor.at + boot - anchor.boot
            return sum + max(0, end - max(run.from, instant))
        }
        return all - later
    }
}
