// SPDX-License-Identifier: Apache-2.0

/// The notice of this node, which it publishes again on each connection, and the last ones of the other nodes.
struct Notices: Hashable, Sendable {
    private(set) var own = Notice()
    private var others: [NodeID: Notice] = [:]
    private var isPublished = true

    /// The notices that count. One that is dated more than ``Limits/stampLead`` ahead of a vouched time waits until
    /// that time comes nearer, or its node corrects it. Otherwise it would win over all later ones.
    private func counting(_ context: Context) -> [Notice] {
        [own] + others.values.filter { !$0.isAhead(context) }
    }

    private func latest(_ context: Context) -> Notice {
        counting(context).reduce(into: Notice()) { $0.join($1) }
    }

    /// The text on all screens, and when it ends; `nil` if there is none.
    func message(_ context: Context) -> ScreenMessage? {
        latest(context).message.flatMap { $0.text.isEmpty || $0.until <= context.groupTime ? nil : $0 }
    }

    /// Returns the time up to which the alarms of a lineage are ended; `nil` if none is.
    func acknowledged(_ lineage: SessionID, _ context: Context) -> GroupTime? {
        counting(context).compactMap(\.acknowledgement).filter { $0.lineage == lineage }.map(\.at).max()
    }

    /// When a notice that waits begins to count; `nil` if none waits.
    func nextDue(_ context: Context) -> BootTime? {
        others.values.filter { $0.isAhead(context) }
            .map { context.now.boot + ($0.latestAt - Limits.stampLead - context.groupTime) }.min()
    }

    mutating func receive(_ notice: Notice, from sender: NodeID, _ context: Context) {
        guard sender == context.node else {
            // A broker may deliver an old copy late.
            if others[sender].map({ $0.rev <= notice.rev }) ?? true { others[sender] = notice }
            return
        }
        if notice.rev >= own.rev {
            // The notice is from an earlier process of this node, or from another program.
            if !notice.isAhead(context) { own.join(notice) }
            own.rev = notice.rev
            if own != notice { raiseRevision() }
        }
        if own != notice { publishAgain() }
    }

    mutating func forget(_ node: NodeID) { others[node] = nil }

    mutating func acknowledge(_ lineage: SessionID, at: GroupTime) {
        add(Notice(acknowledgement: Acknowledgement(lineage: lineage, at: max(at, (own.acknowledgement?.at ?? 0) + 1))))
    }

    /// Shows a text for a time; an empty text takes the message back. The message is later than all that count here.
    mutating func say(_ text: String, for life: Milliseconds, _ context: Context) {
        let at = max(context.groupTime, (latest(context).message?.at ?? 0) + 1)
        add(Notice(message: ScreenMessage(text: text, at: at, until: at + life)))
    }

    /// Moves the times of this node's notice when group time jumps. If a vouched time is behind the moved notice, the
    /// notice gets the present group time.
    mutating func move(by change: Milliseconds, _ context: Context) {
        var moved = own
        moved.move(by: change)
        if moved.isAhead(context) { moved.move(by: 0, upTo: context.groupTime) }
        guard moved != own else { return }
        own = moved
        raiseRevision()
        publishAgain()
    }

    private mutating func add(_ notice: Notice) {
        own.join(notice)
        raiseRevision()
        isPublished = false
    }

    private mutating func raiseRevision() { own.rev = min(own.rev + 1, Limits.counter.upperBound) }

    mutating func publishAgain() { if own != Notice() { isPublished = false } }

    mutating func removePending() -> Notice? {
        if isPublished { return nil }
        isPublished = true
        return own
    }
}
