// SPDX-License-Identifier: Apache-2.0

/// The notice of this node, which it publishes again on each connection, and the latest words of the other nodes.
struct Notices: Hashable, Sendable {
    private(set) var own = Notice()
    private var others = Notice()
    private var isPublished = true

    private var latest: Notice {
        var latest = others
        latest.join(own)
        return latest
    }

    /// The text on all screens, and when it ends; `nil` if there is none.
    func message(at time: GroupTime) -> ScreenMessage? {
        latest.message.flatMap { $0.text.isEmpty || $0.until <= time ? nil : $0 }
    }

    /// Until when the alarms of a lineage are ended; `nil` if none is.
    func acknowledged(_ lineage: SessionID) -> GroupTime? {
        latest.ok.flatMap { $0.lineage == lineage ? $0.at : nil }
    }

    mutating func receive(_ notice: Notice, isOwn: Bool) {
        if isOwn { own.join(notice) } else { others.join(notice) }
    }

    mutating func acknowledge(_ lineage: SessionID, at: GroupTime) {
        add(Notice(ok: Acknowledgement(lineage: lineage, at: max(at, (latest.ok?.at ?? 0) + 1))))
    }

    /// Shows a text for a time; an empty text takes the message back. It is later than all that this node knows.
    mutating func say(_ text: String, for life: Milliseconds, at: GroupTime) {
        let at = max(at, (latest.message?.at ?? 0) + 1)
        add(Notice(message: ScreenMessage(text: text, at: at, until: at + life)))
    }

    /// Moves this node's words with group time, which has jumped, and forgets those of others that now lie ahead of it,
    /// as their nodes move them too.
    mutating func move(by change: Milliseconds, _ context: Context) {
        own.move(by: change)
        if others.isAhead(context) { others = Notice() }
        publishAgain()
    }

    private mutating func add(_ notice: Notice) {
        own.join(notice)
        isPublished = false
    }

    mutating func publishAgain() { if own != Notice() { isPublished = false } }

    /// Returns the notice that is to be published, once.
    mutating func removePending() -> Notice? {
        if isPublished { return nil }
        isPublished = true
        return own
    }
}
