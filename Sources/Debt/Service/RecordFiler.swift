// SPDX-License-Identifier: Apache-2.0

import Ledger
import Logging
import Mosquitto
import Platform
import Runtime
import Session
import Wire

/// Runs a ``LedgerIntake``, which decides: it files records, sends the answers and reports problems.
///
/// All methods run on the service's thread. Closures for other threads hold the filer weakly and only pass it on: they
/// read it on the service's thread, so `nonisolated(unsafe)` is safe there. Records are written on a thread of their
/// own, so that the service's goes on reading: a broker drops what its client does not read in time.
final class RecordFiler {
    /// A record, and the change of the ledger by it.
    typealias Filed = (arrival: LedgerIntake.Arrival, change: LedgerStore.Change)

    /// A problem is over when it has not occurred for this time.
    private static let problemTimeout: Milliseconds = .minutes(10)

    private let ledger: LedgerStore
    private let quota: RecordQuota
    private let loop: EventLoop
    private let disk: EventLoop
    private let log: Logger
    private let send: (SpaceID, LedgerAck, @escaping ServiceOutput.Completion) -> Void
    private let onFiled: (Result<[Filed], any Error>) -> Void
    private var intake = LedgerIntake()
    private var isPlanned = false
    private var limiter = RateLimiter()
    /// When each problem occurred last.
    private var problems: [LedgerProblem.Kind: BootTime] = [:]

    /// Creates a filer. `disk` is the thread that writes; the service's thread calls `send` and `onFiled`.
    init(
        _ ledger: LedgerStore, within quota: RecordQuota = RecordQuota(), loop: EventLoop, disk: EventLoop, log: Logger,
        send: @escaping (SpaceID, LedgerAck, @escaping ServiceOutput.Completion) -> Void,
        onFiled: @escaping (Result<[Filed], any Error>) -> Void
    ) {
        self.ledger = ledger
        self.quota = quota
        self.loop = loop
        self.disk = disk
        self.log = log
        self.send = send
        self.onFiled = onFiled
    }

    // MARK: Records

    var isIdle: Bool { intake.isIdle }

    /// Receives a record at an instant of group time. Records of the same turn of the loop are written together.
    func receive(_ digested: DigestedRecord, in space: SpaceID, at time: GroupTime, isVouched: Bool) {
        intake.receive(
            digested, in: space, at: time, isVouched: isVouched, now: Self.awake)
        plan()
    }

    /// Refuses a record that cannot be read; without a name it is only reported.
    func refuse(_ name: RecordName?, of node: NodeID, in space: SpaceID, because reason: String) {
        warn("a record cannot be kept", of: node, in: space, ["reason": "\(reason)"])
        guard let name else { return }
        intake.refuse(name, of: node, in: space)
        plan()
    }

    private func plan() {
        guard !isPlanned else { return }
        isPlanned = true
        nonisolated(unsafe) weak let this = self
        loop.execute { this?.act() }
    }

    private func act() {
        isPlanned = false
        for note in intake.removeNotes() { report(note) }
        let batch = intake.nextBatch()
        if !batch.isEmpty {
            nonisolated(unsafe) weak let this = self
            disk.execute { [ledger, quota, loop] in
                let result = Result { try ledger.file(batch, within: quota) }
                loop.execute {
                    this?.noteFiled(batch, result)
                    this?.act()
                }
            }
        }
        sendAnswers()
    }

    private func noteFiled(_ batch: [LedgerIntake.Arrival], _ result: Result<[LedgerStore.Change], any Error>) {
        intake.noteFiled(try? result.get().map(\.filing), at: Self.awake)
        onFiled(result.map { Array(zip(batch, $0)) })
    }

    /// Writes the waiting records on the calling thread, unless others are being written.
    func fileNow() {
        while case let batch = intake.nextBatch(), !batch.isEmpty {
            noteFiled(batch, Result { try ledger.file(batch, within: quota) })
        }
        act()
    }

    private static var awake: AwakeTime { AwakeTime(SystemClock.awakeMilliseconds()) }

    // MARK: Answers

    private func sendAnswers() {
        while let (space, ack) = intake.nextAnswer() {
            nonisolated(unsafe) weak let this = self
            send(space, ack) { this?.noteSent($0) }
        }
    }

    private func noteSent(_ result: Result<PublishOutcome, MQTTError>) {
        intake.noteAnswered()
        if case .failure(let error) = result, error.code != .notConnected,
            let others = limiter.admit("answer", at: SystemClock.bootMilliseconds())
        {
            log.warning("an answer to a node was not sent: \(error)", metadata: ["repeated": "\(others)"])
        }
        plan()
    }

    func noteDisconnected() { intake.noteDisconnected() }

    // MARK: Problems

    private func report(_ note: IntakeNote) {
        switch note {
        case .behind(let waiting, let lag, let dropped):
            let text =
                "records arrive faster than the ledger's disk writes them: \(waiting) wait, the oldest for \(lag.wholeSeconds) s"
                + (dropped > 0 ? ", and \(dropped) were dropped; their nodes send them again" : "")
            if limiter.admit("behind", at: SystemClock.bootMilliseconds()) != nil {
                log.warning("cannot keep up", metadata: ["reason": "\(text)"])
            }
            store(text, .behind)
        case .overQuota(let space, let node):
            let text =
                "the node \(node) of the space \(space) has recorded more than \(RecordQuota.sessionsPerDay) sessions in a day, "
                + "or \(RecordQuota.sessions) in all; further ones are refused"
            warn("records are refused", of: node, in: space, ["reason": "\(text)"])
            store(text, .quota)
        case .implausible(let space, let node):
            warn("a record cannot be kept", of: node, in: space, ["reason": "implausible date"])
        case .conflict(let space, let node, let session):
            warn("two records of one version", of: node, in: space, ["session": "\(session)"])
        }
    }

    /// Logs a warning, at most once a minute for each node.
    private func warn(_ text: String, of node: NodeID, in space: SpaceID, _ metadata: Logger.Metadata) {
        guard let others = limiter.admit("\(text) \(space) \(node)", at: SystemClock.bootMilliseconds()) else {
            return
        }
        let common: Logger.Metadata = ["space": "\(space)", "node": "\(node)", "repeated": "\(others)"]
        log.warning("\(text)", metadata: common.merging(metadata) { $1 })
    }

    /// Stores a problem for `lockstep doctor`, at most once a minute: a slow disk may be the problem.
    private func store(_ text: String, _ kind: LedgerProblem.Kind) {
        let now = Clocks.boot()
        problems[kind] = now
        if limiter.admit("problem \(kind)", at: now.milliseconds) != nil { write(text, kind) }
    }

    /// Clears problems that have not occurred for ``problemTimeout``.
    func clearEndedProblems() {
        let now = Clocks.boot()
        for (kind, at) in problems where now - at >= Self.problemTimeout {
            problems[kind] = nil
            write(nil, kind)
        }
    }

    /// Clears the problems of an earlier process.
    func clearEarlierProblems() { for kind in LedgerProblem.Kind.allCases { write(nil, kind) } }

    private func write(_ text: String?, _ kind: LedgerProblem.Kind) {
        let wall = Clocks.now().wall
        disk.execute { [ledger, log] in
            do {
                try ledger.set(problem: text, kind, at: wall)
            } catch {
                log.warning("a problem cannot be stored for lockstep doctor: \(error)")
            }
        }
    }
}
