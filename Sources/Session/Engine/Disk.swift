// SPDX-License-Identifier: Apache-2.0

/// What the engine knows of its journal on disk.
struct Disk: Hashable, Sendable {
    /// Answers to peers that a failing disk holds back at most; they ask again.
    static let heldAnswers = 256

    /// Whether the own session was started by this process.
    var isFresh = false
    /// Number of the last write asked for.
    var asked = 0
    /// Number of the last write asked for because the own register changed.
    var askedOwn = 0
    /// Number of the last write that is on disk.
    var written = 0
    /// When to try again after a failure, on the boot clock.
    var retryAt: Int64?
    /// Whether the last write failed.
    var isFailing = false
    /// What has to wait until a write is on disk, oldest first.
    var held: [Held] = []
    /// Whether the own register has changed since it was last published.
    var isUnpublished = true

    struct Held: Hashable, Sendable {
        var write: Int
        var effect: Effect
    }

    /// Whether the own register as it stands is on disk. Later writes that only raise the mark do not matter to it.
    var isOwnWritten: Bool { written >= askedOwn }
}

/// Nothing leaves the node before the disk holds it.
extension Engine {
    /// Writes the journal because the own register changed; `after` follows when it is on disk.
    mutating func writeOwn(then after: Effect? = nil) {
        if let own = journal.own { emit(.record(own, isApproximate: journal.isApproximate)) }
        write()
        disk.askedOwn = disk.asked
        disk.isUnpublished = true
        if !keeps(.writeFirst) { publishOwn() }
        if let after, !keeps(.answerFromDisk) { return release(after) }
        if let after { disk.held.append(Disk.Held(write: disk.asked, effect: after)) }
    }

    /// Writes the journal.
    mutating func write() {
        disk.asked += 1
        disk.retryAt = nil
        emit(.journal(journal, write: disk.asked))
    }

    mutating func journalled(_ write: Int) {
        guard write > disk.written else { return }
        disk.written = write
        if disk.isFailing {
            disk.isFailing = false
            emit(.log(.journal(works: true)))
        }
        if write == disk.asked { disk.retryAt = nil }
        if disk.isUnpublished { publishOwn() }
        guard !disk.held.isEmpty else { return }
        let waiting = disk.held.firstIndex { $0.write > disk.written } ?? disk.held.endIndex
        for held in disk.held[..<waiting] { release(held.effect) }
        disk.held.removeSubrange(..<waiting)
    }

    /// The person at this machine is not made to wait for a full disk; peers hear nothing that could be forgotten.
    mutating func journalFailed(_ write: Int, at now: Instant) {
        guard write == disk.asked else { return }
        if !disk.isFailing { emit(.log(.journal(works: false))) }
        disk.isFailing = true
        disk.retryAt = now.boot + 1_000
        let held = disk.held
        disk.held = []
        for entry in held {
            if case .reply = entry.effect { emit(entry.effect) } else { disk.held.append(entry) }
        }
        if disk.held.count > Disk.heldAnswers { disk.held.removeFirst(disk.held.count - Disk.heldAnswers) }
    }

    /// Lets an answer go once the own register that it speaks of is on disk; at once, to a person, if the disk fails.
    mutating func hold(_ effect: Effect) {
        if case .reply = effect, disk.isFailing { return emit(effect) }
        guard keeps(.answerFromDisk), !disk.isOwnWritten else { return release(effect) }
        disk.held.append(Disk.Held(write: disk.askedOwn, effect: effect))
    }

    private mutating func release(_ effect: Effect) {
        if case .publish = effect, !link.isUp { return }
        emit(effect)
    }

    /// Publishes the own register if it may leave: it is on disk, and on this connection everybody who must answer to it
    /// is heard, and what the broker keeps of this node has been looked at.
    mutating func publishOwn() {
        guard let own = journal.own, link.isUp, disk.isOwnWritten || !keeps(.writeFirst),
            link.isReady && link.timeDeadline == nil || !keeps(.barrierFirst), !journal.isWithheld
        else { return }
        disk.isUnpublished = false
        link.expectEcho(of: own.version)
        emit(.publish(.register(own)))
        guard journal.isProvisional else { return }
        journal.isProvisional = false
        journal.before = nil
        write()
    }
}
