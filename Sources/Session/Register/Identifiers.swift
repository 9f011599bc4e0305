// SPDX-License-Identifier: Apache-2.0

/// The id of a node: 1 to 32 characters of `a-z`, `0-9` and `-`, not beginning with `-`.
///
/// Node ids are ordered by their bytes, which is the last tie-break between two ``Stamp``s.
public struct NodeID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id in a topic.
    public let rawValue: String

    /// Accepts a text that follows the grammar; `nil` for any other.
    public init?(_ rawValue: String) {
        guard TopicGrammar.accepts(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The text of the id: ``rawValue``.
    public var description: String { rawValue }

    /// Orders ids by their bytes.
    public static func < (a: NodeID, b: NodeID) -> Bool { a.rawValue < b.rawValue }
}

/// The id of a space, with the grammar of ``NodeID``.
public struct SpaceID: Hashable, Sendable, CustomStringConvertible {
    /// The id in a topic.
    public let rawValue: String

    /// Accepts a text that follows the grammar; `nil` for any other.
    public init?(_ rawValue: String) {
        guard TopicGrammar.accepts(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// The text of the id: ``rawValue``.
    public var description: String { rawValue }
}

enum TopicGrammar {
    static func accepts(_ text: String) -> Bool {
        guard (1...32).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else { return false }
        let text = text.utf8.span
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}

/// An opaque id: 1 to 36 characters of `A-Z`, `a-z`, `0-9`, `-` and `_`.
///
/// Lockstep writes ULIDs, which sort by time. A reader accepts any id of this grammar, as a UUID or `press-7` of a script.
public struct Token<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The id in a payload.
    public let rawValue: String

    /// Accepts a text that follows the grammar; `nil` for any other.
    public init?(_ rawValue: String) {
        guard TokenGrammar.accepts(rawValue.utf8.span) else { return nil }
        self.rawValue = rawValue
    }

    /// Converts an id of another kind, such as that of an intent that started a session.
    init<Other>(_ other: Token<Other>) { rawValue = other.rawValue }

    /// The text of the id: ``rawValue``.
    public var description: String { rawValue }

    /// Orders ids by their characters.
    public static func < (a: Token, b: Token) -> Bool { a.rawValue < b.rawValue }
}

enum TokenGrammar {
    static func accepts(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return false
            }
        }
        return (1...36).contains(text.count)
    }
}

/// The kind of ``SessionID``.
public enum SessionKind {}
/// The kind of ``IntentID``.
public enum IntentKind {}
/// The kind of ``ConnectionID``.
public enum ConnectionKind {}
/// The kind of ``BootID``.
public enum BootKind {}

/// The id of a session; a continuation has a new one.
public typealias SessionID = Token<SessionKind>
/// The id of an intent, the same each time it is sent.
public typealias IntentID = Token<IntentKind>
/// The id of one connection of a node to the broker. Ids of later connections of a node must be larger.
public typealias ConnectionID = Token<ConnectionKind>
/// The id of one boot of a machine. Readings of a boot clock compare only within one boot.
public typealias BootID = Token<BootKind>
