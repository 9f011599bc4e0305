// SPDX-License-Identifier: Apache-2.0

/// Numbers the writes of the journal, and holds answers until their write is on disk.
struct WriteGate: Hashable, Sendable {
    /// The most answers that wait while the disk fails. A peer whose answer is lost asks again in 1 s. Fewer cost
    /// repetitions; more only take memory.
    static let waitingAnswersLimit = 256
    /// The time from a failed write to the next one. A full disk does not change faster; a longer wait delays what is
    /// not saved yet.
    private static let retryDelay: Milliseconds = .seconds(1)

    /// When the last write failed; `nil` once another one is under way.
    private var failedAt: BootTime?
    private(set) var waiting: [Waiting] = []
    private var lastAsked = 0
    private var lastAskedForRegister = 0
    private var lastWritten = 0
    /// The latest write, if it has failed; `nil` once a write is on disk.
    private var failedWrite: Int?

    /// An effect that waits until a write of the journal is on disk.
    struct Waiting: Hashable, Sendable {
        var write: Int
        var effect: Effect
    }

    var retryAt: BootTime? { failedAt.map { $0 + Self.retryDelay } }
    /// Whether the latest change of the own register is on disk.
    var isRegisterWritten: Bool { lastWritten >= lastAskedForRegister }

    /// Returns the number of a write that is asked for now.
    mutating func nextWrite(forRegister: Bool) -> Int {
        lastAsked += 1
        failedAt = nil
        if forRegister { lastAskedForRegister = lastAsked }
        return lastAsked
    }

    /// Holds an answer until the own register that it reports is on disk.
    mutating func add(_ effect: Effect, isRegisterChanged: Bool) {
        waiting.append(Waiting(write: isRegisterChanged ? lastAsked + 1 : lastAskedForRegister, effect: effect))
    }

    /// Removes the answers that may leave now. A person at this machine does not wait for a disk that fails. A peer
    /// gets no answer that a crash could undo.
    mutating func release() -> [Effect] {
        if waiting.isEmpty { return [] }
        var free: [Effect] = []
        var rest: [Waiting] = []
        for entry in waiting {
            let isLocal = if case .reply = entry.effect { true } else { false }
            if entry.write <= lastWritten || isLocal && entry.write <= failedWrite ?? 0 {
                free.append(entry.effect)
            } else {
                rest.append(entry)  // rule: answerFromDisk, else: free.append(entry.effect)
            }
        }
        waiting = failedWrite != nil ? rest.suffix(Self.waitingAnswersLimit) : rest
        return free
    }

    /// Forgets the reply to a program that has ended.
    mutating func forget(_ ticket: Ticket) {
        waiting.removeAll { entry in
            if case .reply(ticket, _) = entry.effect { true } else { false }
        }
    }

    mutating func forgetRetry() { failedAt = nil }

    /// Notes that a write is on disk, and returns whether the disk works again.
    mutating func noteWritten(_ write: Int) -> Bool {
        guard write > lastWritten else { return false }
        lastWritten = write
        if write == lastAsked { failedAt = nil }
        defer { failedWrite = nil }
        return failedWrite != nil
    }

    /// Notes that a write has failed, and returns whether the disk worked before.
    mutating func noteFailure(of write: Int, at boot: BootTime) -> Bool {
        guard write == lastAsked else { return false }
        failedAt = boot
        defer { failedWrite = write }
        return failedWrite == nil
    }
}
