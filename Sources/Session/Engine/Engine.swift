// SPDX-License-Identifier: Apache-2.0

/// The decisions of one node of a space, without clocks, disk and sockets.
///
/// The caller must hand over inputs one at a time in the order in which they happened, with readings of both clocks. It
/// must carry out every effect, in order, before the next input, and let the engine ``rest(at:)`` when no input waits
/// any more. ``Input/restored(_:filed:)`` comes first, and ``Input/wake`` at ``nextWake``, or soon after.
///
/// Each part owns its state. The passing of time changes the own session in `advance`; a start, `take`, an intent or a
/// recovery changes it in `dispatch`. Rules that depend on several parts are in `Engine+Reactions.swift` and run until
/// none applies. They decide when the own session ends or is dated because of others, and when a request becomes a
/// takeover (`Engine+Takeover.swift`). Publishing is a step of its own after them, because a register leaves only in
/// the state at the end of an input.
///
/// A line marked `// rule: NAME` is a rule that the simulator proves. A mutant is a build without the rule; `else:` is
/// the code that it has there instead. Tests/README.md (Mutants) has the forms of marks.
public struct Engine: Hashable, Sendable {
    public let identity: NodeIdentity
    /// The view of the last rest, which displays show. A decision computes its own by `view(_:)`, and takes from this
    /// one only the time that was shown.
    public private(set) var view = View()
    /// When the engine needs ``Input/wake``; `nil` while only another input can change anything, and before a rest.
    public private(set) var nextWake: BootTime?
    /// Whether the engine has handled nothing since the last rest.
    private var isAtRest = true
    /// The known nodes, this one included.
    public internal(set) var peers = Peers()

    var link = Link()
    var ownership = Ownership()
    var dating = Dating()
    var recovery = Recovery()
    var gate = WriteGate()
    var echoes = Echoes()
    var replicas = Replicas()
    var requests = Requests()
    var answers = Answers()
    var admission = Admission()
    var notices = Notices()
    var groupClock = GroupClock()
    var clockSync = ClockSync()
    private var effects: [Effect] = []

    /// Makes the engine of a node that knows nothing yet.
    public init(identity: NodeIdentity) {
        self.identity = identity
    }

