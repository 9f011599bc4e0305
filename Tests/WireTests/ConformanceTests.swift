// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Session
import Support
import Testing
import Wire

/// A vector: a message to the node `reader` of the space `home`, and the expected result. `payload` is a JSON value;
/// `text` replaces it if the exact bytes matter. `expect` is a word, or the expected values of some fields.
struct Vector: Decodable, CustomTestStringConvertible, Sendable {
    var name: String
    var topic: String
    var payload: JSON?
    var text: String?
    var retained: Bool?
    var expect: JSON

    var testDescription: String { "\(topic): \(name)" }

    var bytes: [UInt8] {
        get throws {
            if let text { return Array(text.utf8) }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return [UInt8](try encoder.encode(payload))
        }
    }

    static let all: [Vector] = ["presence", "session", "intent", "ack", "exchange", "ledger", "other"].flatMap(file)

    private static func file(_ name: String) -> [Vector] {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(folder)/Conformance/\(name).json"
        do {
            return try JSONDecoder().decode([Vector].self, from: try Data(contentsOf: URL(filePath: path)))
        } catch {
            preconditionFailure("\(path): \(error)")
        }
    }
}

@Suite("Conformance vectors", .timeLimit(.minutes(15)))
struct ConformanceTests {
    @Test func vectorsAreSixtyAndDistinct() {
        #expect(Vector.all.count >= 60)
        #expect(Set(Vector.all.map(\.testDescription)).count == Vector.all.count)
    }

    @Test(arguments: Vector.all)
    func vectorIsReadAsExpected(_ vector: Vector) throws {
        let read = try Fixtures.codec("reader").decode(
            topic: vector.topic, payload: try vector.bytes, retained: vector.retained ?? false, now: Fixtures.now)
        var summary = Summary(read)
        try summary.add(read)
        switch vector.expect {
        case .string(let word): #expect(summary.word == word)
        case .object(let fields):
            for (key, value) in fields {
                guard case .string(let expected) = value else {
                    Issue.record("the value of \(key) is not a string")
                    continue
                }
                #expect(summary.fields[key] == expected, "\(key) of \(read)")
            }
        default: Issue.record("expect is neither a word nor fields")
        }
    }
}

/// A decoded message as texts that a vector can name.
struct Summary {
    var word: String?
    var fields: [String: String] = [:]

    init(_ decoded: Decoded) {
        switch decoded {
        case .message(let message, let from):
            describe(message)
            // An intent and a register have their own field for this.
            fields["from"] = from.rawValue
        case .barrier(let connection): fields["barrier"] = connection.rawValue
        case .erased: word = "erased"
        case .discard(let reason, _): word = reason.rawValue
        case .feed(.calm(let calm)): word = calm.map { "calm \($0.percent) of \($0.session)" } ?? "no calm"
        case .feed(.debt(let debt)):
            word =
                debt.map { debt in
                    "debt \(debt.minutes)"
                        + (debt.week.map { " \($0.name) \($0.goal) \($0.done) \($0.days.count)" } ?? "")
                        + (debt.week?.offset.map { " \($0) s from UTC" } ?? "")
                } ?? "no debt"
        case .feed(.debtYear(let year)):
            word =
                year.map { "year from \($0.first) \($0.days.reduce(0, +)) in \($0.days.count) \($0.calm.count)" }
                ?? "no year"
        case .sound(let level, let from):
            fields = [
                "message": "sound", "from": from.rawValue, "source": level.source?.rawValue ?? "none",
                "level": "\(level.level)", "period": "\(level.period)",
                "sent": "\(level.sent.map { "\($0)" } ?? "none") \(level.bootID?.rawValue ?? "none")",
            ]
        case .record(let digested): describe(digested)
        case .ledgerAck(let ack): describe(ack)
        case .ignored: word = "ignored"
        }
    }

    /// Adds the fields of the encoded message that have no text yet.
    mutating func add(_ decoded: Decoded) throws {
        guard case .message(let message, let from) = decoded else { return }
        let payload = try Fixtures.codec(from.rawValue).encode(message).payload
        guard case .object(let written) = try JSON(payload) else { return }
        for (key, value) in written where fields[key] == nil {
            switch value {
            case .string(let text): fields[key] = text
            case .number(let number): fields[key] = "\(number)"
            case .bool(let isTrue): fields[key] = "\(isTrue)"
            default: break
            }
        }
    }

    private mutating func describe(_ digested: DigestedRecord) {
        let record = digested.record
        fields = [
            "message": "record", "node": "\(record.node)", "id": "\(record.id)", "lineage": "\(record.lineage)",
            "stamp": "\(record.stamp.time) \(record.stamp.counter) \(record.stamp.node)",
            "version": "\(record.version.epoch) \(record.version.rev)", "title": record.title,
            "label": record.label.map { "\($0.name) \($0.colour)" } ?? "none", "status": record.status.rawValue,
            "continuedAt": record.continuedAt.map { "\($0)" } ?? "none",
            "endsAt": record.endsAt.map { "\($0)" } ?? "none", "over": "\(record.over)",
            "approx": "\(record.isApproximate)",
            "runs": record.runs.map { "\($0.kind.rawValue) \($0.from) " + ($0.to.map { "\($0)" } ?? "open") }
                .joined(separator: ", "), "digest": "\(digested.digest)",
        ]
    }

    private mutating func describe(_ ack: LedgerAck) {
        fields = [
            "message": "ledgerAck", "node": "\(ack.node)",
            "records": ack.items.map { item in
                "\(item.name.id) \(item.name.version.epoch) \(item.name.version.rev) \(item.name.digest) "
                    + item.outcome.rawValue
            }.joined(separator: ", "),
            "weeks": ack.weeks.map { weeks in
                weeks.map { "\($0.number) \($0.count)" }.joined(separator: ", ")
            } ?? "none",
        ]
    }

