// SPDX-License-Identifier: Apache-2.0

/// The name of a node: 1 to 32 characters of `a-z`, `0-9` and `-`, not beginning with `-`.
///
/// Node ids are ordered by their bytes; the order is the last tie-break between two ``Stamp``s.
public struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id as it stands in a topic.
    public let rawValue: String

    /// Accepts `rawValue` when it follows the grammar, otherwise `nil`.
    public init?(_ rawValue: String) {
        guard TopicGrammar.accepts(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The same as ``rawValue``.
    public var description: String { rawValue }

    /// Orders ids by their bytes.
    public static func < (a: NodeID, b: NodeID) -> Bool {
        a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
    }
}

/// The name of a space: the grammar of ``NodeID``.
public struct SpaceID: Hashable, Sendable, CustomStringConvertible {
    /// The id as it stands in a topic.
    public let rawValue: String

    /// Accepts `rawValue` when it follows the grammar, otherwise `nil`.
    public init?(_ rawValue: String) {
        guard TopicGrammar.accepts(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The same as ``rawValue``.
    public var description: String { rawValue }
}

enum TopicGrammar {
    static func accepts(_ text: String) -> Bool {
        guard (1...32).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        }
    }
}

/// An opaque id that somebody else may have made: 1 to 36 characters of `A-Z`, `a-z`, `0-9`, `-` and `_`.
///
/// Lockstep itself writes ULIDs; a reader takes any id of this grammar, so that a UUID or `press-7` from a script serves.
public struct Token<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let characters: TokenCharacters

    /// Accepts `rawValue` when it follows the grammar, otherwise `nil`.
    public init?(_ rawValue: String) {
        var rawValue = rawValue
        guard let token = rawValue.withUTF8({ Self($0.span) }) else { return nil }
        self = token
    }

    /// Accepts an id as its bytes stand in a payload when it follows the grammar, otherwise `nil`.
    public init?(_ bytes: Span<UInt8>) {
        guard let characters = TokenCharacters(bytes) else { return nil }
        self.characters = characters
    }

    /// The same id for something else.
    init<Other>(_ other: Token<Other>) { characters = other.characters }

    /// The id as it stands in a payload.
    public var rawValue: String { String(decoding: utf8, as: UTF8.self) }

    /// The bytes of ``rawValue``.
    public var utf8: TokenCharacters { characters }

    /// The same as ``rawValue``.
    public var description: String { rawValue }

    /// Orders ids by their bytes; ULIDs sort by the time they were made.
    public static func < (a: Token, b: Token) -> Bool { a.characters < b.characters }
}

/// The bytes of a ``Token``, held in place: registers carry many ids and are handed on often, and to count references
/// to as many strings would cost more than all else that is done with them.
public struct TokenCharacters: Hashable, Comparable, Sendable, RandomAccessCollection {
    static let most = 36

    /// Eight bytes a word, the first in the highest; zeros behind the last.
    private var words: Words

    private struct Words: Hashable, Sendable {
        var (a, b, c, d, e): (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

        subscript(index: Int) -> UInt64 {
            get {
                switch index {
                case 0: a
                case 1: b
                case 2: c
                case 3: d
                default: e
                }
            }
            set {
                switch index {
                case 0: a = newValue
                case 1: b = newValue
                case 2: c = newValue
                case 3: d = newValue
                default: e = newValue
                }
            }
        }
    }

    init?(_ bytes: Span<UInt8>) {
        guard (1...Self.most).contains(bytes.count) else { return nil }
        words = Words()
        var word: UInt64 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard Self.accepts(byte) else { return nil }
            word = word << 8 | UInt64(byte)
            if index & 7 == 7 { words[index >> 3] = word }
        }
        let rest = bytes.count & 7
        if rest > 0 { words[bytes.count >> 3] = word << UInt64(64 - 8 * rest) }
    }

    private static func accepts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Zero.
    public var startIndex: Int { 0 }

    /// The number of bytes, 1 to 36.
    public var endIndex: Int {
        // Most are ULIDs, whose last bytes are in the fourth word.
        let (behind, word) =
            if words.e != 0 { (40, words.e) } else if words.d != 0 { (32, words.d) } else if words.c != 0 {
                (24, words.c)
            } else if words.b != 0 { (16, words.b) } else { (8, words.a) }
        return behind - word.trailingZeroBitCount / 8
    }

    /// One byte.
    public subscript(position: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: words[position >> 3] >> UInt64(56 - 8 * (position & 7)))
    }

    /// What ``write(to:)`` needs, in bytes.
    public static let room = 40

    /// Writes the bytes to a place with ``room``; what it leaves behind them is zeros.
    /// - Returns: How many bytes there are, 1 to 36.
    @inline(__always)
    public func write(to start: UnsafeMutablePointer<UInt8>) -> Int {
        let place = UnsafeMutableRawPointer(start)
        place.storeBytes(of: words.a.bigEndian, toByteOffset: 0, as: UInt64.self)
        place.storeBytes(of: words.b.bigEndian, toByteOffset: 8, as: UInt64.self)
        place.storeBytes(of: words.c.bigEndian, toByteOffset: 16, as: UInt64.self)
        place.storeBytes(of: words.d.bigEndian, toByteOffset: 24, as: UInt64.self)
        place.storeBytes(of: words.e.bigEndian, toByteOffset: 32, as: UInt64.self)
        return count
    }

    /// Compares byte by byte.
    public static func < (one: TokenCharacters, other: TokenCharacters) -> Bool {
        for index in 0..<5 where one.words[index] != other.words[index] {
            return one.words[index] < other.words[index]
        }
        return false
    }
}

/// What a ``SessionID`` names.
public enum SessionKind {}
/// What an ``IntentID`` names.
public enum IntentKind {}
/// What a ``ConnectionID`` names.
public enum ConnectionKind {}
/// What a ``BootID`` names.
public enum BootKind {}

/// Names one session; a takeover gives the continuation a new one.
public typealias SessionID = Token<SessionKind>
/// Names one intent, however often it is sent.
public typealias IntentID = Token<IntentKind>
/// Names one connection of a node to the broker; a new one each time.
public typealias ConnectionID = Token<ConnectionKind>
/// Names one boot of a machine: boot-clock readings compare only within one.
public typealias BootID = Token<BootKind>
