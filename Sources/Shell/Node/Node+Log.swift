// SPDX-License-Identifier: Apache-2.0

import Logging
import Mosquitto
import Session

/// Bounds the lines of a log that others can cause.
struct LineLimit {
    private static let lines = 20
    private static let period: Int64 = 60_000

    private var began: Int64 = 0
    private var count = 0

    /// Counts a line.
    /// - Parameter boot: The boot clock, in milliseconds.
    /// - Returns: Whether it is written, and how many were left out in the period before, if that is to be said now.
    mutating func admit(at boot: Int64) -> (isWritten: Bool, leftOut: Int) {
        var leftOut = 0
        if boot - began >= Self.period {
            leftOut = max(0, count - Self.lines)
            (began, count) = (boot, 0)
        }
        count += 1
        return (count <= Self.lines, leftOut)
    }
}

extension Node {
    /// Tells of the session that is current now.
    /// - Parameter before: The one before.
    func say(_ register: Register, after before: Outline?) {
        // Who began and ended what is for everybody; the presses between are for those who look closer.
        let isOutline = register.id != before?.id || !register.status.isLive
        guard register.owner == identity.node || !isOutline || admitsLine() else { return }
        log.log(
            level: isOutline ? .info : .debug, "session \(register.status.rawValue)",
            metadata: ["session": "\(register.id)", "owner": "\(register.owner)", "title": "\(register.title)"])
    }

    /// Whether a line that others caused is written. In a minute there are 20; the rest is counted.
    private func admitsLine() -> Bool {
        let (isWritten, leftOut) = sessionLines.admit(at: EventLoop.bootMilliseconds())
        if leftOut > 0 {
            log.warning("lines about sessions of others were left out", metadata: ["lines": "\(leftOut)"])
        }
        return isWritten
    }

    /// Puts a note of the engine into words.
    func say(_ note: Note) {
        switch note {
        case .superseded(let session, let by):
            let isTakenOver = register(of: by.node)?.lineage == register(of: identity.node)?.lineage
            log.info(
                isTakenOver ? "session taken over by another node" : "session ended by a later start",
                metadata: ["session": "\(session)", "by": "\(by.session)", "node": "\(by.node)"])
        case .discarded(let reason, let from):
            log.warning(
                "a message was not used: \(words(reason)); further ones of this kind are only counted",
                metadata: ["node": "\(from?.rawValue ?? "unknown")"])
        case .clockWrong(let node, let stamp):
            guard admitsLine() else { return }
            log.warning("the clock of a node is wrong", metadata: ["node": "\(node)", "stamp": "\(stamp)"])
        case .tookOver(let session, let from):
            log.notice("took a session over", metadata: ["session": "\(session)", "from": "\(from)"])
        case .clockCorrected(let milliseconds) where abs(milliseconds) < 1_000:
            log.info("group time agrees with this machine's clock again")
        case .clockCorrected(let milliseconds):
            log.warning(
                "group time differs from this machine's clock",
                metadata: ["by": "\(milliseconds / 1_000) s"])
        case .stampedAnew(let session, let from, let to):
            log.info(
                "group time has become another, and the start of the session was corrected",
                metadata: ["session": "\(session)", "by": "\((to - from) / 1_000) s"])
        case .keptToItself(let session):
            log.info(
                "a session that began and ended without contact is not announced", metadata: ["session": "\(session)"])
        case .repaired(let version):
            log.warning("the broker held an older state of this node; put right", metadata: ["rev": "\(version.rev)"])
        case .recovered(let session):
            log.warning(
                "the journal had lost a session; taken back from the broker", metadata: ["session": "\(session)"])
        case .noRetained:
            log.info("the broker has handed out no retained message; asking the nodes instead")
        case .journal(let works):
            if works {
                log.info("the journal can be written again")
            } else {
                log.error("the session goes on, but other nodes hear of changes only when the journal can be written")
            }
        }
    }

    private func words(_ reason: Discard) -> String {
        switch reason {
        case .tooLarge: "more than \(Limits.payloadBytes) bytes"
        case .malformed: "not the JSON that its topic asks for"
        case .unknownVersion: "a version of the protocol that this program does not know"
        case .outOfBounds: "a field is out of bounds"
        case .wrongSender: "it speaks for another node than its topic"
        case .retained: "retained on a topic that is not"
        case .tooManyNodes: "more than \(Limits.nodes) nodes in this space"
        case .notAsked: "it answers an intent that another node was asked"
        case .tooOften: "more of them per second than one node may send"
        }
    }
}
