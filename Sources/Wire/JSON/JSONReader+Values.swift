// SPDX-License-Identifier: Apache-2.0

import Session

extension JSONReader {
    /// An opaque id.
    mutating func token<Kind>() throws(Rejection) -> Token<Kind> {
        if let token: Token<Kind> = plainToken() { return token }
        let text = try string()
        guard let token = Token<Kind>(text) else { throw Rejection(.outOfBounds, "“\(text)” is no id") }
        return token
    }

    /// A node's id.
    /// - Parameter likely: Which it will be.
    mutating func node(likely: NodeID? = nil) throws(Rejection) -> NodeID {
        if let likely, take(likely.rawValue) { return likely }
        let text = try string()
        guard let node = NodeID(text) else { throw Rejection(.outOfBounds, "“\(text)” is no node id") }
        return node
    }

    /// One of a closed set of words.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>() throws(Rejection) -> Word {
        for word in Word.allCases where take(word.rawValue) { return word }
        let text = try string()
        guard let word = Word(rawValue: text) else {
            throw Rejection(.outOfBounds, "“\(text)” is not one of \(Word.self)")
        }
        return word
    }

    /// A whole number.
    mutating func int() throws(Rejection) -> Int {
        Int(try integer())
    }

    /// A whole number within bounds.
    mutating func integer(in range: ClosedRange<Int64>, _ name: String) throws(Rejection) -> Int64 {
        let value = try integer()
        guard range.contains(value) else { throw Rejection(.outOfBounds, "\(name) is \(value)") }
        return value
    }

    /// A whole number within bounds.
    mutating func int(in range: ClosedRange<Int>, _ name: String) throws(Rejection) -> Int {
        let value = try int()
        guard range.contains(value) else { throw Rejection(.outOfBounds, "\(name) is \(value)") }
        return value
    }

    /// A level in decibels, which is the one kind of number that may have a fraction: in tenths.
    mutating func decibels(_ name: String) throws(Rejection) -> Int {
        skipSpace()
        let start = position
        try skip()
        guard let value = Double(String(decoding: bytes[start..<position], as: UTF8.self)) else {
            throw Rejection(.malformed, "\(name) is no number")
        }
        // Compared before it is converted: it may be beyond all whole numbers.
        guard abs(value) <= SoundLevel.limit else { throw Rejection(.outOfBounds, "\(name) is \(value)") }
        return Int((value * 10).rounded())
    }

    /// Text that may reach a screen, of 1 to `limit` bytes.
    mutating func cleanText(bytes limit: Int, _ name: String) throws(Rejection) -> String {
        let text = try string()
        guard CleanText.accepts(text, bytes: limit) else {
            throw Rejection(.outOfBounds, "\(name) is empty, too long or holds control characters")
        }
        return text
    }

    /// A day of the calendar, as `2026-12-28`.
    mutating func date(_ name: String) throws(Rejection) -> CivilDate {
        let text = try string()
        guard let date = CivilDate(text) else { throw Rejection(.outOfBounds, "\(name) is no date") }
        return date
    }

    /// Takes the next element of an array that must be there.
    mutating func needElement(_ items: inout Items) throws(Rejection) {
        guard try element(&items) else { throw Rejection(.malformed, "an array is too short") }
    }

    /// Makes sure that an array has no further element.
    mutating func needEnd(_ items: inout Items) throws(Rejection) {
        guard try !element(&items) else { throw Rejection(.malformed, "an array is too long") }
    }
}

/// Unwraps a field that must be there.
func need<Value>(_ value: Value?, _ name: StaticString) throws(Rejection) -> Value {
    guard let value else { throw Rejection(.malformed, "\(name) is missing") }
    return value
}

/// The version of every payload, and what to make of another one.
enum ProtocolVersion {
    /// The one that this program speaks.
    static let current: Int64 = 1

    /// Makes sure that a payload's `v` is the current version.
    static func check(_ version: Int64?) throws(Rejection) {
        let version = try need(version, "v")
        guard version == current else { throw Rejection(.unknownVersion, "v is \(version)") }
    }

    /// Reads a whole payload.
    ///
    /// A payload of another version may hold anything, so a fault in it only counts once its version is known.
    static func document<Value>(
        _ bytes: [UInt8], _ read: (inout JSONReader) throws(Rejection) -> Value
    ) throws(Rejection) -> Value {
        do throws(Rejection) {
            var reader = JSONReader(bytes)
            let value = try read(&reader)
            try reader.end()
            return value
        } catch {
            try checkEnvelope(bytes)
            throw error
        }
    }

    /// Makes sure that a payload is one JSON object of this version, whatever else it holds.
    static func checkEnvelope(_ bytes: [UInt8]) throws(Rejection) {
        var reader = JSONReader(bytes)
        var fields = try reader.object()
        var fault: Rejection?
        var hasVersion = false
        while let key = try reader.key(&fields) {
            guard key == "v" else {
                try reader.skip()
                continue
            }
            hasVersion = true
            var value = reader
            try reader.skip()
            do throws(Rejection) {
                let version = try value.integer()
                fault = version == current ? nil : Rejection(.unknownVersion, "v is \(version)")
            } catch {
                fault = error.reason == .outOfBounds ? Rejection(.unknownVersion, "v is very large") : error
            }
        }
        try reader.end()
        if let fault { throw fault }
        if !hasVersion { throw Rejection(.malformed, "v is missing") }
    }
}
