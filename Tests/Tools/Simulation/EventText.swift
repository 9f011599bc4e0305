// SPDX-License-Identifier: Apache-2.0

import Core
import Session
import Wire

/// Descriptions of inputs and actions, one line each.
enum EventText {
    static func line(_ register: Register?) -> String {
        guard let register else { return "nothing" }
        return "\(register.owner) \(register.id) \(register.epoch).\(register.rev) \(register.status) "
            + "phase \(register.phase) "
            + "stamp \(register.stamp.time - Clock.epoch).\(register.stamp.counter)"
            + (register.last.map { " by \($0.intent)" } ?? "")
    }

    static func line(_ message: Message) -> String {
        switch message {
        case .presence(let presence): "presence \(presence.isOnline ? "online" : "offline") \(presence.connection)"
        case .register(let register): "register \(line(register))"
        case .notice(let notice):
            "notice ok \(notice.acknowledgement.map { "\($0.lineage) \($0.at - Clock.epoch)" } ?? "-") \(notice.message?.text ?? "-")"
        case .intent(let intent): "intent \(intent.id) \(intent.operation) for \(intent.session) from \(intent.from)"
        case .ack(.answer(let answer)): "answer \(answer.intent) \(answer.outcome) \(answer.session) rev \(answer.rev)"
        case .ack(.fork(let node, let version)): "objection: fork of \(node) at \(version.epoch).\(version.rev)"
        case .ack(.clock(let node, let session, _)): "objection: clock of \(node), \(session)"
        case .hello: "hello"
        case .ping(let ping, let to): "ping \(to) at \(ping.sent)"
        case .pong(let pong, let to):
            "pong \(to) sent \(pong.sent) boot \(pong.boot) wall \(GroupTime(told: pong.wall) - Clock.epoch)"
        }
    }

    static func line(_ input: Input) -> String {
        switch input {
        case .restored(let journal, _): "restored \(line(journal?.own))"
        case .start(_, let id, let ticket): "start \(id) ticket \(ticket)"
        case .press(let press, let id, let ticket): "press \(press.operation) \(id) ticket \(ticket)"
        case .received(let message, let from, let retained):
            "\(retained ? "retained" : "received") from \(from): \(line(message))"
        default: "\(input)"
        }
    }

    static func line(_ event: NodeCore.Event, meaning input: Input) -> String {
        switch event {
        case .sent(let number, let confirmation): "message \(number) \(confirmation)"
        case .written(let write): "written(\(write))"
        case .recordsRead(let records): "records read: \(records.map(\.record.id))"
        default: line(input)
        }
    }

    static func line(_ action: NodeCore.Action) -> String {
        switch action {
        case .write(let write): "journal \(write.number): \(line(write.journal.own))"
        case .send(_, let number, of: let message?):
            "publish \(line(message))\(number.map { " as message \($0)" } ?? "")"
        case .subscribe: "subscribe"
        case .log(.engine(let note)): "\(note)"
        default: "\(action)"
        }
    }

    static func line(_ record: LedgerRecord) -> String {
        let runs = record.runs.map { "\($0.kind.rawValue) \($0.from)-\($0.to?.description ?? "")" }
        let end = record.endsAt.map { " until \($0)" } ?? ""
        return "\(record.version) \(record.status.rawValue) \(runs.joined(separator: ", "))\(end)"
            + (record.isApproximate ? " approximate" : "")
    }
}
