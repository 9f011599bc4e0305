// SPDX-License-Identifier: Apache-2.0

/// The latest words of the people at a node to the whole space. They change no session, so no owner has to be there.
public struct Notice: Hashable, Sendable {
    /// The number of changes of this notice so far. Of two copies, the one with more changes is the later one.
    public var rev: Int
    /// The alarm that was ended last.
    public var acknowledgement: Acknowledgement?
    public var message: ScreenMessage?

    public init(rev: Int = 0, acknowledgement: Acknowledgement? = nil, message: ScreenMessage? = nil) {
        self.rev = rev
        self.acknowledgement = acknowledgement
        self.message = message
    }

    /// Keeps the later acknowledgement and the later message of two notices, in whatever order they arrive.
    mutating func join(_ other: Notice) {
        if let theirs = other.acknowledgement, acknowledgement.map({ $0 < theirs }) ?? true { acknowledgement = theirs }
        guard let theirs = other.message else { return }
        let isLater = message.map { $0 < theirs } ?? true  // rule: laterMessage, else: true
        if isLater { message = theirs }
    }
}

extension Notice {
    var latestAt: GroupTime { max(acknowledgement?.at ?? 0, message?.at ?? 0) }

    /// Whether a time of it is more than ``Limits/stampLead`` ahead of a vouched group time.
    func isAhead(_ context: Context) -> Bool {
        context.source.isVouched && latestAt > context.groupTime + Limits.stampLead
    }

    mutating func move(by change: Milliseconds, upTo present: GroupTime = Limits.time.upperBound) {
        func moved(_ time: GroupTime) -> GroupTime { min(max(time + change, 0), present) }
        if let acknowledgement { self.acknowledgement?.at = moved(acknowledgement.at) }
        if let message {
            let at = moved(message.at)
            let until = min(at + (message.until - message.at), Limits.time.upperBound)
            self.message = ScreenMessage(text: message.text, at: at, until: until)
        }
    }
}

/// The end of the alarms of a session, up to an instant.
public struct Acknowledgement: Hashable, Comparable, Sendable {
    public var lineage: SessionID
    public var at: GroupTime

    public init(lineage: SessionID, at: GroupTime) {
        self.lineage = lineage
        self.at = at
    }

    public static func < (one: Acknowledgement, other: Acknowledgement) -> Bool {
        (one.at, one.lineage) < (other.at, other.lineage)
    }
}

/// A text for all screens. The latest one counts.
public struct ScreenMessage: Hashable, Comparable, Sendable {
    /// 1 to ``Limits/titleBytes`` bytes of clean text; empty where the message before was taken back.
    public var text: String
    public var at: GroupTime
    /// When it ends: from ``at`` to ``Limits/messageLife`` later.
    public var until: GroupTime

    public init(text: String, at: GroupTime, until: GroupTime) {
        self.text = text
        self.at = at
        self.until = until
    }

    public static func < (one: ScreenMessage, other: ScreenMessage) -> Bool {
        (one.at, one.until, one.text) < (other.at, other.until, other.text)
    }

    /// Whether its times fit each other.
    package var isConsistent: Bool { (0...Limits.messageLife).contains(until - at) }
}
