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
        guard peers.admit(sender, heardAt: isHeard ? now.boot : nil) else {
            return discard(.tooManyNodes, from: nil)
        }
        switch message {
        case .presence(let presence): receivePresence(presence, from: sender, retained: retained, at: now)
        case .register(let register): receiveRegister(register, from: sender, at: now)
        case _ where retained: discard(.retained, from: sender)
        case .intent(let intent): answer(intent, at: now)
        case .ack(let ack): receiveAck(ack, from: sender, at: now)
        case .hello: if sender != node { answerHello(at: now) }
        case .ping(let ping, let to): if to == node, !isSelf(sender) { answer(ping, of: sender, at: now) }
        case .pong(let pong, let to): if to == node, !isSelf(sender) { learn(pong, of: sender, at: now) }
        }
    }

    private mutating func receiveRegister(_ register: Register, from sender: NodeID, at now: Instant) {
        guard register.owner == sender else { return discard(.wrongSender, from: sender) }
        if isSelf(sender) { return receiveEcho(register, at: now) }
        let known = registers[sender]
        if let known, register.version <= known.version, keeps(.versionOrder) {
            if register.version == known.version, register != known.register { object(to: known) }
            if register.version < known.version {
                // Old news, or its author lost the end of its journal and found nothing at the broker: it knows which.
                emitAck(.fork(node: sender, version: known.version))
            }
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
            doubtTime(at: now)
            emitAck(.clock(node: sender, session: register.id, at: groupTime(now)))
        }
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

    /// Two registers of one version that differ: their author must raise its revision. Said each time that one comes, for
    /// an objection can be lost like any message.
    private mutating func object(to known: HeldRegister) {
        guard keeps(.forkObjection) else { return }
        emitAck(.fork(node: known.register.owner, version: known.register.version))
    }

    private mutating func emitAck(_ ack: Ack) {
        if link.isUp, configuration.isAnnounced { emit(.publish(.ack(ack))) }
    }
}
