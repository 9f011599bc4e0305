// SPDX-License-Identifier: Apache-2.0

package import Session

extension Presence: Described {

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("online", &isOnline, .bool)
        try coder.field("conn", &connection, .id())
        try coder.field("role", &role, .word())
        try coder.field("name", &name, .text(Limits.nameBytes))
        try coder.field("at", &at, .time)
        try coder.field("clock", &clock, .object())
        try coder.field("software", &software, .text(Limits.titleBytes))
        try coder.field("state", optional: &state, .word())
    }

    package static let blank = Presence(
        isOnline: false, connection: .blank, role: .node, name: "", at: 0, clock: ClockQuality(isSynced: false),
        software: "")

    private var state: State? {
        get { isSleeping ? .sleeping : nil }
        set { isSleeping = newValue != nil }
    }

    /// The word for a node that sleeps.
    private enum State: String, CaseIterable {
        case sleeping
    }
}

extension ClockQuality: Described {
    package static let objectName = "clock"
    package static let blank = ClockQuality(isSynced: false)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("synced", &isSynced, .bool)
        try coder.field("bound", optional: &bound, .bound)
        try coder.field("wrong", &isWrong, .bool, unless: false)
    }
}
