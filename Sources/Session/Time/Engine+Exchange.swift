// SPDX-License-Identifier: Apache-2.0

/// Comparing clocks with other nodes.
extension Engine {
    /// Whoever asks gets the clocks as they stand. A passing remote is asked nothing.
    mutating func answer(_ ping: Ping, of asker: NodeID, at now: Instant) {
        guard link.isUp, configuration.isAnnounced else { return }
        let pong = Pong(
            connection: ping.connection, sent: ping.sent, bootID: configuration.bootID, boot: now.boot,
            wall: min(max(now.wall, Limits.time.lowerBound), Limits.time.upperBound), at: groupTime(now),
            clock: clockQuality(now))
        emit(.publish(.pong(pong, to: asker)))
        compare(ping.at, of: asker, at: now)
    }

    mutating func learn(_ pong: Pong, of peer: NodeID, at now: Instant) {
        guard pong.connection == link.connection, pong.sent <= now.boot, now.boot - pong.sent <= Limits.pongAge,
            keeps(.exchange)
        else { return }
        guard exchange.learn(pong, of: peer, at: now.boot) else { return }
        if var held = registers[peer], let estimate = exchange.estimates[peer], keeps(.bootClock),
            held.anchor.bootID == estimate.bootID
        {
            if held.measure(estimate.offset) { registers.hold(held) }
            if registers.currentOwner == peer { isViewDirty = true }
        }
        chooseTime(at: now)
        if let estimate = exchange.estimates[peer] { compare(now.boot + estimate.groupLead, of: peer, at: now) }
        if link.timeDeadline != nil { timeIsKnown(at: now) }
        if !requests.open.isEmpty { sendRequests(at: now) }
    }

    /// Pings whoever is to be asked now.
    mutating func runExchange(at now: Instant) {
        for peer in exchange.due(at: now.boot) { ping(peer, at: now) }
    }

    mutating func ping(_ peer: NodeID, at now: Instant) {
        guard let connection = link.connection else { return }
        emit(.publish(.ping(Ping(connection: connection, sent: now.boot, at: groupTime(now)), to: peer)))
    }

    /// Whom to ask: the owner of a live session, whose time is shown here; and, while this machine's clock is not known
    /// to be right, a few nodes that everybody else asks too.
    mutating func planExchange(at now: Instant) {
        exchange.isDirty = false
        let question = question(at: now)
        guard question != exchange.question else { return }
        exchange.question = question
        guard question.isReady else { return exchange.plan([], lasting: nil, since: nil, at: now.boot) }
        var nodes: Set<NodeID> = []
        var lasting: (NodeID, BootID)?
        if let owner = question.owner, let boot = question.boot, peers[owner].presence?.online != false {
            nodes.insert(owner)
            lasting = (owner, boot)
        }
        if question.needsCouncil {
            nodes.formUnion(council)
            nodes.formUnion(exchange.contradicting.sorted().prefix(Limits.council))
        }
        exchange.plan(
            nodes, lasting: lasting, since: question.since, isFull: firstOthers.count == Limits.council, at: now.boot)
    }

    @inline(__always) private func question(at now: Instant) -> Exchange.Question {
        var question = Exchange.Question(
            isReady: link.isReady && keeps(.exchange),
            needsCouncil: now.wallBound == nil || exchange.comparedAt != nil || isClockWrong(now),
            since: exchange.comparedAt)
        if !view.isOwner, let shown = view.register, shown.status.isLive {
            question.owner = shown.owner
            question.boot = shown.anchor.bootID
        }
        return question
    }

    /// The nodes whose clocks decide where no clock is known to be right.
    var council: ArraySlice<NodeID> {
        let (me, first) = (node, firstOthers)
        // This node is one of them by its name, though it asks itself nothing.
        let isFull = first.count == Limits.council
        return isFull && (first.last.map { $0 > me } ?? false) ? first.dropLast() : first[...]
    }

    private var firstOthers: [NodeID] {
        let me = node
        return Array(peers.online.lazy.filter { $0 != me }.prefix(Limits.council))
    }

    /// Takes note of the group time that another node says: where it contradicts this one's, one of them is wrong.
    mutating func compare(_ time: Int64, of peer: NodeID, at now: Instant) {
        let contradicts = abs(time - groupTime(now)) > GroupClock.agreement
        exchange.hear(lead: time - now.boot, of: peer, contradicts: contradicts, at: now.boot)
    }

    /// Whether what carries group time should wait for the first comparison.
    func isTimeAwaited(at now: Instant) -> Bool {
        now.wallBound == nil && exchange.estimates.isEmpty && !exchange.rounds.isEmpty && keeps(.exchange)
    }

    func clockQuality(_ now: Instant) -> ClockQuality {
        ClockQuality(
            synced: now.wallBound != nil, bound: now.wallBound.map { min($0, Limits.reading.upperBound) },
            isWrong: isClockWrong(now))
    }

    /// By how much the time of the session that is shown is wrong at most.
    @inline(__always) func errorBound(of held: HeldRegister, at now: Instant) -> ErrorBound? {
        if held.isMeasured {
            guard let estimate = exchange.estimates[held.owner], estimate.bootID == held.anchor.bootID else {
                return nil
            }
            return ErrorBound(milliseconds: estimate.bound(of: held.offset, at: now.boot), at: now.boot)
        }
        // What was true when the anchor was written and placed stays so, whatever the wall clocks do later.
        guard let mine = held.placedWithin, let theirs = held.anchor.bound else { return nil }
        let drift = ClockEstimate.driftBound(in: now.boot - held.anchorBoot)
        return ErrorBound(milliseconds: mine + theirs + drift, at: now.boot)
    }
}
