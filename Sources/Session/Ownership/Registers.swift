// SPDX-License-Identifier: Apache-2.0

/// The registers of the other nodes, joined by version; the largest admitted stamp is the current one.
struct Registers: Hashable, Sendable {
    private var held: [NodeID: HeldRegister] = [:]
    /// The admitted one with the largest stamp.
    private(set) var current: HeldRegister?
    /// When the next register that is ahead of group time can be admitted, on the boot clock.
    private(set) var nextWake: Int64?

    subscript(node: NodeID) -> HeldRegister? { held[node] }

    var all: [HeldRegister] { held.keys.sorted().compactMap { held[$0] } }

    mutating func hold(_ register: HeldRegister) {
        held[register.owner] = register
        if nextWake != nil || register.admissibleAt != nil {
            nextWake = held.values.lazy.compactMap(\.admissibleAt).min()
        }
        // Mostly a newer register of the current session, or of one that was beaten before.
        if current?.owner == register.owner, !register.isAdmitted || !register.isAtLeast(current) {
            current = held.values.lazy.filter(\.isAdmitted).max { $0.stamp < $1.stamp }
        } else if register.isAdmitted, register.isAtLeast(current) {
            current = register
        }
    }

    /// The owner of the current one.
    var currentOwner: NodeID? { current?.owner }
}

extension Engine {
    mutating func receive(_ message: Message, from sender: NodeID, retained: Bool, at now: Instant) {
        let isHeard = !retained && (sender != node || configuration.isAnnounced) && !message.isWill
        if !peers.admits(sender) { makeRoom(at: now) }
        guard peers.admit(sender, heardAt: isHeard ? now.boot : nil) else {
            return discard(.tooManyNodes, from: nil)
        }
        switch judge(message, from: sender, retained: retained, at: now) {
        case .accepted: break
        case .ignored: return
        case .busy: return discard(.tooOften, from: sender)
        case .refused(let reason):
            discard(reason, from: sender)
            // What stands on the own topic has taken the place of the own register.
            if case .register = message, isSelf(sender) { repair(at: now) }
            return
        }
        switch message {
        case .presence(let presence): receivePresence(presence, from: sender, retained: retained, at: now)
        case .register(let register): receiveRegister(register, from: sender, at: now)
        case .intent(let intent): answer(intent, at: now)
        case .ack(let ack): receiveAck(ack, at: now)
        case .hello: answerHello(at: now)
        case .ping(let ping, _): answer(ping, of: sender, at: now)
        case .pong(let pong, _): learn(pong, of: sender, at: now)
        }
    }

    /// Forgets a sender of which nothing counts any more: what it asked has expired.
    private mutating func makeRoom(at now: Instant) {
        let node = node
        let gone = peers.forgetSilent(since: now.boot - Limits.intentLife) { $0 == node || registers[$0] != nil }
        guard let gone else { return }
        admission.forget(gone)
        answers.forget(gone)
        exchange.depart(gone)
        exchange.forget(gone)
    }

    /// Whether a message is used, by the rules of ``Admission``.
    private mutating func judge(
        _ message: Message, from sender: NodeID, retained: Bool, at now: Instant
    ) -> Admission.Verdict {
        var known = Admission.Known(
            node: node, isSelf: isSelf(sender), groupTime: groupTime(now), rules: configuration.rules)
        if case .ack(.answer(let answer)) = message, let request = requests[answer.intent] {
            known.request = request
            if isViewDirty { refreshView(at: now) }
            known.head = view.register.map { ($0.owner, $0.lineage) }
        }
        let verdict = Admission.judge(message, from: sender, retained: retained, knowing: known)
        guard verdict == .accepted else { return verdict }
        switch message {
        case .ping where keeps(.pongRate): return admission.charge(pingOf: sender, at: now.boot)
        case .pong where keeps(.voiceRate): return admission.charge(pongOf: sender, at: now.boot)
        default: return verdict
        }
    }

