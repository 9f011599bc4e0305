// SPDX-License-Identifier: Apache-2.0

public import Session

extension View {
    /// Reads a view that another program on this machine wrote.
    /// - Throws: ``Rejection`` when the bytes are not a view of this version, or its register is out of bounds.
    public init(json: [UInt8]) throws(Rejection) {
        self = try ProtocolVersion.document(json) { reader throws(Rejection) in try View(reader: &reader) }
    }

    /// The view for another program on this machine: its times are readings of the boot clock that both share.
    public func json() -> [UInt8] {
        JSONWriter.payload(capacity: 2_048) { writeFields(to: &$0) }
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("isOwner", isOwner)
        writer.field("isLinked", isLinked)
        writer.field("anchorBoot", anchorBoot)
        if shown > 0 { writer.field("shown", shown) }
        if let error {
            writer.field("error", error.milliseconds)
            if let at = error.at { writer.field("errorAt", at) }
        }
        if let contactLostAt { writer.field("contactLostAt", contactLostAt) }
        if let register {
            writer.key("register")
            register.write(to: &writer)
        }
    }

    private init(reader: inout JSONReader) throws(Rejection) {
        // A session can be older than this machine's boot, so its anchor can lie before zero.
        let reading = -Limits.reading.upperBound...Limits.reading.upperBound
        var version: Int64?
        var register: Register?
        var anchorBoot: Int64?
        var shown: Int64?
        var error: Int64?
        var errorAt: Int64?
        var contactLostAt: Int64?
        var isOwner: Bool?
        var isLinked: Bool?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "register": register = try reader.null() ? nil : Register(reader: &reader).checked()
            case "anchorBoot": anchorBoot = try reader.integer(in: reading, "anchorBoot")
            case "contactLostAt":
                contactLostAt = try reader.null() ? nil : reader.integer(in: reading, "contactLostAt")
            case "shown": shown = try reader.integer(in: reading, "shown")
            case "error": error = try reader.null() ? nil : reader.integer(in: reading, "error")
            case "errorAt": errorAt = try reader.null() ? nil : reader.integer(in: reading, "errorAt")
            case "isOwner": isOwner = try reader.bool()
            case "isLinked": isLinked = try reader.bool()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            register: register, anchorBoot: try need(anchorBoot, "anchorBoot"), shown: shown ?? 0,
            error: error.map { ErrorBound(milliseconds: $0, at: errorAt) }, contactLostAt: contactLostAt,
            isOwner: try need(isOwner, "isOwner"),
            isLinked: try need(isLinked, "isLinked"))
    }
}
