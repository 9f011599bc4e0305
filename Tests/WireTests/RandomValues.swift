// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Wire

/// Random values that a node may send, out to the edges of ``Limits``.
struct RandomValues {
    private var generator: Random

    init(seed: UInt64) { generator = Random(seed: seed) }

    mutating func message(from me: NodeID) -> Message {
        switch pick(0...12) {
        case 0...3: .register(register(owner: me))
        case 4...5: .intent(intent(from: me))
        case 6...7: .ack(ack())
        case 8: .presence(presence())
        // A ping to the node itself is the barrier, which is no message.
        case 9: .ping(ping(), to: node(other: me))
        case 10: .pong(pong(), to: node(other: me))
        case 11: .notice(notice())
        default: .hello
        }
    }

    private mutating func notice() -> Notice {
        let at = time()
        let message = ScreenMessage(
            text: chance() ? text(Limits.titleBytes) : "", at: at,
            until: min(at + Milliseconds(Int64(pick(0...86_400_000))), Limits.time.upperBound))
        return Notice(
            rev: pick(0...9), acknowledgement: chance() ? Acknowledgement(lineage: token(), at: time()) : nil,
            message: chance() ? message : nil)
    }

    mutating func register(owner: NodeID) -> Register {
        let isCountdown = pick(0...3) > 0
        let status: Status = oneOf(Status.allCases.filter { isCountdown || $0 != .ready })
        let plan = (0..<(isCountdown ? pick(1...8) : 1)).map { _ in phase() }
        let current = pick(0...plan.count - 1)
        var time = Limits.earliestStamp + Milliseconds(Int64(pick(0...1_000_000_000)))
        let startedAt = time
        var runs: [Run] = []
        for _ in 0..<pick(0...6) {
            let from = time + Milliseconds(Int64(pick(0...100_000)))
            time = from + Milliseconds(Int64(pick(0...100_000)))
            runs.append(Run(phase: pick(0...plan.count - 1), from: from, to: time))
        }
        if status == .running { runs.append(Run(phase: current, from: time)) }
        let id: SessionID = token()
        let isTaken = chance()
        let elapsed = Milliseconds(Int64(pick(0...plan[current].seconds * 1_000)))
        let over = isCountdown && elapsed == plan[current].length ? Milliseconds(Int64(pick(0...43_200_000))) : 0
        return Register(
            id: id, lineage: isTaken ? token() : id,
            continues: isTaken ? Continuation(node: node(), epoch: count(), rev: count(), at: self.time()) : nil,
            stamp: Stamp(time: startedAt, counter: count(), node: owner), epoch: count(), rev: count(), owner: owner,
            title: chance() ? text(Limits.titleBytes) : "", icon: chance() ? text(Limits.iconBytes) : nil,
            label: chance() ? Label(name: text(Limits.nameBytes), colour: colour()) : nil,
            mode: isCountdown ? .countdown : .countup, plan: plan, autoAdvance: chance(), hasAlarm: chance(),
            hasOvertime: over > 0 || chance(), phase: current,
            status: status,
            startedAt: startedAt,
            anchor: Anchor(
                elapsed: elapsed, over: over, at: time,
                bound: chance() ? Milliseconds(someReading()) : nil, bootID: token(),
                boot: BootTime(someReading())),
            runs: runs, applied: (0..<pick(0...Limits.applied)).map { _ in token() },
            last: chance()
                ? LastIntent(intent: token(), op: oneOf(IntentOperation.Name.allCases), from: node(), at: self.time())
                : nil,
            supersededBy: status == .superseded ? superseder() : nil)
    }

    /// The register with the longest JSON. A text of quotes is longest, since each quote is escaped.
    static func largestRegister() -> Register {
        func token<Kind>() -> Token<Kind> { Token(String(repeating: "W", count: 36)) ?? { preconditionFailure() }() }
        let node = NodeID(String(repeating: "w", count: 32)) ?? { preconditionFailure() }()
        let late = Limits.time.upperBound
        let quotes = { (count: Int) in String(repeating: "\"", count: count) }
        let plan = (0..<Limits.phases).map { index in
            Phase(
                kind: .shortBreak, name: String(repeating: "n", count: Limits.nameBytes), seconds: 86_400,
                added: index < Limits.extended ? 86_399 : 0)
        }
        return Register(
            id: token(), lineage: token(),
            continues: Continuation(
                node: node, epoch: Limits.counter.upperBound, rev: Limits.counter.upperBound, at: late),
            stamp: Stamp(time: late, counter: Limits.counter.upperBound, node: node), epoch: Limits.counter.upperBound,
            rev: Limits.counter.upperBound, owner: node, title: quotes(Limits.titleBytes),
            icon: quotes(Limits.iconBytes),
            label: Label(
                name: quotes(Limits.nameBytes), colour: Colour(red: 255, green: 255, blue: 255, alpha: 254)),
            mode: .countdown, plan: plan, autoAdvance: false, hasAlarm: true, hasOvertime: true,
            phase: Limits.phases - 1,
            status: .superseded,
            startedAt: late,
            anchor: Anchor(
                elapsed: 86_400_000, over: Limits.overtime, at: late, bound: Limits.bound.upperBound, bootID: token(),
                boot: Limits.reading.upperBound),
            runs: (0..<Limits.runs).map { _ in Run(phase: Limits.phases - 1, from: late, to: late) },
            applied: (0..<Limits.applied).map { _ in token() },
            last: LastIntent(intent: token(), op: .startBreak, from: node, at: late),
            supersededBy: Superseder(session: token(), node: node, at: late))
    }

