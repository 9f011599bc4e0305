// SPDX-License-Identifier: Apache-2.0

import Core
import FoundationEssentials
import Session
import Support
import Testing

@testable import Wire

/// The vectors of an owner's decisions: messages and requests go in, a register and an answer come out. Registers are
/// JSON merge patches (RFC 7396). The overview of Protocol.md describes the file.
struct OperationVectors: Decodable, Sendable {
    struct Clock: Decodable, Sendable {
        var at: WallTime
        var boot: BootTime
        var bootId: String
        var bound: Int64
    }

    struct Message: Decodable, Sendable {
        var topic: String
        var payload: JSON
    }

    struct Step: Decodable, Sendable {
        /// Milliseconds since the beginning.
        var after: Int64
        /// Milliseconds by which group time is ahead of the beginning and `after`.
        var ahead: Int64?
        var message: Message?
        /// The request of a person at the node: `start`, `press` or `take`.
        var person: JSON?
        var register: JSON?
        var answer: JSON?
        var record: JSON?
    }

    struct Vector: Decodable, CustomTestStringConvertible, Sendable {
        var name: String
        /// `null` for a node without a session.
        var register: JSON
        var past: [String]?
        var settings: JSON?
        var retained: [Message]?
        var steps: [Step]

        var testDescription: String { name }
    }

    var space: String
    var reader: String
    var clock: Clock
    var settings: JSON
    var register: JSON
    var vectors: [Vector]

    static let all: OperationVectors = {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let path = "/\(folder)/Conformance/operations.json"
        do {
            return try JSONDecoder().decode(OperationVectors.self, from: try Data(contentsOf: URL(filePath: path)))
        } catch {
            preconditionFailure("\(path): \(error)")
        }
    }()
}

@Suite("Vectors of operations", .timeLimit(.minutes(15)))
struct OperationVectorTests {
    @Test(arguments: OperationVectors.all.vectors)
    func nodeDoesWhatTheVectorSays(_ vector: OperationVectors.Vector) throws {
        var rig = try VectorRig(vector, of: .all)
        for (index, step) in vector.steps.enumerated() {
            let place: Comment = "step \(index)"
            let before = rig.register
            try rig.carryOut(step)
            let expected = step.register.map { before.patched($0) } ?? before
            #expect(rig.register == expected, place)
            #expect(rig.answers == [step.answer].compactMap(\.self), place)
            if let record = step.record {
                #expect(rig.records.contains { $0.patched(record) == $0 }, "\(rig.records) at step \(index)")
            }
        }
    }

    /// Each cell of the table of operations has a vector whose answer is the cell's word.
    @Test func everyCellOfTheTableHasAVector() throws {
        let lines = try Fixtures.protocolPage().split(separator: "\n")
        let head = try #require(lines.firstIndex { $0.hasPrefix("| session | pause |") })
        let operations = lines[head].split(separator: "|").dropFirst().map { String($0.filter { $0 != " " }) }
        let vectors = Dictionary(uniqueKeysWithValues: OperationVectors.all.vectors.map { ($0.name, $0) })
        for line in lines[(head + 2)...].prefix(while: { $0.hasPrefix("|") }) {
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            let state = cells[0].split(separator: " ").joined(separator: " ")
            for (operation, cell) in zip(operations, cells.dropFirst()) {
                let word = String(cell.filter { $0 != " " })
                let vector = try #require(vectors["\(state): \(operation)"], "\(state): \(operation)")
                let answer = try #require(vector.steps.last?.answer)
                #expect(answer.reason.text ?? answer.outcome.text == word, "\(vector.name)")
            }
        }
    }
}

/// A node with a broker that confirms at once, and the clocks of the vectors.
private struct VectorRig {
    /// Fields of a register that a reader ignores.
    private static let unread = [
        "activityName", "startTime", "endsAt", "elapsedSeconds", "totalSeconds", "isRunning",
    ]

    private var loop: CoreLoop
    private let clock: OperationVectors.Clock
    private let prefix: String
    /// Milliseconds since the beginning.
    private var passed: Milliseconds = 0
    private var ahead: Milliseconds = 0
    private var retained: [OperationVectors.Message]
    private var ticket = 0
    /// The register as it was published last, or as it was restored.
    private(set) var register: JSON
    /// The answers of the last step.
    private(set) var answers: [JSON] = []
    /// The records that were written in the last step.
    private(set) var records: [JSON] = []

