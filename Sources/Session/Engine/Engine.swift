// SPDX-License-Identifier: Apache-2.0

/// Who a node is and what it falls back to; fixed for the life of an engine.
public struct Configuration: Hashable, Sendable {
    /// The node's id.
    public var node: NodeID
    /// Its name for people: 1 to ``Limits/nameBytes`` bytes of clean text.
    public var name: String
    /// What it is there for. Only a `node` starts sessions.
    public var role: Role
    /// Program and version.
    public var software: String
    /// The present boot of its machine.
    public var bootID: BootID
    /// Whether it shows itself to the others; a passing remote does not.
    public var isAnnounced: Bool
    /// Lengths of phases that a plan does not hold.
    public var defaults: PhaseDefaults
    /// The rules that the engine keeps; only the simulator's proof leaves one out.
    package var rules = Rules.all

    /// Makes a configuration.
    public init(
        node: NodeID, name: String, role: Role = .node, software: String, bootID: BootID, isAnnounced: Bool = true,
        defaults: PhaseDefaults = PhaseDefaults()
    ) {
        self.node = node
        self.name = name
        self.role = role
        self.software = software
        self.bootID = bootID
        self.isAnnounced = isAnnounced
        self.defaults = defaults
    }
}

/// One node of a space: everything that Lockstep decides, and nothing that it does.
///
/// The shell owes it three things: inputs one at a time in the order they happened, readings of both clocks with each,
/// and every effect carried out in order before the next input. ``Input/restored(_:)`` comes first. When others need not
/// wait for it, and before anybody looks, the shell calls ``refresh(at:)``; it sees to it that ``Input/wake`` comes at
/// ``nextWake``, or soon after.
public struct Engine: Hashable, Sendable {
    // Methods on the way of a press that do not change it are inlined: a call would copy its thousand bytes first.

    /// Who this node is.
    public let configuration: Configuration
    /// What displays draw from, since ``refresh(at:)``.
    public private(set) var view = View()
    /// Counts the changes of ``view``.
    public private(set) var viewChanges = 0
    /// Whether there is a connection, and what the broker has retained is still on its way: until it is there, ``view``
    /// can be that of an earlier session.
    public private(set) var isCatchingUp = false
    /// When the engine next needs ``Input/wake``, on the boot clock; `nil` while only another input can change anything.
    ///
    /// Kept, since to ask a value of this size from outside is to copy it, as are those above.
    public private(set) var nextWake: Int64?
    /// The nodes that were heard of, this one included.
    public internal(set) var peers = Peers()
    /// Messages that were not used and whose topic names no node, by reason.
    public internal(set) var strangers: [Discard: Int] = [:]

    var journal = Journal() {
        didSet { boundary = journal.own?.boundary }
    }
    /// When the own session's phase ends, on the boot clock. Kept, because every input asks for it.
    private(set) var boundary: Int64?
    var registers = Registers()
    var link = Link()
    var disk = Disk()
    var requests = Requests()
    var answers = Answers()
    var admission = Admission()
    var branch = Branch()
    var time = GroupClock()
    var exchange = Exchange()
    var isViewDirty = true
    var effects: [Effect] = []

    /// Makes the engine of a node that knows nothing yet.
    public init(configuration: Configuration) {
        self.configuration = configuration
    }