    mutating func soundLevel() -> SoundLevel {
        SoundLevel(
            source: chance() ? token() : nil, level: pick(-2_000...2_000),
            period: Milliseconds(Int64(pick(100...60_000))),
            sent: chance() ? BootTime(someReading()) : nil, bootID: chance() ? token() : nil)
    }

    mutating func calm() -> CalmFeed {
        CalmFeed(
            session: token(), percent: pick(0...100), coverage: pick(0...100),
            trend: chance() ? oneOf(CalmFeed.Trend.allCases) : nil, level: chance() ? pick(-2_000...2_000) : nil,
            threshold: chance() ? pick(-2_000...2_000) : nil,
            minutes: (0..<pick(0...CalmFeed.minutesLimit)).map { _ in chance() ? pick(0...100) : nil }, at: time(),
            by: chance() ? node() : nil)
    }

    mutating func record(of node: NodeID) -> LedgerRecord {
        var record = LedgerRecord(register(owner: node), isApproximate: chance())
        if chance() { record.over = Milliseconds(Int64(pick(0...3_456_000_000))) }
        if chance() { record.endsAt = record.status == .running ? time() : nil }
        if record.runs.last?.to == nil, record.endsAt == nil { record.runs = [] }
        return record
    }

    mutating func ledgerAck() -> LedgerAck {
        let weeks: [RecordWeek] = (0..<pick(0...LedgerAck.weeksLimit)).map { _ in
            var week = RecordWeek(number: pick(0...12_001))
            for _ in 0..<pick(0...3) { week.add(recordName()) }
            return week
        }
        return LedgerAck(
            node: node(),
            items: (0..<pick(0...LedgerAck.itemsLimit)).map { _ in
                LedgerAck.Item(recordName(), oneOf(LedgerAck.Outcome.allCases))
            }, weeks: chance() ? weeks : nil)
    }

    private mutating func recordName() -> RecordName {
        RecordName(id: token(), version: Version(epoch: count(), rev: count()), digest: token())
    }

    private mutating func date() -> CivilDate { CivilDate(dayNumber: pick(0...40_000)) }

    mutating func year() -> DebtYear {
        let count = pick(0...DebtYear.daysLimit)
        return DebtYear(
            first: date(), days: (0..<count).map { _ in pick(0...2_880) },
            calm: chance() ? (0..<(count + 6) / 7).map { _ in chance() ? pick(0...100) : nil } : [], at: time())
    }

    mutating func debt() -> DebtFeed {
        let amount = { (random: inout Self) in Milliseconds(Int64(random.pick(0...1_209_600_000))) }
        let week = DebtWeek(
            name: "20\(pick(10...99))-W\(pick(10...53))", from: time(), to: time(), goal: pick(0...10_080),
            carried: chance() ? pick(1...10_080) : 0, done: amount(&self),
            days: (0..<pick(0...7)).map { _ in amount(&self) }, streak: pick(0...1_000),
            labels: (0..<pick(0...DebtWeek.labelsLimit)).map { _ in
                DebtWeek.LabelSum(
                    label: chance() ? Label(name: text(Limits.nameBytes), colour: colour()) : nil, done: amount(&self))
            }, calm: chance() ? pick(0...100) : nil, until: chance() ? time() : nil, first: chance() ? date() : nil,
            today: chance() ? pick(0...6) : nil, offset: chance() ? pick(-86_400...86_400) : nil)
        return DebtFeed(
            minutes: pick(-100_000...100_000), at: time(), week: chance() ? week : nil,
            by: chance() ? node() : nil)
    }

    mutating func intent(from me: NodeID) -> Intent {
        let operation: IntentOperation =
            switch oneOf(IntentOperation.Name.allCases) {
            case .pause: .pause
            case .resume: .resume
            case .stop: .stop
            case .extend: .extend(seconds: pick(-10...1_000_000))
            case .startBreak: .startBreak
            case .startFocus: .startFocus
            case .skip: .skip
            case .correct:
                .correct(
                    title: chance() ? text(2 * Limits.titleBytes) : nil,
                    label: oneOf([nil, "", text(Limits.nameBytes)]), colour: chance() ? colour() : nil)
            }
        return Intent(
            id: token(), lineage: token(), session: token(), phase: chance() ? pick(0...200) : nil,
            operation: operation, from: me, at: time(), expiresAt: time())
    }

