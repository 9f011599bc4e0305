// SPDX-License-Identifier: Apache-2.0

import Session

/// Inputs and effects in one line each.
enum Telling {
    static func line(_ register: Register?) -> String {
        guard let register else { return "nothing" }
        return "\(register.owner) \(register.id) \(register.epoch).\(register.rev) \(register.status) "
            + "phase \(register.phase) "
            + "stamp \(register.stamp.time - Clock.epoch).\(register.stamp.counter)"
            + (register.last.map { " by \($0.intent)" } ?? "")
    }

    static func line(_ message: Message) -> String {
        switch message {
        case .presence(let presence): "presence \(presence.online ? "online" : "offline") \(presence.connection)"
        case .register(let register): "register \(line(register))"
        case .intent(let intent): "intent \(intent.id) \(intent.operation) for \(intent.session) from \(intent.from)"
        case .ack(.answer(let answer)): "answer \(answer.intent) \(answer.outcome) \(answer.session) rev \(answer.rev)"
        case .ack(.fork(let node, let version)): "objection: fork of \(node) at \(version.epoch).\(version.rev)"
        case .ack(.clock(let node, let session, _)): "objection: clock of \(node), \(session)"
        case .hello: "hello"
        case .ping(let ping, let to): "ping \(to) at \(ping.sent)"
        case .pong(let pong, let to): "pong \(to) sent \(pong.sent) boot \(pong.boot) wall \(pong.wall - Clock.epoch)"
        }
    }

    static func line(_ input: Input) -> String {
        switch input {
        case .restored(let journal): "restored \(line(journal?.own))"
        case .start(_, let id, let ticket): "start \(id) ticket \(ticket)"
        case .press(let press, let id, let ticket): "press \(press.operation) \(id) ticket \(ticket)"
        case .received(let message, let from, let retained):
            "\(retained ? "retained" : "received") from \(from): \(line(message))"
        default: "\(input)"
        }
    }

    static func line(_ effect: Effect) -> String {
        switch effect {
        case .journal(let journal, let write): "journal \(write): \(line(journal.own))"
        case .publish(let message): "publish \(line(message))"
        default: "\(effect)"
        }
    }

    static func line(_ record: LedgerRecord) -> String {
        let runs = record.runs.map { "\($0.kind.rawValue) \($0.from)-\($0.to.map(String.init) ?? "")" }
        let end = record.endsAt.map { " until \($0)" } ?? ""
        return "\(record.version) \(record.status.rawValue) \(runs.joined(separator: ", "))\(end)"
            + (record.isApproximate ? " approximate" : "")
    }
}
