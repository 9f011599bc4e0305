// SPDX-License-Identifier: Apache-2.0

package import Core
package import Logging
import Platform
package import Session

/// Logs the sessions of a node and the notes of its core.
package struct SessionLog {
    private let log: Logger
    private let node: NodeID
    /// Limits the lines that other nodes cause.
    private var limiter = RateLimiter(perMinute: 20)
    private var last: (id: SessionID, status: Status)?

    package init(log: Logger, node: NodeID) {
        self.log = log
        self.node = node
    }

    /// Logs the current session if it is new or its status has changed.
    package mutating func show(_ view: View) {
        let before = last
        last = view.register.map { ($0.id, $0.status) }
        guard let register = view.register, register.id != before?.id || register.status != before?.status else {
            return
        }
        // Starts and ends are logged at info, the presses between at debug.
        let isOutline = register.id != before?.id || !register.status.isLive
        guard register.owner == node || !isOutline || admitsLine() else { return }
        log.log(
            level: isOutline ? .info : .debug, "session \(register.status.rawValue)",
            metadata: ["session": "\(register.id)", "owner": "\(register.owner)", "title": "\(register.title)"])
    }

    /// Whether to write a line that another node has caused.
    private mutating func admitsLine() -> Bool {
        guard let suppressed = limiter.admit(at: SystemClock.bootMilliseconds()) else { return false }
        if suppressed > 0 {
            log.warning("lines about sessions of other nodes were suppressed", metadata: ["lines": "\(suppressed)"])
        }
        return true
    }

    package mutating func write(_ note: CoreNote, of engine: Engine) {
        switch note {
        case .engine(let note): write(note, of: engine)
        case .twin(let name):
            log.warning(
                "another machine uses the id \(node): lockstep doctor says what to do",
                metadata: ["name": "\(name)"])
        case .makingWay(let wait):
            log.info(
                "another process connected first under this node's id; disconnecting",
                metadata: ["nextAttemptIn": "\(wait) ms"])
        case .recordNotKept(let session, let outcome):
            log.warning(
                "the ledger refuses a record", metadata: ["session": "\(session)", "outcome": "\(outcome)"])
        }
    }

    private mutating func write(_ note: EngineNote, of engine: Engine) {
        switch note {
        case .superseded(let session, let by):
            let isTakenOver = engine.register(of: by.node)?.lineage == engine.register(of: node)?.lineage
            log.info(
                isTakenOver ? "session taken over by another node" : "session ended by a later start",
                metadata: ["session": "\(session)", "by": "\(by.session)", "node": "\(by.node)"])
        case .discarded(let reason, let from):
            log.warning(
                "dropped a message: \(words(reason)); further ones of this kind are only counted",
                metadata: ["node": "\(from?.rawValue ?? "unknown")"])
        case .clockWrong(let node, let stamp):
            guard admitsLine() else { return }
            log.warning("the clock of a node is wrong", metadata: ["node": "\(node)", "stamp": "\(stamp)"])
        case .tookOver(let session, let from):
            log.notice("took a session over", metadata: ["session": "\(session)", "from": "\(from)"])
        case .clockCorrected(let change) where change.magnitude < .seconds(1):
            log.info("group time agrees with this machine's clock again")
        case .clockCorrected(let change):
            log.warning(
                "group time differs from this machine's clock",
                metadata: ["by": "\(change.wholeSeconds) s"])
        case .restamped(let session, let from, let to):
            log.info(
                "group time has changed, and the start of the session was corrected",
                metadata: ["session": "\(session)", "by": "\((to - from).wholeSeconds) s"])
        case .notAnnounced(let session):
            log.info(
                "a session that began and ended without a connection is not announced",
                metadata: ["session": "\(session)"])
        case .repaired(let version):
            log.warning("the broker held an older state of this node; repaired", metadata: ["rev": "\(version.rev)"])
        case .recovered(let session):
            log.warning(
                "the journal had lost a session; restored from the broker", metadata: ["session": "\(session)"])
        case .noRetained:
            log.info("the broker retains nothing of this program yet; asking the other nodes for their state")
        case .journal(let works):
            if works {
                log.info("the journal can be written again")
            } else {
                log.error("the session continues, but other nodes get its changes only when the journal can be written")
            }
        }
    }

    private func words(_ reason: Discard) -> String {
        switch reason {
        case .tooLarge: "more than \(Limits.payloadBytes) bytes"
        case .malformed: "not the JSON that its topic requires"
        case .unknownVersion: "an unknown version of the protocol"
        case .outOfBounds: "a field is out of bounds"
        case .wrongSender: "it names another node than its topic"
        case .retained: "retained on a topic without retained messages"
        case .tooManyNodes: "more than \(Limits.nodes) nodes in this space"
        case .notAsked: "it answers an intent that was sent to another node"
        case .tooOften: "above the rate limit of its node"
        }
    }
}
