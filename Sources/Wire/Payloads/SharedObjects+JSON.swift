// SPDX-License-Identifier: Apache-2.0

package import Session

// Objects that several payloads contain.

extension Token {
    /// A placeholder while a value is being read.
    static var blank: Token { Token("-") ?? { preconditionFailure("a hyphen is an id") }() }
}

extension NodeID {
    static let blank = NodeID("0") ?? { preconditionFailure("a digit is a node") }()
}

extension Stamp: Described {
    package static let blank = Stamp(time: 0, counter: 0, node: .blank)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("time", &time, .time)
        try coder.field("counter", &counter, .counter)
        try coder.field("node", &node, .node)
    }
}

extension Superseder: Described {
    package static let blank = Superseder(session: .blank, node: .blank, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("session", &session, .id())
        try coder.field("node", &node, .node)
        try coder.field("at", &at, .time)
    }
}

extension Label: Described {
    package static let blank = Label(name: "")

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("name", &name, .text(Limits.nameBytes))
        try coder.field("colour", &colour, .colour, absent: .grey)
    }
}
