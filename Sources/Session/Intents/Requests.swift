// SPDX-License-Identifier: Apache-2.0

/// The asking side of intents: what this node has asked of other owners and not yet heard back.
struct Requests: Hashable, Sendable {
    /// How long a person waits for an owner's answer, in milliseconds.
    static let patience: Int64 = 5_000
    /// After how many milliseconds an unanswered intent is sent again, with the same id.
    static let again: Int64 = 1_000
    /// After how many milliseconds without a sign of life from the owner the session is taken over.
    static let silence: Int64 = 2_000
    /// After how many milliseconds it is taken over from an owner that is there and does not answer.
    static let muteness: Int64 = 4_000

    private(set) var open: [Request] = []

    struct Request: Hashable, Sendable {
        var intent: Intent
        /// The owners that were asked, the present one last.
        private(set) var owners: [NodeID]
        /// Who waits for the answer; nobody, for an intent that is only handed on.
        var ticket: Ticket?
        /// When to send it next, on the boot clock.
        var sendAt: Int64
        /// When the owner's silence, if it lasts, becomes a reason to take over.
        var suspectAt: Int64
        /// When it is taken over in any case.
        var muteAt: Int64
        /// When to give up.
        var giveUpAt: Int64
        /// Whether it was sent, so that its times are fixed.
        var isSent = false
        /// What the person is told then, if somebody has refused it meanwhile.
        var refusal: Answer?

        init(
            _ intent: Intent, of owner: NodeID, ticket: Ticket?, at boot: Int64, patience: Int64 = Requests.patience
        ) {
            self.intent = intent
            owners = [owner]
            self.ticket = ticket
            sendAt = boot
            suspectAt = boot + Requests.silence
            muteAt = boot + Requests.muteness
            giveUpAt = boot + patience
        }

        /// It leaves for the first time: from here on the owner has its time.
        mutating func leave(at boot: Int64) {
            isSent = true
            suspectAt = boot + Requests.silence
            muteAt = boot + Requests.muteness
            if ticket != nil { giveUpAt = boot + Requests.patience }
        }

        /// Asks another session of the lineage from now on.
        mutating func aim(at head: Register, boot: Int64) {
            intent.session = head.id
            owners.removeAll { $0 == head.owner }
            owners = owners.suffix(7) + [head.owner]
            sendAt = boot
            suspectAt = boot + Requests.silence
            muteAt = boot + Requests.muteness
            if ticket != nil { giveUpAt = boot + Requests.patience }
        }
    }

    /// When something is due, on the boot clock. Nothing is sent before the answers are subscribed to.
    func nextWake(isReady: Bool, canTakeOver: Bool) -> Int64? {
        open.lazy.map { request in
            var due = isReady ? min(request.sendAt, request.giveUpAt) : request.giveUpAt
            if canTakeOver, request.ticket != nil { due = min(due, request.suspectAt) }
            return due
        }.min()
    }

    /// What an owner has said of one intent holds for all on the same session.
    mutating func refuse(_ session: SessionID, because answer: Answer) {
        for index in open.indices where open[index].intent.session == session && open[index].refusal == nil {
            var refusal = answer
            refusal.intent = open[index].intent.id
            open[index].refusal = refusal
        }
    }

    mutating func add(_ request: Request) { open.append(request) }

    mutating func forget(_ ticket: Ticket) { open.removeAll { $0.ticket == ticket } }

    subscript(intent: IntentID) -> Request? { open.first { $0.intent.id == intent } }

    mutating func take(_ intent: IntentID) -> Request? {
        guard let index = open.firstIndex(where: { $0.intent.id == intent }) else { return nil }
        return open.remove(at: index)
    }

    mutating func replace(with open: [Request]) { self.open = open }
}
