// SPDX-License-Identifier: Apache-2.0

/// The connection to the broker as the engine sees it.
struct Link: Hashable, Sendable {
    /// The present connection; `nil` while there is none.
    var connection: ConnectionID?
    /// Since when there is none, on the boot clock.
    var downSince: Int64?
    /// Whether the machine is about to suspend.
    var isSleeping = false
    /// By when the barrier counts as passed.
    var barrierDeadline: Int64?
    /// Whether the first barrier of this process has passed: only then it is known whether the broker kept a register
    /// of this node that its journal has lost.
    var isSettled = false
    /// When the last barrier passed, on the boot clock.
    var settledAt: Int64?
    /// Until when a start that was made without contact waits for group time, on the boot clock.
    var timeDeadline: Int64?
    /// Until when the clocks of the others are waited for before a date is final or a stamp wrong, on the boot clock.
    var comparedBy: Int64?
    /// The largest register of this node that came from the broker before the first barrier.
    var found: Register?
    /// Whether the broker handed out this node's own presence, which it had retained.
    var sawOwnPresence = false
    /// When to publish presence and register again.
    var repairAt: Int64?
    /// Before then nothing is repaired, so that two programs with one id do not chase each other at full speed.
    var repairNotBefore: Int64 = .min
    /// When to look whether an older live register is still there, and to publish the own one again.
    var reminderAt: Int64?
    /// The largest version under which somebody else's register of this node was seen; the next repair goes above it.
    var contested: Version?
    private var echoes: [Version] = []
    /// The most versions whose echoes are waited for: ten peers may press a hundred times in a row before one comes back.
    private static let echoLimit = 1_024

    var isUp: Bool { connection != nil }

    /// Whether the subscriptions of the present connection are known to work.
    var isReady: Bool { isUp && barrierDeadline == nil }

    var nextWake: Int64? {
        guard isUp else { return nil }
        return [barrierDeadline, repairAt, reminderAt, timeDeadline, comparedBy].lazy.compactMap(\.self).min()
    }

    mutating func expectEcho(of version: Version) {
        echoes.append(version)
        if echoes.count > Self.echoLimit { echoes.removeFirst() }
    }

    /// Whether `version` was published on this connection and is only now coming back.
    mutating func isEcho(_ version: Version) -> Bool {
        guard let index = echoes.firstIndex(of: version) else { return false }
        echoes.removeFirst(index + 1)
        return true
    }

    mutating func forgetEchoes() { echoes = [] }
}

extension Engine {
    mutating func linkUp(_ connection: ConnectionID, at now: Instant) {
        link.connection = connection
        link.downSince = nil
        link.barrierDeadline = now.boot + 2_000
        link.sawOwnPresence = false
        link.forgetEchoes()
        link.timeDeadline = journal.isProvisional && now.wallBound == nil ? now.boot + 3_000 : nil
        isViewDirty = true
        exchange.startOver()
        publishPresence(at: now)
        if !keeps(.barrierFirst) { publishOwn() }
        emit(.barrier(connection))
    }

    var hasCompany: Bool { peers.online.contains { $0 != node } }

    mutating func linkDown(at now: Instant) {
        guard link.isUp else { return }
        // What a step of the wall clock, found at this very input, had to say can no longer be said.
        effects.removeAll { if case .publish = $0 { true } else { false } }
        link.connection = nil
        link.downSince = now.boot
        link.barrierDeadline = nil
        link.repairAt = nil
        link.reminderAt = nil
        link.timeDeadline = nil
        link.comparedBy = nil
        link.contested = nil
        isViewDirty = true
        exchange.hangUp(at: now.boot)
    }

    /// What the broker had retained has arrived, or was waited for long enough.
    mutating func settle(at now: Instant) {
        guard link.barrierDeadline != nil else { return }
        link.barrierDeadline = nil
        link.settledAt = now.boot
        if timeBound(now) == nil { link.comparedBy = now.boot + 3_000 }
        isViewDirty = true
        if link.timeDeadline != nil {
            // Without anybody to ask there is no other time than the own.
            link.timeDeadline = hasCompany ? now.boot + 1_000 : nil
        }
        if !link.isSettled {
            link.isSettled = true
            recover(at: now)
        }
        yieldIfBeaten(at: now)
        leaveProvisional(at: now)
        publishOwn()
        let isRetainedMissing = configuration.isAnnounced ? !link.sawOwnPresence : peers.isEmpty
        if isRetainedMissing {
            emit(.log(.noRetained))
            emit(.publish(.hello))
            // Who subscribed since this connection was made, and asked before this node had subscribed, hears it now.
            publishPresence(at: now)
        }
        sendRequests(at: now)
    }

    /// Presence as it stands, online, under the present connection.
    public func presence(at now: Instant, connection: ConnectionID, online: Bool) -> Presence {
        Presence(
            online: online, connection: connection, role: configuration.role, name: configuration.name,
            at: groupTime(now), clock: clockQuality(now), software: configuration.software,
            isSleeping: online && link.isSleeping)
    }

    /// Says so to the others, if it is news.
    mutating func setSleeping(_ isSleeping: Bool, at now: Instant) {
        guard link.isSleeping != isSleeping else { return }
        link.isSleeping = isSleeping
        publishPresence(at: now)
        if !isSleeping { exchange.forgetAll() }
    }

    mutating func publishPresence(at now: Instant) {
        guard configuration.isAnnounced, let connection = link.connection else { return }
        emit(.publish(.presence(presence(at: now, connection: connection, online: true))))
    }

    /// Says presence and register again, at most once a second, the register above any that contests it.
    mutating func repair(at now: Instant) {
        guard link.isUp else { return }
        guard now.boot >= link.repairNotBefore else {
            link.repairAt = link.repairNotBefore
            return
        }
        link.repairAt = nil
        link.repairNotBefore = now.boot + 1_000
        publishPresence(at: now)
        if let contested = link.contested, let own = journal.own, contested >= own.version {
            change(above: contested) { _ in }
        } else {
            publishOwn()
        }
        link.contested = nil
    }

    /// Spread over 200 ms by node id, so that a large space does not answer a hello in one breath.
    mutating func answerHello(at now: Instant) {
        guard link.isUp else { return }
        let spread = node.rawValue.utf8.reduce(UInt64(5_381)) { ($0 &* 33) ^ UInt64($1) } % 200
        let due = now.boot + Int64(spread)
        link.repairAt = min(link.repairAt ?? due, due)
    }
}
