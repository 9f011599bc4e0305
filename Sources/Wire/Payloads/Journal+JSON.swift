// SPDX-License-Identifier: Apache-2.0

public import Session

extension Journal {
    /// Reads a journal back from its file.
    /// - Throws: ``Rejection`` when the bytes are not a journal of this version, or its register is out of bounds.
    public init(json: [UInt8]) throws(Rejection) { self = try Self.fields.read(payload: json) }

    /// The journal as one line of JSON without the line's end.
    public func json() -> [UInt8] { Self.fields.payload(self) }

    static let fields = Fields("journal", blank: Journal(epoch: 0, mark: HybridClock())) {
        Field("epoch", \.epoch, .counter)
        Field("mark", \.mark, .array(HybridClock.fields))
        Field("own", optional: \.own, .payload(Register.fields))
        Field("past", \.past, .list(of: .id(), 0...1_000), absent: { _ in [] })
        Field("base", \.markBeforeStart, .array(HybridClock.fields), absent: { _ in HybridClock() })
        Field("provisional", \.isProvisional, .bool, unless: false)
        Field("guess", \.isGuess, .bool, unless: false)
        Field("approx", \.isApproximate, .bool, unless: false)
        Field("guessBefore", \.isLastAnnouncedGuess, .bool, unless: false)
        Field("before", optional: \.lastAnnounced, .payload(Register.fields))
    }
}

extension HybridClock {
    fileprivate static let fields = Fields("mark", blank: HybridClock()) {
        Field("time", \.time, .time)
        Field("counter", \.counter, .counter)
    }
}
