// SPDX-License-Identifier: Apache-2.0

/// The id of a node: 1 to 32 characters of `a-z`, `0-9` and `-`, not beginning with `-`. Node ids are ordered by their
/// bytes, which is the last tie-break between two ``Stamp``s.
public struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    @usableFromInline let text: ShortText

    public init?(_ rawValue: String) { self.init(utf8: rawValue.utf8.span) }

    public init?(utf8: Span<UInt8>) {
        guard let text = ShortText(level: utf8) else { return nil }
        self.text = text
    }

    public var rawValue: String { text.description }
    public var description: String { rawValue }

    public func withUTF8(_ body: (Span<UInt8>) -> Void) { text.withUTF8(body) }

    public static func < (a: NodeID, b: NodeID) -> Bool { a.text < b.text }
}

/// The id of a space, with the grammar of ``NodeID``.
public struct SpaceID: Hashable, Sendable, CustomStringConvertible {
    /// The sign for all spaces, in settings, lists and filters of topics; it is no id.
    package static let every = "+"

    private let text: ShortText

    public init?(_ rawValue: String) {
        guard let text = ShortText(level: rawValue.utf8.span) else { return nil }
        self.text = text
    }

    public var rawValue: String { text.description }
    public var description: String { rawValue }
}

/// An opaque id: 1 to 36 characters of `A-Z`, `a-z`, `0-9`, `-` and `_`. Lockstep writes ULIDs, which sort by time. A
/// reader accepts any id of this grammar, as a UUID or `press-7` of a script. Its functions are `@inlinable`, since an
/// unspecialised generic call costs more than the work.
public struct Token<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    @usableFromInline let text: ShortText

    @inlinable
    public init?(_ rawValue: String) { self.init(utf8: rawValue.utf8.span) }

    @inlinable
    public init?(utf8: Span<UInt8>) {
        guard let text = ShortText(token: utf8) else { return nil }
        self.text = text
    }

    /// Converts an id of another kind, such as that of an intent that started a session.
    init<Other>(_ other: Token<Other>) { text = other.text }

    @inlinable public var rawValue: String { text.description }
    public var description: String { rawValue }

    @inlinable
    public func withUTF8(_ body: (Span<UInt8>) -> Void) { text.withUTF8(body) }

    @inlinable
    public static func == (a: Token, b: Token) -> Bool { a.text == b.text }

    @inlinable
    public func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }

    @inlinable
    public static func < (a: Token, b: Token) -> Bool { a.text < b.text }
}

/// The text of an id, stored in place: a copy neither allocates nor counts references.
@usableFromInline
struct ShortText: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bytes, at most the 36 of a UUID, and after them zeros, which no id contains.
    private var bytes = InlineArray<36, UInt8>(repeating: 0)
    private let count: UInt8

    /// Accepts a text with the grammar of ``Token``.
    @usableFromInline
    init?(token: Span<UInt8>) {
        self.init(token, limit: 36) {
            $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }

    /// Accepts a level of a topic, with the grammar of ``NodeID``.
    init?(level: Span<UInt8>) {
        self.init(level, limit: 32) {
            $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
        }
        if bytes[0] == UInt8(ascii: "-") { return nil }
    }

    private init?(_ text: Span<UInt8>, limit: Int, accepts: (UInt8) -> Bool) {
        guard text.count > 0, text.count <= limit else { return nil }
        count = UInt8(text.count)
        for index in text.indices {
            guard accepts(text[index]) else { return nil }
            bytes[index] = text[index]
        }
    }

    @usableFromInline
    func withUTF8(_ body: (Span<UInt8>) -> Void) { body(bytes.span.extracting(..<Int(count))) }

    @usableFromInline var description: String {
        String(copying: unsafe UTF8Span(unchecked: bytes.span.extracting(..<Int(count))))
    }

    /// Eight bytes, which are compared and hashed together.
    private func word(at start: Int) -> UInt64 {
        unsafe bytes.span.bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
    }

    @usableFromInline
    static func == (a: ShortText, b: ShortText) -> Bool {
        a.word(at: 0) == b.word(at: 0) && a.word(at: 8) == b.word(at: 8) && a.word(at: 16) == b.word(at: 16)
            && a.word(at: 24) == b.word(at: 24) && a.word(at: 28) == b.word(at: 28)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        // The bytes after the text are zeros, so that equal texts have equal words.
        for start in stride(from: 0, to: Int(count), by: 8) { hasher.combine(word(at: min(start, 28))) }
    }

    @usableFromInline
    static func < (a: ShortText, b: ShortText) -> Bool {
        for start in stride(from: 0, to: 36, by: 8) {
            let (one, other) = (a.word(at: min(start, 28)), b.word(at: min(start, 28)))
            if one != other { return one.bigEndian < other.bigEndian }
        }
        return false
    }
}

/// The types below distinguish ids of different things, and have no values.
public enum SessionKind {}
public enum IntentKind {}
public enum ConnectionKind {}
public enum BootKind {}

/// The id of a session; a continuation has a new one.
public typealias SessionID = Token<SessionKind>
/// The id of an intent, the same each time it is sent.
public typealias IntentID = Token<IntentKind>
/// The id of one connection of a node to the broker. Ids of later connections of a node must be larger.
public typealias ConnectionID = Token<ConnectionKind>
/// The id of one boot of a machine. Readings of a boot clock compare only within one boot.
public typealias BootID = Token<BootKind>