    private mutating func describe(_ message: Message) {
        switch message {
        case .presence(let presence): describe(presence)
        case .register(let register): describe(register)
        case .intent(let intent): describe(intent)
        case .ack(let ack): describe(ack)
        case .notice(let notice):
            fields = [
                "message": "notice", "rev": "\(notice.rev)",
                "ok": notice.acknowledgement.map { "\($0.lineage) \($0.at)" } ?? "none",
                "text": notice.message.map { "\($0.text) \($0.at) \($0.until)" } ?? "none",
            ]
        case .hello: fields["message"] = "hello"
        case .ping(let ping, let to): describe(ping, to)
        case .pong(let pong, let to): describe(pong, to)
        }
    }

    private mutating func describe(_ presence: Presence) {
        fields = [
            "message": "presence", "online": "\(presence.isOnline)", "conn": "\(presence.connection)",
            "role": presence.role.rawValue, "name": presence.name, "at": "\(presence.at)",
            "synced": "\(presence.clock.isSynced)", "bound": presence.clock.bound.map { "\($0)" } ?? "none",
            "wrong": "\(presence.clock.isWrong)", "software": presence.software, "sleeping": "\(presence.isSleeping)",
        ]
    }

    private mutating func describe(_ register: Register) {
        fields = [
            "message": "register", "id": "\(register.id)", "lineage": "\(register.lineage)",
            "stamp": "\(register.stamp.time) \(register.stamp.counter) \(register.stamp.node)",
            "epoch": "\(register.epoch)", "rev": "\(register.rev)", "owner": "\(register.owner)",
            "title": register.title, "icon": register.icon ?? "none",
            "label": register.label.map { "\($0.name) \($0.colour)" } ?? "none", "mode": register.mode.rawValue,
            "autoAdvance": "\(register.autoAdvance)", "phase": "\(register.phase)",
            "status": register.status.rawValue, "startedAt": "\(register.startedAt)",
            "endsAt": register.endsAt.map { "\($0)" } ?? "none",
            "applied": register.applied.map(\.rawValue).joined(separator: " "),
        ]
        let anchor = register.anchor
        fields["anchor"] = "\(anchor.elapsed) \(anchor.at) \(anchor.bootID) \(anchor.boot)"
        fields["over"] = "\(anchor.over)"
        fields["alarm"] = "\(register.hasAlarm)"
        fields["overtime"] = "\(register.hasOvertime)"
        fields["plan"] = register.plan.map { phase in
            "\(phase.kind.rawValue) " + (phase.name.map { "\"\($0)\" " } ?? "") + "\(phase.seconds)"
        }.joined(separator: ", ")
        fields["runs"] = register.runs.map { "\($0.phase) \($0.from) " + ($0.to.map { "\($0)" } ?? "open") }
            .joined(separator: ", ")
        fields["last"] = register.last.map { "\($0.intent) \($0.op.rawValue) \($0.from) \($0.at)" } ?? "none"
        fields["continues"] = register.continues.map { "\($0.node) \($0.epoch) \($0.rev) \($0.at)" } ?? "none"
        fields["supersededBy"] = register.supersededBy.map(words) ?? "none"
    }

    private mutating func describe(_ intent: Intent) {
        var op = intent.operation.name.rawValue
        if case .extend(let seconds) = intent.operation { op += " \(seconds)" }
        if case .correct(let title, let label, let colour) = intent.operation {
            op += " \(title ?? "none"), \(label ?? "none"), \(colour?.description ?? "none")"
        }
        fields = [
            "message": "intent", "id": "\(intent.id)", "lineage": "\(intent.lineage)", "session": "\(intent.session)",
            "phase": intent.phase.map { "\($0)" } ?? "none", "op": op, "at": "\(intent.at)",
            "expiresAt": "\(intent.expiresAt)",
        ]
    }

    private mutating func describe(_ ack: Ack) {
        switch ack {
        case .answer(let answer):
            var outcome = "\(answer.outcome)"
            if case .refused(let reason) = answer.outcome { outcome = "refused \(reason.rawValue)" }
            fields = [
                "kind": "intent", "id": "\(answer.intent)", "outcome": outcome, "session": "\(answer.session)",
                "rev": "\(answer.rev)", "by": answer.by.map(words) ?? "none",
            ]
        case .fork(let node, let version):
            fields = ["kind": "fork", "node": "\(node)", "version": "\(version.epoch) \(version.rev)"]
        case .clock(let node, let session, let at):
            fields = ["kind": "clock", "node": "\(node)", "session": "\(session)", "at": "\(at)"]
        }
        fields["message"] = "ack"
    }

    private mutating func describe(_ ping: Ping, _ to: NodeID) {
        fields = [
            "message": "ping", "to": "\(to)", "conn": "\(ping.connection)", "sent": "\(ping.sent)", "at": "\(ping.at)",
        ]
    }

    private mutating func describe(_ pong: Pong, _ to: NodeID) {
        fields = [
            "message": "pong", "to": "\(to)", "conn": "\(pong.connection)", "sent": "\(pong.sent)",
            "bootId": "\(pong.bootID)", "boot": "\(pong.boot)", "wall": "\(pong.wall)", "at": "\(pong.at)",
            "synced": "\(pong.clock.isSynced)", "bound": pong.clock.bound.map { "\($0)" } ?? "none",
            "wrong": "\(pong.clock.isWrong)",
        ]
    }

    private func words(_ superseder: Superseder) -> String {
        "\(superseder.session) \(superseder.node) \(superseder.at)"
    }
}