    /// Handles one input at one instant, and returns the effects that the caller must carry out, in order.
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        (isAtRest, nextWake) = (false, nil)
        var context = context(at: now)
        advance(input, &context)
        dispatch(input, &context)
        react(&context)
        publish(context)
        write(context)
        defer { effects = [] }
        return effects
    }

    /// Notes that the journal of this number is on disk, and releases what waited for it. It decides nothing, unless
    /// a deadline of the last rest has come without another input, or the wall clock was set.
    public mutating func noteWritten(_ write: Int, at now: Instant) -> [Effect] {
        if gate.noteWritten(write) { emit(.log(.journal(works: true))) }
        if now.hasReached(nextWake) || groupClock.hasMoved(at: now) { return handle(.wake, at: now) }
        isAtRest = false
        release(at: now.boot)
        self.write(context(at: now))
        defer { effects = [] }
        return effects
    }

    /// Computes the view, asks for clocks, and plans the next wake: what no caller waits for.
    public mutating func rest(at now: Instant) -> [Effect] {
        guard !isAtRest else { return [] }
        isAtRest = true
        let context = context(at: now)
        view = makeView(context)
        compareClocks(context)
        planNextWake(context)
        defer { effects = [] }
        return effects
    }

    // MARK: The steps of an input

    /// Brings clocks, the own session and waits up to the present.
    private mutating func advance(_ input: Input, _ context: inout Context) {
        if case .restored(let journal, let filed) = input { restore(journal, filed: filed, &context) }
        if groupClock.hasMoved(at: context.now) { selectTimeSource(&context) }
        if let due = replicas.nextWake, due <= context.now.boot { admitDue(context) }
        _ = ownership.advance(at: context.now.boot)
        // A wait may have ended during a suspend. A barrier that is overdue recovers a register, which must be there
        // before an intent is decided. `linkDown` ends the waits of its connection, so none is acted on before.
        if case .linkDown = input { return }
        while endDueWait(&context) {}
        // Before an intent is decided: it moves the anchor, from which the error of a date is computed.
        while dateOwnSession(context) {}
    }

    private mutating func dispatch(_ input: Input, _ context: inout Context) {
        switch input {
        case .restored, .wake: break
        case .start(let start, let id, let ticket): begin(start, id: id, ticket: ticket, context)
        case .press(let press, let id, let ticket): self.press(press, id: id, ticket: ticket, context)
        case .take(let id, let ticket): take(id: id, ticket: ticket, context)
        case .acknowledge(let id, let ticket): acknowledge(id: id, ticket: ticket, context)
        case .say(let text, let life, let id, let ticket): say(text, for: life, id: id, ticket: ticket, context)
        case .hangUp(let ticket):
            requests.forget(ticket)
            gate.forget(ticket)
        case .linkUp(let connection, let hearsItself): linkUp(connection, hearsItself: hearsItself, context)
        case .linkDown: linkDown(context)
        case .sleeping(let isSleeping): if link.setSleeping(isSleeping), !isSleeping { clockSync.forgetAll() }
        case .barrierPassed(let connection): if connection == link.connection { passBarrier(&context) }
        case .received(let message, let from, let retained): receive(message, from: from, retained: retained, &context)
        case .erased(let from, let isPresence):
            if from == node {
                repair(context)
            } else if isPresence {
                forgetPresence(of: from, &context)
            }
        case .discarded(let reason, let from):
            discard(reason, from: from)
            // On an own retained topic it has replaced this node's message at the broker.
            if from == node { repair(context) }
        case .sayHello: sayHello(context)
        case .named(let session): askFor(session, context)
        case .journalFailed(let write):
            if gate.noteFailure(of: write, at: context.now.boot) { emit(.log(.journal(works: false))) }
        }
    }

    /// Publishes presence, register and answers that may leave now.
    private mutating func publish(_ context: Context) {
        if link.removePendingHello() { emit(.publish(.hello)) }
        if let connection = link.removePendingPresence(), identity.publishesPresence {
            emit(.publish(.presence(presence(context, connection: connection, online: true))))
        }
        release(at: context.now.boot)
        if let connection = link.removePendingBarrier() { emit(.barrier(connection)) }
    }

    /// Publishes the register and the answers that may leave now. The register leaves when it is on disk and the
    /// barrier of this connection has passed. The answers leave when their effects are on disk; without a connection,
    /// or before its barrier, the caller keeps them.
    private mutating func release(at boot: BootTime) {
        let isWanted = ownership.isUnpublished && !ownership.journal.isWithheld
        let isOnDisk = gate.isRegisterWritten && !ownership.isRegisterChanged
        let mayCompareStart = link.isBarrierPassed && !startAwaitsTime
        let mayLeave =
            isWanted && link.isUp
            && isOnDisk  // rule: writeFirst
            && mayCompareStart  // rule: barrierFirst
        if mayLeave, let own = ownership.register {
            emit(.publish(.register(own)))
            echoes.expect(own.version, at: boot)
            ownership.notePublished()
        }
        // After the barrier: by then the notice includes what an earlier process of this node has said.
        if link.isUp, link.isBarrierPassed, let notice = notices.removePending() { emit(.publish(.notice(notice))) }
        for answer in gate.release() { emit(answer) }
    }

    /// Asks other nodes for their clocks where the view depends on them.
    mutating func compareClocks(_ context: Context) {
        clockSync.compareIfDue(at: context.now.boot)
        planClocks(context)
        while context.now.hasReached(clockSync.nextWake) {
            for peer in clockSync.advancePolls(at: context.now.boot) { ping(peer, context) }
            // Another node may be asked instead of one that is silent by now.
            planClocks(context)
        }
    }

    /// Asks for one write of the journal if it has changed, after the ledger records that go with it.
    private mutating func write(_ context: Context) {
        let isDisputed = ownership.isRegisterChanged && isDisputed(context)
        guard let changes = ownership.removeChanges(isDisputed: isDisputed) else { return }
        for record in changes.records { emit(record) }
        emit(.journal(ownership.journal, write: gate.nextWrite(forRegister: changes.isRegister)))
    }

    mutating func emit(_ effect: Effect) { effects.append(effect) }

    private mutating func planNextWake(_ context: Context) {
        let times: [BootTime?] = [
            ownership.boundary, gate.retryAt, link.barrierDeadline, link.comparisonDeadline, link.plannedAskAt,
            link.answersDueAt, echoes.repairAt, echoes.reminderAt, replicas.nextWake,
            requests.nextWake(isBarrierPassed: link.isBarrierPassed, canTakeOver: canTakeOver), clockSync.compareAt,
            clockSync.nextWake,
            notices.nextDue(context), view.message.map { context.now.boot + ($0.until - context.groupTime) },
        ]
        nextWake = times.lazy.compactMap(\.self).min()
    }

    // MARK: The view

    /// Returns the view of this instant: the admitted register with the largest stamp.
    package func view(at now: Instant) -> View { makeView(context(at: now)) }

    /// Returns the complete view of an input's instant: with the shown time, the end of the alarm and the message.
    func makeView(_ context: Context) -> View {
        var fresh = makeRegisterView(context)
        fresh.keepShownTime(of: view, at: context.now.boot)
        fresh.acknowledgedAt = fresh.register.flatMap { notices.acknowledged($0.lineage, context) }
        fresh.message = notices.message(context)
        return fresh
    }

    /// Returns the current register with its owner's contact, before the shown time and notices are added.
    private func makeRegisterView(_ context: Context) -> View {
        if let own = ownership.register, isLatest(own), isCandidate(own, context) {
            return View(
                register: own, anchorBoot: own.anchor.boot, error: ErrorBound(), isOwner: true,
                isLinked: link.isUp)
        } else if let current = replicas.current {
            let owner = peers[current.owner]
            let lost = [link.downSince, owner.isOnline ? nil : owner.offlineSince ?? link.barrierPassedAt]
            return View(
                register: current.register, anchorBoot: current.anchorBoot, error: clockSync.errorBound(of: current),
                contactLostAt: lost.compactMap(\.self).min(), isLinked: link.isUp)
        } else {
            return View(isLinked: link.isUp)
        }
    }

    /// Whether the own register can be the current one. If others do not admit its stamp, it can be only where there is
    /// no other register.
    func isCandidate(_ own: Register, _ context: Context) -> Bool {
        guard link.isBarrierPassed else { return true }
        if ownership.journal.isWithheld { return false }
        // A start after a stamp with the largest counter gets the next millisecond, perhaps one more than is admitted.
        return replicas.current == nil || context.admits(own.stamp, lead: 1)
    }

    // MARK: Questions

    /// Whether no admitted register of another node has a larger stamp than the own one.
    func isLatest(_ own: Register) -> Bool { replicas.current.map { $0.stamp < own.stamp } ?? true }

    var node: NodeID { identity.node }

    /// Whether messages of `sender` are this node's own. A passing remote may use the id of a node because the broker's
    /// ACL requires it. That node is another program, whose messages are not the remote's own.
    func isSelf(_ sender: NodeID) -> Bool { sender == node && identity.publishesPresence }

    /// Makes the context of an input or a rest.
    func context(at now: Instant) -> Context {
        Context(
            node: node, bootID: identity.bootID, now: now, source: groupClock.source,
            areClocksKnown: groupClock.areClocksKnown,
            groupTime: groupTime(now))
    }

    /// Whether this node can own a session: a passing remote keeps no journal.
    var canTakeOver: Bool { identity.mayOwn }

    /// Whether retained messages of the present connection are still arriving, so that ``view`` may be an earlier one.
    public var isCatchingUp: Bool { link.isUp && !link.isBarrierPassed }
    /// Whether this node has asked all nodes to publish again on the present connection, since something was missing.
    public var hasSaidHello: Bool { link.hasSaidHello }

    /// Returns whether another node may have a live session that this one lacks. That is so while retained messages
    /// arrive. Later it is so if another node is there, and this one may ask all nodes or did so within `timeout`.
    package func mayLackSession(within timeout: Milliseconds, at now: Instant) -> Bool {
        guard link.isUp, identity.mayPress, !(view(at: now).register?.status.isLive ?? false) else { return false }
        guard link.isBarrierPassed else { return true }
        let isSomebodyHere = isRetainedMissing || peers.online.contains { $0 != node }
        return isSomebodyHere && (link.maySayHello(at: now.boot) || link.hasSaidHello(within: timeout, at: now.boot))
    }

    /// Returns group time, within ``Limits/time``.
    public func groupTime(_ now: Instant) -> GroupTime {
        min(max(groupClock.time(at: now), Limits.time.lowerBound), Limits.time.upperBound)
    }

    /// Returns whether dates are final; see `Context.areDatesFinal`.
    public func areDatesFinal(at now: Instant) -> Bool { context(at: now).areDatesFinal }
    /// The node whose clock group time follows; `nil` for this machine's own clock, or while no clock is plausible.
    public var timeOrigin: NodeID? { groupClock.origin }

    public func clockQuality(at now: Instant) -> ClockQuality { context(at: now).clockQuality }

    /// Whether the own session was started without contact and is not published yet.
    package var isProvisional: Bool { ownership.isProvisional }

    /// Whether a node's last stated group time contradicts this node's, if it is known which of the two is right.
    public func isContradicted(by peer: NodeID, at now: Instant) -> Bool {
        (groupClock.source.isVouched || peers.vouching.contains(peer))
            && clockSync.isContradicting(peer, context(at: now))
    }

    /// Returns whether a stamp counts now; see `Context.admits`.
    public func admits(_ stamp: Stamp, at now: Instant) -> Bool { context(at: now).admits(stamp) }

    /// Returns whether this node has compared its clock with that of a peer, so that the peer has a vote.
    package func hasCompared(with peer: NodeID) -> Bool { clockSync.estimates[peer] != nil }

    /// Returns the presence of this node on a connection; with `online` false it is the will of the connection.
    public func presence(at now: Instant, connection: ConnectionID, online: Bool) -> Presence {
        presence(context(at: now), connection: connection, online: online)
    }

    private func presence(_ context: Context, connection: ConnectionID, online: Bool) -> Presence {
        return Presence(
            isOnline: online, connection: connection, role: identity.role, name: identity.name,
            at: context.groupTime, clock: context.clockQuality, software: identity.software,
            isSleeping: online && link.isSleeping)
    }

    /// Returns the register of a node, this one or another; `nil` if none is known.
    public func register(of subject: NodeID) -> Register? {
        isSelf(subject) ? ownership.register : replicas[subject]?.register
    }

    /// Returns stamp and version of the latest known register of a node; `nil` for a withheld own one.
    package func stampAndVersion(of subject: NodeID) -> (stamp: Stamp, version: Version)? {
        if isSelf(subject) {
            let isWithheld = link.isBarrierPassed && ownership.journal.isWithheld
            return isWithheld ? nil : ownership.register.map { ($0.stamp, $0.version) }
        }
        return replicas[subject].map { ($0.stamp, $0.version) }
    }

    /// The plausible vouched clocks of others, with their possible leads, and whether the node has stayed online.
    package func vouchedVotes(_ now: Instant) -> [NodeID: (lead: ClosedRange<Lead>, isPresent: Bool)] {
        clockSync.estimates.compactMapValues { estimate in
            guard estimate.clock.isSynced, GroupClock.isPlausible(now.boot + estimate.wallLead) else { return nil }
            let bound = estimate.bound(at: now.boot)  // rule: pongAge, else: max(0, estimate.bound(at: now.boot))
            return (estimate.wallLead - bound...estimate.wallLead + bound, estimate.isPresent)
        }
    }
}
