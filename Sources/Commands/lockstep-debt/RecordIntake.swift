// SPDX-License-Identifier: Apache-2.0

import Debt
import Logging
import Mosquitto
import Session
import Shell
import Wire

/// Records on their way to the disk, and the answers on their way back. It lives on the service's thread.
///
/// A thread of its own writes them, so that the service reads on meanwhile: what arrives during one write is the next
/// batch. A broker drops what its client does not read in time, and says so to nobody.
final class RecordIntake {
    /// A record, and what became of it.
    typealias Filed = (arrival: Ledger.Arrival, outcome: Ledger.Outcome)

    /// Records that are put on disk at once.
    private static let batch = 2_048
    /// Records that wait at most; nodes send again what is dropped beyond.
    private static let waitingLimit = 65_536
    /// A record that waits longer than these milliseconds means that the service cannot keep up.
    private static let patience: Int64 = 5_000
    /// A problem is over when it was not met for these milliseconds.
    private static let rest: Int64 = 600_000
    /// Answers that wait for the broker at one time.
    private static let window = 32

    private let ledger: Ledger
    private let quota = RecordQuota()
    private let loop: EventLoop
    private let disk: EventLoop
    private let log: Logger
    private let onFiled: (Result<[Filed], any Error>) -> Void

    private var arrivals: [Ledger.Arrival] = []
    /// When the first of ``arrivals`` came, and the first of those that are being written, on the boot clock.
    private var (arrivedAt, filingSince): (Int64, Int64?) = (0, nil)
    private var filingCount = 0
    private var isPlanned = false
    private var dropped = 0
    /// When each problem was met last, on the boot clock.
    private var problems: [LedgerProblem.Kind: Int64] = [:]

    private var answers: [Mosquitto.Message] = []
    private var nextAnswer = 0
    private var answersOut = 0
    var limiter = LogLimiter()

    /// - Parameters:
    ///   - loop: The service's thread.
    ///   - disk: The thread that writes.
    ///   - onFiled: Takes what became of a batch, on the service's thread.
    init(
        _ ledger: Ledger, loop: EventLoop, disk: EventLoop, log: Logger,
        onFiled: @escaping (Result<[Filed], any Error>) -> Void
    ) {
        self.ledger = ledger
        self.loop = loop
        self.disk = disk
        self.log = log
        self.onFiled = onFiled
    }

    // MARK: To the disk

    /// Takes a record that has arrived; it is written behind what arrives together with it.
    func take(_ arrival: Ledger.Arrival) {
        let now = EventLoop.bootMilliseconds()
        if let since = filingSince, now - since > Self.patience { fallBehind(by: now - since, at: now) }
        guard arrivals.count < Self.waitingLimit else {
            dropped += 1
            return fallBehind(by: now - arrivedAt, at: now)
        }
        if arrivals.isEmpty { arrivedAt = now }
        arrivals.append(arrival)
        guard filingSince == nil, !isPlanned else { return }
        isPlanned = true
        let back = Sending(self)
        loop.execute { back.run { $0.fileNext() } }
    }

    private func fileNext() {
        isPlanned = false
        guard filingSince == nil, !arrivals.isEmpty else { return }
        let filing = Array(arrivals.prefix(Self.batch))
        arrivals.removeFirst(filing.count)
        let since = arrivedAt
        (filingSince, filingCount) = (since, filing.count)
        arrivedAt = EventLoop.bootMilliseconds()
        let back = Sending(self)
        disk.execute { [ledger, quota, loop] in
            let result = Result { try ledger.file(filing, within: quota) }
            loop.execute { back.run { $0.isFiled(filing, result, since: since) } }
        }
    }

    private func isFiled(_ filing: [Ledger.Arrival], _ result: Result<[Ledger.Outcome], any Error>, since: Int64) {
        let now = EventLoop.bootMilliseconds()
        if now - since > Self.patience { fallBehind(by: now - since, at: now) }
        (filingSince, filingCount) = (nil, 0)
        if case .success(let outcomes) = result {
            for (arrival, outcome) in zip(filing, outcomes) where outcome.filing == .refused {
                refuse(arrival, at: now)
            }
        }
        onFiled(result.map { Array(zip(filing, $0)) })
        fileNext()
    }

    /// Writes at once what has arrived, on the calling thread.
    func fileNow() {
        guard !arrivals.isEmpty else { return }
        let filing = arrivals
        arrivals = []
        onFiled(Result { try ledger.file(filing, within: quota) }.map { Array(zip(filing, $0)) })
    }

    // MARK: Problems

