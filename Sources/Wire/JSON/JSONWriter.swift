// SPDX-License-Identifier: Apache-2.0

/// Writes compact JSON in the order in which it is called, so that a person finds the same field at the same place.
struct JSONWriter {
    /// What has been written.
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    init(capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

    // MARK: Structure

    mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Begins a field, whose value must be written next. Keys are plain ASCII.
    mutating func key(_ name: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    private mutating func open(_ byte: UInt8) {
        comma()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    // MARK: Values

    mutating func null() {
        comma()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A value that was written before.
    mutating func raw(_ value: [UInt8]) {
        comma()
        bytes.append(contentsOf: value)
    }

    mutating func value(_ value: Bool) {
        comma()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    mutating func value(_ value: Int) {
        self.value(Int64(value))
    }

    mutating func value(_ value: Int64) {
        comma()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var low = bytes.count
        var rest = value.magnitude
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        var high = bytes.count - 1
        while low < high {
            bytes.swapAt(low, high)
            low += 1
            high -= 1
        }
    }

    mutating func value(_ text: String) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        // Nearly nothing needs an escape: copy first and look at the copy, which is faster than to look at the string.
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        if hasEscapes(from: start) {
            bytes.removeSubrange(start...)
            for byte in text.utf8 { escape(byte) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private func hasEscapes(from start: Int) -> Bool {
        for index in start..<bytes.count where Self.needsEscape(bytes[index]) { return true }
        return false
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        guard Self.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            bytes.append(contentsOf: (byte < 0x10 ? "u000" : "u00").utf8)
            bytes.append(contentsOf: String(byte, radix: 16).utf8)
        default: bytes.append(byte)
        }
    }
}

extension JSONWriter {
    mutating func field(_ key: String, _ value: Bool) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: String, _ value: Int) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: String, _ value: Int64) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: String, _ value: String) {
        self.key(key)
        self.value(value)
    }

    mutating func field(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        object(body)
    }

    mutating func list(_ key: String, _ body: (inout JSONWriter) -> Void) {
        self.key(key)
        array(body)
    }

    /// The version, which comes first in every payload.
    mutating func version() {
        field("v", ProtocolVersion.current)
    }

    /// A whole payload: the version, then the body's fields.
    static func payload(capacity: Int = 256, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: capacity)
        writer.object {
            $0.version()
            body(&$0)
        }
        return writer.bytes
    }
}