    private mutating func receiveRegister(_ register: Register, from sender: NodeID, at now: Instant) {
        if isSelf(sender) { return receiveEcho(register, at: now) }
        let known = registers[sender]
        if let known, register.version <= known.version, keeps(.versionOrder) {
            if register.version == known.version, register != known.register, keeps(.forkObjection) {
                // Said each time that one comes, for an objection can be lost like any message.
                object(.fork(node: sender, version: known.version), to: sender, at: now)
            }
            if register.version < known.version {
                // Old news, or its author lost the end of its journal and found nothing at the broker: it knows which.
                object(.fork(node: sender, version: known.version), to: sender, at: now)
            }
            if known.register.status.isLive { planReminder(below: known.register, at: now) }
            return
        }
        let measured = exchange.estimates[sender].flatMap {
            $0.bootID == register.anchor.bootID && keeps(.bootClock) ? $0.offset : nil
        }
        var held = HeldRegister(
            register, after: keeps(.bootClock) ? known : nil, measured: measured, groupTime: groupTime(now),
            bound: timeBound(now), boot: now.boot)
        if !keeps(.admission) { held.admitAnyway() }
        let wasCurrent = registers.currentOwner == sender
        registers.hold(held)
        if wasCurrent || registers.currentOwner == sender { isViewDirty = true }
        if held.isAdmitted {
            admit(register.stamp, at: now)
        } else {
            if known?.stamp != register.stamp {
                emit(.log(.clockWrong(sender, stamp: register.stamp.time)))
            }
            exchange.compareAgain(at: now.boot)
            object(.clock(node: sender, session: register.id, at: groupTime(now)), to: sender, at: now)
        }
        if register.status.isLive { planReminder(below: register, at: now) }
        cutAtTakeover(by: register)
        if let winner = registers.current?.register { handOn(to: winner, at: now) }
        settleRequests(with: register, at: now)
    }

    private mutating func admit(_ stamp: Stamp, at now: Instant) {
        let rose = journal.mark.see(stamp)
        let before = disk.asked
        yieldIfBeaten(at: now)
        if rose, disk.asked == before, keeps(.markOnDisk) { write() }
    }

    /// Registers whose stamp was ahead of group time, and no longer is.
    mutating func admitLate(at now: Instant) {
        for held in registers.all where !held.isAdmitted {
            let again = HeldRegister(held, groupTime: groupTime(now), bound: timeBound(now), boot: now.boot)
            registers.hold(again)
            if again.isAdmitted {
                isViewDirty = true
                admit(again.register.stamp, at: now)
            }
        }
    }

    /// Tells a node what is wrong with its register, at a bounded rate.
    private mutating func object(_ ack: Ack, to author: NodeID, at now: Instant) {
        guard link.isUp, configuration.isAnnounced,
            admission.charge(objectionTo: author, at: now.boot) == .accepted || !keeps(.objectionRate)
        else { return }
        emit(.publish(.ack(ack)))
    }

    /// An older live register has appeared. Its author should have yielded: the broker may have lost the own register
    /// before it could be read there. So it is published once more, a second later, unless the author has yielded by then.
    private mutating func planReminder(below register: Register, at now: Instant) {
        // Before the barrier the own one is about to be published anyhow.
        guard let own = journal.own, register.stamp < own.stamp, link.isReady, link.timeDeadline == nil,
            link.reminderAt == nil, keeps(.reminder)
        else { return }
        link.reminderAt = now.boot + 1_000
    }

    /// Publishes the own register again where another node still holds on to an older session.
    mutating func remind(at now: Instant) {
        link.reminderAt = nil
        guard let own = journal.own, registers.current.map({ $0.stamp < own.stamp }) ?? true,
            registers.all.contains(where: {
                $0.register.status.isLive && $0.stamp < own.stamp && peers[$0.owner].isOnline
            })
        else { return }
        repair(at: now)
    }
}
