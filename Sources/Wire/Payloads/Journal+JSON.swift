// SPDX-License-Identifier: Apache-2.0

public import Session

extension Journal {
    /// Reads a journal back from its file.
    /// - Throws: ``Rejection`` when the bytes are not a journal of this version, or its register is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self = try ProtocolVersion.document(json) { reader throws(Rejection) in try Journal(reader: &reader) }
    }

    /// The journal as one line of JSON without the line's end.
    public func json() -> [UInt8] {
        JSONWriter.payload(capacity: 2_560) { write(to: &$0, own: nil) }
    }

    fileprivate func write(to writer: inout JSONWriter, own encoded: [UInt8]?) {
        writer.field("epoch", epoch)
        writer.list("mark") {
            $0.value(mark.time)
            $0.value(mark.counter)
        }
        if let own {
            writer.key("own")
            if let encoded { writer.raw(encoded) } else { own.write(to: &writer) }
        }
        writer.list("past") { writer in
            for session in past { writer.value(session) }
        }
        writer.list("base") {
            $0.value(base.time)
            $0.value(base.counter)
        }
        if isProvisional { writer.field("provisional", true) }
        if isGuess { writer.field("guess", true) }
        if isApproximate { writer.field("approx", true) }
        if isGuessBefore { writer.field("guessBefore", true) }
        if let before {
            writer.key("before")
            before.write(to: &writer)
        }
    }

    private init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var epoch: Int?
        var mark: HybridClock?
        var own: Register?
        var past: [SessionID] = []
        var base = HybridClock()
        var isProvisional = false
        var isGuess = false
        var isGuessBefore = false
        var before: Register?
        var isApproximate = false
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "epoch": epoch = try reader.int(in: Limits.counter, "epoch")
            case "mark": mark = try HybridClock(reader: &reader)
            case "own": own = try reader.null() ? nil : Register(reader: &reader).checked()
            case "past": past = try [SessionID](reader: &reader)
            case "base": base = try HybridClock(reader: &reader)
            case "provisional": isProvisional = try reader.bool()
            case "guess": isGuess = try reader.bool()
            case "guessBefore": isGuessBefore = try reader.bool()
            case "approx": isApproximate = try reader.bool()
            case "before": before = try reader.null() ? nil : Register(reader: &reader).checked()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            epoch: try need(epoch, "epoch"), mark: try need(mark, "mark"), own: own, past: past, base: base,
            isProvisional: isProvisional, isGuess: isGuess, before: before, isGuessBefore: isGuessBefore,
            isApproximate: isApproximate)
    }
}

/// The line of a journal, in memory that serves for the next one too: a press would otherwise fetch new memory for each.
public struct JournalLine: ~Copyable {
    private var writer = JSONWriter(capacity: 2_560)

    /// Makes an empty one.
    public init() {}

    /// Writes a journal: one line of JSON, and the line's end.
    /// - Parameters:
    ///   - encoded: The payload of the journal's own register, where it was made already.
    ///   - header: How many bytes are left out before the JSON.
    public mutating func write(_ journal: Journal, own encoded: [UInt8]? = nil, behind header: Int = 0) {
        writer.restart(behind: header)
        writer.payload { journal.write(to: &$0, own: encoded) }
        writer.lineFeed()
    }

    /// The line, its header and its end included.
    public mutating func withMutableBytes<Value, Failure>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try writer.withMutableBytes(body)
    }
}

extension HybridClock {
    fileprivate init(reader: inout JSONReader) throws(Rejection) {
        var items = try reader.array()
        try reader.needElement(&items)
        let time = try reader.integer(in: Limits.time, "mark")
        try reader.needElement(&items)
        let counter = try reader.int(in: Limits.counter, "mark")
        try reader.needEnd(&items)
        self.init(time: time, counter: counter)
    }
}