    init(_ vector: OperationVectors.Vector, of file: OperationVectors) throws {
        clock = file.clock
        let settings = file.settings.patched(vector.settings ?? [:])
        func seconds(_ key: String) throws -> Int { Int(try #require(settings[key].int)) }
        let identity = NodeIdentity(
            node: try Fixtures.node(file.reader), name: file.reader, software: "test",
            bootID: try Fixtures.token(clock.bootId),
            defaults: SessionDefaults(
                shortBreak: try seconds("shortBreak"), longBreak: try seconds("longBreak"),
                longBreakEvery: try seconds("longBreakEvery"), focus: try seconds("focus"),
                countUpCap: try seconds("countUpCap")))
        loop = CoreLoop(NodeCore(identity: identity, space: try #require(SpaceID(file.space)), seed: 1))
        prefix = "lockstep/1/\(file.space)/"
        retained = vector.retained ?? []
        register = vector.register == .null ? .null : file.register.patched(vector.register)
        var journal: Journal?
        if register != .null {
            let own = try Register(payload: register.payload, by: identity.node)
            journal = Journal(
                epoch: own.epoch, mark: HybridClock(time: own.stamp.time, counter: own.stamp.counter), own: own,
                past: try (vector.past ?? []).map { try Fixtures.token($0) })
        }
        try handle(.restored(NodeCore.Restored(journal: journal)))
        try handle(.connected(try Fixtures.token("c-1"), hearsItself: false))
    }

    private var now: Instant {
        Instant(boot: clock.boot + passed, wall: clock.at + passed + ahead, wallBound: Milliseconds(clock.bound))
    }

    mutating func carryOut(_ step: OperationVectors.Step) throws {
        answers = []
        records = []
        while let wake = loop.core.nextWake, wake <= clock.boot + Milliseconds(step.after) {
            passed = max(passed, wake - clock.boot)
            try handle(.input(.wake))
        }
        passed = Milliseconds(step.after)
        ahead = Milliseconds(step.ahead ?? 0)
        if let message = step.message { try handle(.received(packet(message, isRetained: false))) }
        if let person = step.person { try ask(person) }
    }

    private func packet(_ message: OperationVectors.Message, isRetained: Bool) -> NodeCore.Packet {
        NodeCore.Packet(topic: prefix + message.topic, payload: message.payload.payload, isRetained: isRetained)
    }

    private mutating func ask(_ person: JSON) throws {
        ticket += 1
        if case let start = person.start, start != .null {
            let phases = try start.plan.items.map { phase in
                Phase(
                    kind: try #require(PhaseKind(rawValue: phase.kind.text ?? "")), name: phase.name.text,
                    seconds: Int(try #require(phase.seconds.int)))
            }
            let asked = Start(
                title: start.title.text ?? "", mode: Mode(rawValue: start.mode.text ?? "countdown") ?? .countdown,
                plan: phases, autoAdvance: start.autoAdvance == true)
            try handle(.input(.start(asked, id: Fixtures.token(start.id.text ?? ""), ticket: ticket)))
        } else if case let press = person.press, press != .null {
            let name = try #require(IntentOperation.Name(rawValue: press.op.text ?? ""))
            let args = press.args
            let operation = IntentOperation(
                name: name, seconds: args.seconds.int.map { Int($0) }, title: args.title.text, label: args.label.text,
                colour: nil)
            try handle(.input(.press(Press(operation), id: Fixtures.token(press.id.text ?? ""), ticket: ticket)))
        } else {
            try handle(.input(.take(id: Fixtures.token(try #require(person.take.id.text)), ticket: ticket)))
        }
    }

    private mutating func handle(_ event: NodeCore.Event) throws {
        loop.add(event)
        while let actions = loop.next(at: now) { for action in actions { try carryOut(action) } }
    }

    private mutating func add(_ event: NodeCore.Event) { loop.add(event) }

    private mutating func carryOut(_ action: NodeCore.Action) throws {
        switch action {
        case .write(let write):
            records += try write.waiting.map { try JSON($0.json) }
            add(.written(write.number))
        case .send(let outgoing, let token, of: let message):
            if let token { add(.sent(token, .delivered)) }
            switch message {
            case .register: register = try JSON(outgoing.payload).without(Self.unread + ["v"])
            case .ack(.answer): answers.append(try JSON(outgoing.payload).without(["v", "kind"]))
            default: break
            }
        case .subscribe(_, let barrier):
            for message in retained { add(.received(packet(message, isRetained: true))) }
            add(.received(NodeCore.Packet(topic: barrier.topic, payload: barrier.payload, isRetained: false)))
        case .reply(_, .answered(let answer)):
            answers.append(try JSON(AnswerFields(answer).payload).without(["v", "kind"]))
        default: break
        }
    }
}

extension JSON {
    /// The bytes of the value as a payload of version 1.
    fileprivate var payload: [UInt8] { patched(["v": 1]).bytes }

    fileprivate func without(_ keys: [String]) -> JSON {
        patched(.object(Dictionary(keys.map { ($0, .null) }) { first, _ in first }))
    }

    /// Applies a JSON merge patch (RFC 7396).
    fileprivate func patched(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var fields: [String: JSON] = [:]
        if case .object(let present) = self { fields = present }
        for (key, value) in changes {
            fields[key] = value == .null ? nil : (fields[key] ?? .null).patched(value)
        }
        return .object(fields)
    }
}
