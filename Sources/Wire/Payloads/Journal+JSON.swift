// SPDX-License-Identifier: Apache-2.0

public import Session

extension Journal {
    /// Reads a journal back from its file.
    /// - Throws: ``Rejection`` when the bytes are not a journal of this version, or its register is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self = try ProtocolVersion.document(json) { reader throws(Rejection) in try Journal(reader: &reader) }
    }

    /// The journal as it stands on disk: one line of JSON without the line's end.
    /// - Parameter encoded: The payload of ``own``, where it was made already.
    public func json(own encoded: [UInt8]? = nil) -> [UInt8] {
        JSONWriter.payload(capacity: 2_560) { writer in
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
            if !undated.isEmpty {
                writer.list("undated") { writer in
                    for session in undated.sorted() { writer.value(session) }
                }
            }
            if isApproximate { writer.field("approx", true) }
            if let before {
                writer.key("before")
                before.write(to: &writer)
            }
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
        var undated: [SessionID] = []
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
            case "undated": undated = try [SessionID](reader: &reader)
            case "approx": isApproximate = try reader.bool()
            case "before": before = try reader.null() ? nil : Register(reader: &reader).checked()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            epoch: try need(epoch, "epoch"), mark: try need(mark, "mark"), own: own, past: past, base: base,
            isProvisional: isProvisional, before: before, undated: Set(undated), isApproximate: isApproximate)
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
