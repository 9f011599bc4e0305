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
    /// The id as it stands in a payload.
    public let rawValue: String

    /// Accepts `rawValue` when it follows the grammar, otherwise `nil`.
    public init?(_ rawValue: String) {
        guard (1...36).contains(rawValue.utf8.count) else { return nil }
        for byte in rawValue.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                continue
            default: return nil
            }
        }
        self.rawValue = rawValue
    }

    init(unchecked rawValue: String) { self.rawValue = rawValue }

    /// The same as ``rawValue``.
    public var description: String { rawValue }

    /// Orders ids by their bytes; ULIDs sort by the time they were made.
    public static func < (a: Token, b: Token) -> Bool {
        a.rawValue.utf8.lexicographicallyPrecedes(b.rawValue.utf8)
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
