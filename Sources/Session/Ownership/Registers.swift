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

    /// Notes that a fork of the register was objected to.
    mutating func note(objectionTo node: NodeID) { held[node]?.isContested = true }
}

/// A register of another node, and where its anchor lies on this node's boot clock.
struct HeldRegister: Hashable, Sendable {
    /// By reference: it is handed on far more often than it is exchanged.
    private indirect enum Content: Hashable, Sendable {
        case register(Register)
    }

    private let content: Content
    /// What is compared with each message, so that the rest stays untouched.
    let version: Version
    let stamp: Stamp
    let owner: NodeID
    private let anchor: Anchor
    var anchorBoot: Int64
    /// Whether its stamp is near enough to group time to count.
    var isAdmitted: Bool
    /// When it will be, on the boot clock, if time alone can bring that about.
    var admissibleAt: Int64?
    /// Whether a fork of this version was already objected to.
    var isContested = false

    var register: Register {
        switch content {
        case .register(let register): register
        }
    }

    /// What was admitted stays so, whatever the clocks do later: a session does not vanish in the middle.
    init(_ register: Register, after known: HeldRegister?, groupTime: Int64, boot: Int64) {
        content = .register(register)
        version = register.version
        stamp = register.stamp
        owner = register.owner
        anchor = register.anchor
        anchorBoot = Self.place(register.anchor, after: known, groupTime: groupTime, boot: boot)
        let wasAdmitted = known?.isAdmitted == true && known?.stamp == register.stamp
        isAdmitted = wasAdmitted || Self.admits(register.stamp, groupTime: groupTime)
        let lead = register.stamp.time - groupTime - Limits.stampLead
        if !isAdmitted, lead > 0 { admissibleAt = boot + lead }
    }

    fileprivate func isAtLeast(_ other: HeldRegister?) -> Bool {
        guard let other else { return true }
        return stamp >= other.stamp
    }

    /// Whether a stamp is near enough to group time to count.
    static func admits(_ stamp: Stamp, groupTime: Int64) -> Bool {
        stamp.time >= Limits.earliestStamp && stamp.time - groupTime <= Limits.stampLead
    }

    /// An anchor of a boot that is already placed moves with the owner's boot clock, so a step of either wall clock
    /// does not touch a running countdown. The first one of a boot is placed by group time.
    private static func place(_ anchor: Anchor, after known: HeldRegister?, groupTime: Int64, boot: Int64) -> Int64 {
        if let known, known.anchor.bootID == anchor.bootID {
            return known.anchorBoot + anchor.boot - known.anchor.boot
        }
        return boot - (groupTime - anchor.at)
    }
}

extension Engine {
    mutating func receive(_ message: Message, from sender: NodeID, retained: Bool, at now: Instant) {
        let isHeard = !retained && (sender != node || configuration.isAnnounced)
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
        var held = HeldRegister(
            register, after: keeps(.bootClock) ? known : nil, groupTime: groupTime(now), boot: now.boot)
        if !keeps(.admission) { held.isAdmitted = true }
        let wasCurrent = registers.currentOwner == sender
        registers.hold(held)
        if wasCurrent || registers.currentOwner == sender { isViewDirty = true }
        if held.isAdmitted {
            admit(register.stamp, at: now)
        } else {
            if known?.stamp != register.stamp {
                emit(.log(.clockWrong(sender, stamp: register.stamp.time)))
            }
            emitAck(.clock(node: sender, session: register.id, at: groupTime(now)))
        }
        settleRequests(with: register)
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
            var again = HeldRegister(held.register, after: held, groupTime: groupTime(now), boot: now.boot)
            again.isContested = held.isContested
            registers.hold(again)
            if again.isAdmitted {
                isViewDirty = true
                admit(again.register.stamp, at: now)
            }
        }
    }

    /// Two registers of one version that differ: their author must raise its revision.
    private mutating func object(to known: HeldRegister) {
        guard !known.isContested, keeps(.forkObjection) else { return }
        registers.note(objectionTo: known.register.owner)
        emitAck(.fork(node: known.register.owner, version: known.register.version))
    }

    private mutating func emitAck(_ ack: Ack) {
        if link.isUp, configuration.isAnnounced { emit(.publish(.ack(ack))) }
    }
}