    mutating func ack() -> Ack {
        switch pick(0...3) {
        case 0: return .fork(node: node(), version: Version(epoch: count(), rev: count()))
        case 1: return .clock(node: node(), session: token(), at: time())
        default:
            let refusals = Refusal.allCases.map(IntentOutcome.refused)
            let outcome = oneOf([.applied, .duplicate, .noop] + refusals)
            return .answer(
                Answer(
                    intent: token(), outcome: outcome, session: token(), rev: count(),
                    by: outcome == .refused(.superseded) && chance() ? superseder() : nil))
        }
    }

    mutating func presence() -> Presence {
        Presence(
            isOnline: chance(), connection: token(), role: oneOf(Role.allCases), name: text(Limits.nameBytes),
            at: time(), clock: clock(), software: text(Limits.titleBytes), isSleeping: chance())
    }

    mutating func ping() -> Ping {
        Ping(
            connection: token(), sent: reading(), at: time(),
            held: chance() ? nil : Version(epoch: count(), rev: count()))
    }

    mutating func pong() -> Pong {
        Pong(
            connection: token(), sent: reading(), bootID: token(), boot: reading(), wall: WallTime(time().milliseconds),
            at: time(),
            clock: clock())
    }

    mutating func journal(of me: NodeID) -> Journal {
        let own = chance() ? register(owner: me) : nil
        let isProvisional = own != nil && chance()
        return Journal(
            epoch: pick(1...9), mark: mark(), own: own, past: own.map { [$0.lineage, $0.id] } ?? [],
            base: mark(), isProvisional: isProvisional, isGuess: chance(),
            lastAnnounced: isProvisional && chance() ? register(owner: me) : nil,
            isLastAnnouncedGuess: chance(), isApproximate: chance())
    }

    // MARK: Parts

    mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func oneOf<Value>(_ values: [Value]) -> Value { values[pick(0...values.count - 1)] }
    mutating func chance() -> Bool { Bool.random(using: &generator) }

    private mutating func time() -> GroupTime {
        pick(0...9) == 0
            ? oneOf([Limits.time.lowerBound, Limits.time.upperBound])
            : GroupTime(Int64(pick(0...Int(Limits.time.upperBound.milliseconds))))
    }

    private mutating func someReading() -> Int64 { Int64(pick(0...Int(Limits.reading.upperBound.milliseconds))) }

    private mutating func reading() -> BootTime {
        pick(0...9) == 0
            ? oneOf([Limits.reading.lowerBound, Limits.reading.upperBound])
            : BootTime(someReading())
    }

    private mutating func mark() -> HybridClock { HybridClock(time: time(), counter: count()) }

    private mutating func clock() -> ClockQuality {
        ClockQuality(
            isSynced: chance(), bound: chance() ? Milliseconds(reading().milliseconds) : nil, isWrong: chance())
    }

    private mutating func count() -> Int {
        pick(0...9) == 0 ? oneOf([0, Limits.counter.upperBound]) : pick(0...100_000)
    }

    private mutating func superseder() -> Superseder { Superseder(session: token(), node: node(), at: time()) }

    private mutating func colour() -> Colour {
        let alpha = chance() ? 255 : UInt8(pick(0...255))
        return Colour(red: UInt8(pick(0...255)), green: UInt8(pick(0...255)), blue: UInt8(pick(0...255)), alpha: alpha)
    }

    private mutating func phase() -> Phase {
        var name = text(Limits.nameBytes)
        name.removeAll { $0.unicodeScalars.contains("\"") || $0.unicodeScalars.contains("\\") }
        return Phase(
            kind: oneOf(PhaseKind.allCases), name: chance() && !name.isEmpty ? name : nil, seconds: pick(1...86_400))
    }

    mutating func node() -> NodeID {
        let text = letters("abcdefghijklmnopqrstuvwxyz0123456789", 1) + letters("abcxyz0189-", pick(0...31))
        guard let node = NodeID(text) else { preconditionFailure(text) }
        return node
    }

    private mutating func node(other: NodeID) -> NodeID {
        let node = node()
        return node == other ? self.node(other: other) : node
    }

    private mutating func token<Kind>() -> Token<Kind> {
        let text = letters("0123456789ABCDEFGHJKMNPQRSTVWXYZabcz-_", pick(1...36))
        guard let token = Token<Kind>(text) else { preconditionFailure(text) }
        return token
    }

    private mutating func letters(_ alphabet: String, _ count: Int) -> String {
        let letters = Array(alphabet)
        return String((0..<count).map { _ in letters[pick(0...letters.count - 1)] })
    }

    /// Clean text of 1 to `bytes` bytes, with quotes, backslashes and characters of two to four bytes.
    private mutating func text(_ bytes: Int) -> String {
        let pieces = ["a", "Z", " ", "\"", "\\", "/", "ß", "→", "中", "📖", "🧘🏽‍♀️", "e\u{301}", "'", "<", "&", "{", "}"]
        let limit = pick(1...bytes)
        var text = "x"
        while true {
            let piece = oneOf(pieces)
            guard text.utf8.count + piece.utf8.count <= limit else { return text }
            text += piece
        }
    }
}