    /// Takes one input at one instant.
    /// - Returns: What the shell has to do, in order.
    public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        if case .restored(let found) = input { restore(found, at: now) }
        if time.hasMoved(at: now) { chooseTime(at: now) }
        advanceOwn(at: now)
        switch input {
        case .restored: break
        case .start(let start, let id, let ticket): begin(start, id: id, ticket: ticket, at: now)
        case .press(let press, let id, let ticket): take(press, id: id, ticket: ticket, at: now)
        case .take(let id, let ticket): moveHere(id: id, ticket: ticket, at: now)
        case .hangUp(let ticket): hangUp(ticket)
        case .linkUp(let connection): linkUp(connection, at: now)
        case .linkDown: linkDown(at: now)
        case .sleeping(let isSleeping): setSleeping(isSleeping, at: now)
        case .barrierPassed(let connection): if connection == link.connection { settle(at: now) }
        case .received(let message, let from, let retained): receive(message, from: from, retained: retained, at: now)
        case .erased(let from): if from == node { repair(at: now) }
        case .discarded(let reason, let from):
            discard(reason, from: from)
            // On an own retained topic it has taken the place of what the broker kept of this node.
            if from == node { repair(at: now) }
        case .journalled(let write): journalled(write)
        case .journalFailed(let write): journalFailed(write, at: now)
        case .wake: break
        }
        expire(at: now)
        return takeEffects()
    }

    /// Brings up to date what can wait until the effects of an input are carried out, so that a register leaves sooner:
    /// ``view``, ``nextWake``, and whose clocks are asked for.
    /// - Returns: What the shell has to do, in order; nothing that leads to an input.
    public mutating func refresh(at now: Instant) -> [Effect] {
        if isViewDirty { refreshView(at: now) }
        if exchange.isDirty { planExchange(at: now) }
        if let due = exchange.nextWake, due <= now.boot { runExchange(at: now) }
        nextWake = earliestWake
        isCatchingUp = link.isUp && !link.isReady
        return takeEffects()
    }

    private mutating func takeEffects() -> [Effect] {
        guard !effects.isEmpty else { return [] }
        defer { effects = [] }
        return effects
    }

    @inline(__always) private var earliestWake: Int64? {
        var next = registers.nextWake
        func consider(_ instant: Int64?) {
            if let instant { next = min(next ?? instant, instant) }
        }
        consider(boundary)
        consider(link.nextWake)
        consider(disk.retryAt)
        consider(exchange.nextWake)
        consider(exchange.compareAt)
        consider(requests.nextWake(isReady: link.isReady, canTakeOver: canTakeOver))
        return next
    }

    var node: NodeID { configuration.node }

    /// Whether messages of `sender` are this node's own. Not for a passing remote, even if it goes by the name of a node
    /// because the broker's rules ask for that: that node is another program, which owns what it owns.
    func isSelf(_ sender: NodeID) -> Bool { sender == node && configuration.isAnnounced }

    /// Whether a rule holds, as they all do outside the simulator's proof.
    func keeps(_ rule: Rules) -> Bool { configuration.rules.contains(rule) }

    mutating func emit(_ effect: Effect) {
        // As many as most inputs lead to, so that it need not grow.
        if effects.isEmpty { effects.reserveCapacity(4) }
        effects.append(effect)
    }

    /// What is due by time alone. After a refresh ``nextWake`` lies after `now`, whatever the input was.
    private mutating func expire(at now: Instant) {
        advanceOwn(at: now)
        if let deadline = link.barrierDeadline, deadline <= now.boot { settle(at: now) }
        if let due = link.repairAt, due <= now.boot { repair(at: now) }
        if let due = link.reminderAt, due <= now.boot { remind(at: now) }
        if let due = exchange.compareAt, due <= now.boot { exchange.compareAgain(at: now.boot) }
        if let due = link.timeDeadline, due <= now.boot { timeIsKnown(at: now) }
        if let due = link.comparedBy, due <= now.boot {
            link.comparedBy = nil
            chooseTime(at: now)
        }
        if let retry = disk.retryAt, retry <= now.boot { write() }
        if let due = requests.nextWake(isReady: link.isReady, canTakeOver: canTakeOver), due <= now.boot {
            sendRequests(at: now)
            // What was taken over and resumed may have no time left.
            advanceOwn(at: now)
        }
        if let due = registers.nextWake, due <= now.boot { admitLate(at: now) }
    }

    mutating func refreshView(at now: Instant) {
        isViewDirty = false
        exchange.isDirty = true
        var fresh = freshView(at: now)
        fresh.stand(still: view, at: now.boot)
        guard fresh != view else { return }
        view = fresh
        viewChanges += 1
    }

    @inline(__always) private func freshView(at now: Instant) -> View {
        let current = registers.current
        if let own = journal.own, own.stamp >= current?.stamp ?? own.stamp, isCandidate(own, at: now) {
            return View(
                register: own, anchorBoot: own.anchor.boot, error: ErrorBound(), isOwner: true, isLinked: link.isUp)
        } else if let current {
            let owner = peers[current.owner]
            let ownerLost = owner.isOnline ? nil : owner.offlineSince ?? link.settledAt
            return View(
                register: current.register, anchorBoot: current.anchorBoot,
                error: errorBound(of: current, at: now),
                contactLostAt: [link.downSince, ownerLost].compactMap(\.self).min(),
                isLinked: link.isUp)
        } else {
            return View(isLinked: link.isUp)
        }
    }

    /// Whether the own register can be the current one: what a wrong clock has stamped, and nobody else admits, is so
    /// only while nobody contradicts.
    @inline(__always) private func isCandidate(_ own: Register, at now: Instant) -> Bool {
        guard link.isReady else { return true }
        if journal.isWithheld { return false }
        // A start above the largest stamp that counts is one millisecond further ahead than that.
        return registers.current == nil || HeldRegister.admits(own.stamp, groupTime: groupTime(now) + 1)
    }
}