    private func fallBehind(by lag: Int64, at now: Int64) {
        let text =
            "more records arrive than the ledger's disk takes: \(arrivals.count + filingCount) wait, the oldest for "
            + "\(lag / 1_000) s"
            + (dropped > 0 ? ", and \(dropped) were dropped; their nodes send them again" : "")
        if limiter.allows("behind", at: now) != nil { log.warning("cannot keep up", metadata: ["reason": "\(text)"]) }
        meet(.behind, text, at: now)
    }

    private func refuse(_ arrival: Ledger.Arrival, at now: Int64) {
        let (space, node) = (arrival.space, arrival.filed.record.node)
        let text =
            "the node \(node) of the space \(space) has recorded more than \(RecordQuota.sessionsPerDay) sessions in a day, "
            + "or \(RecordQuota.sessions) in all; further ones are refused"
        if let others = limiter.allows("quota \(space) \(node)", at: now) {
            log.warning("records are refused", metadata: ["reason": "\(text)", "repeated": "\(others)"])
        }
        meet(.quota, text, at: now)
    }

    private func meet(_ kind: LedgerProblem.Kind, _ text: String, at now: Int64) {
        let before = problems.updateValue(now, forKey: kind)
        // It is written once in a while, since writing is what is slow.
        guard before.map({ now - $0 > Self.rest }) ?? true else { return }
        note(text, kind)
    }

    /// Says of problems that were not met for a while that they are over.
    func review() {
        let now = EventLoop.bootMilliseconds()
        for (kind, at) in problems where now - at >= Self.rest {
            problems[kind] = nil
            note(nil, kind)
        }
    }

    /// Forgets the problems of an earlier process.
    func begin() { for kind in LedgerProblem.Kind.allCases { note(nil, kind) } }

    private func note(_ text: String?, _ kind: LedgerProblem.Kind) {
        let wall = Clocks.now().wall
        disk.execute { [ledger, log] in
            do {
                try ledger.note(problem: text, kind, at: wall)
            } catch {
                log.warning("a problem of the service cannot be noted for lockstep doctor: \(error)")
            }
        }
    }

    // MARK: Answers

    /// Sends an answer as soon as the broker has taken those before.
    func send(_ answer: Mosquitto.Message, by client: MQTTClient) {
        answers.append(answer)
        sendOn(by: client)
    }

    private func sendOn(by client: MQTTClient) {
        while answersOut < Self.window, nextAnswer < answers.count {
            let answer = answers[nextAnswer]
            nextAnswer += 1
            answersOut += 1
            let back = Sending(self)
            client.assumeIsolated { client in
                client.send(answer) { [weak client] result in
                    back.run { $0.isSent(result, by: client) }
                }
            }
        }
        if nextAnswer == answers.count { (answers, nextAnswer) = ([], 0) }
    }

    private func isSent(_ result: Result<PublishOutcome, MQTTError>, by client: MQTTClient?) {
        answersOut = max(0, answersOut - 1)
        if case .failure(let error) = result, error.code != .notConnected,
            let others = limiter.allows("answer", at: EventLoop.bootMilliseconds())
        {
            log.warning("an answer to a node was not sent: \(error)", metadata: ["repeated": "\(others)"])
        }
        if let client { sendOn(by: client) }
    }

    /// The connection is gone, and with it whoever waited for an answer: all is sent again.
    func linkDown() { (answers, nextAnswer) = ([], 0) }
}

/// Hands work back to the thread that an object lives on.
private struct Sending: @unchecked Sendable {
    private weak var intake: RecordIntake?
    init(_ intake: RecordIntake) { self.intake = intake }

    /// Runs `body`; to be called on the object's thread only.
    func run(_ body: (RecordIntake) -> Void) { if let intake { body(intake) } }
}

/// Lets one line of each sort into the log in a minute, however often there is a reason.
struct LogLimiter {
    private static let rest: Int64 = 60_000
    private static let sorts = 1_024
    private var lines: [String: (at: Int64, suppressed: Int)] = [:]

    /// Returns how many lines of this sort were left out since the last one; `nil` when this one is left out as well.
    /// - Parameter now: On the boot clock, in milliseconds.
    mutating func allows(_ sort: String, at now: Int64) -> Int? {
        if let line = lines[sort], now - line.at < Self.rest {
            lines[sort]?.suppressed += 1
            return nil
        }
        if lines.count >= Self.sorts { lines = lines.filter { now - $0.value.at < Self.rest } }
        // More sorts than that in a minute are a flood of names.
        guard lines.count < Self.sorts || lines[sort] != nil else { return nil }
        return lines.updateValue((now, 0), forKey: sort)?.suppressed ?? 0
    }
}
