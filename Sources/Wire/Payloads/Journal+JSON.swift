// SPDX-License-Identifier: Apache-2.0

public import Session

extension Journal: Described {
    /// Reads a journal back from its file; throws also if its register is out of bounds.
    public init(json: [UInt8]) throws(PayloadError) { self = try Self(payload: json) }

    /// The journal as one line of JSON without its end. `own` is the payload of ``Journal/own``, if it was made before.
    public func json(own: [UInt8]? = nil) -> [UInt8] { payload(with: own, as: "own") }

    package static let blank = Journal(epoch: 0, mark: HybridClock())

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("epoch", &epoch, .counter)
        try coder.field("mark", &mark, .array())
        try coder.field("own", optional: &own, .payload())
        try coder.field("past", &past, .list(of: .id(), 0...1_000), absent: [])
        try coder.field("base", &base, .array(), absent: HybridClock())
        try coder.field("provisional", &isProvisional, .bool, unless: false)
        try coder.field("guess", &isGuess, .bool, unless: false)
        try coder.field("approx", &isApproximate, .bool, unless: false)
        try coder.field("guessBefore", &isLastAnnouncedGuess, .bool, unless: false)
        try coder.field("before", optional: &lastAnnounced, .payload())
    }
}

extension HybridClock: Described {
    package static let objectName = "mark"
    package static let blank = HybridClock()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("time", &time, .time)
        try coder.field("counter", &counter, .counter)
    }
}
