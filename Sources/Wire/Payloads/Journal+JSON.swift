// SPDX-License-Identifier: Apache-2.0

public import Session

extension Journal: Described {
    /// Reads a journal back from its file; throws also if its register is out of bounds.
    public init(json: [UInt8]) throws(Rejection) { self = try Self(payload: json) }

    /// The journal as one line of JSON without its end. `own` is the payload of ``Journal/own``, if it was made before.
    public func json(own: [UInt8]? = nil) -> [UInt8] { payload(with: own, as: "own") }

    package static let blank = Journal(epoch: 0, mark: HybridClock())

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("epoch", &epoch, .counter)
        try form.field("mark", &mark, .array())
        try form.field("own", optional: &own, .payload())
        try form.field("past", &past, .list(of: .id(), 0...1_000), absent: [])
        try form.field("base", &base, .array(), absent: HybridClock())
        try form.field("provisional", &isProvisional, .bool, unless: false)
        try form.field("guess", &isGuess, .bool, unless: false)
        try form.field("approx", &isApproximate, .bool, unless: false)
        try form.field("guessBefore", &isLastAnnouncedGuess, .bool, unless: false)
        try form.field("before", optional: &lastAnnounced, .payload())
    }
}

extension HybridClock: Described {
    package static let objectName = "mark"
    package static let blank = HybridClock()

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("time", &time, .time)
        try form.field("counter", &counter, .counter)
    }
}
