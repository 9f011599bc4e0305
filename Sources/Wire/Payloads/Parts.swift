// SPDX-License-Identifier: Apache-2.0

import Session

// Objects that several payloads contain.

extension Token {
    /// A placeholder while a value is being read.
    static var blank: Token { Token("-") ?? { preconditionFailure("a hyphen is an id") }() }
}

extension NodeID {
    /// A placeholder while a value is being read.
    static let blank = NodeID("0") ?? { preconditionFailure("a digit is a node") }()
}

extension Stamp {
    static let fields = Fields("stamp", blank: Stamp(time: 0, counter: 0, node: .blank)) {
        Field("time", \.time, .time)
        Field("counter", \.counter, .counter)
        Field("node", \.node, .node)
    }
}

extension Superseder {
    static let fields = Fields("superseder", blank: Superseder(session: .blank, node: .blank, at: 0)) {
        Field("session", \.session, .id())
        Field("node", \.node, .node)
        Field("at", \.at, .time)
    }
}

extension Label {
    static let fields = Fields("label", blank: Label(name: "")) {
        Field("name", \.name, .text(Limits.nameBytes))
        Field("colour", \.colour, .colour, absent: { _ in .grey })
    }
}

extension Format where Value == Colour {
    /// A colour; any other value reads as grey, since a label is never refused for its colour.
    static let colour = Format(name: "colour") { reader throws(Rejection) in
        if reader.isAtString { return Colour(hex: try reader.string()) ?? .grey }
        try reader.skip()
        return .grey
    } write: {
        $1.value($0.description)
    }
}
