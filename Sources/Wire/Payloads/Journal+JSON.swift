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
        Field("mark", \.mark.reading, .array(ClockReading.fields))
        Field("own", optional: \.own, .payload(Register.fields))
        Field("past", \.past, .list(of: .id(), 0...1_000), absent: { _ in [] })
        Field("base", \.markBeforeStart.reading, .array(ClockReading.fields), absent: { _ in ClockReading() })
        Field("provisional", \.isProvisional, .bool, unless: false)
        Field("guess", \.isGuess, .bool, unless: false)
        Field("approx", \.isApproximate, .bool, unless: false)
        Field("guessBefore", \.isLastAnnouncedGuess, .bool, unless: false)
        Field("before", optional: \.lastAnnounced, .payload(Register.fields))
    }
}

/// A hybrid clock's reading as it is written.
struct ClockReading {
    var time: Int64 = 0
    var counter = 0

    static let fields = Fields("mark", blank: ClockReading()) {
        Field("time", \.time, .time)
        Field("counter", \.counter, .counter)
    }
}

extension HybridClock {
    fileprivate var reading: ClockReading {
        get { ClockReading(time: time, counter: counter) }
        set { self = HybridClock(time: newValue.time, counter: newValue.counter) }
    }
}
