// SPDX-License-Identifier: Apache-2.0

package import Session

extension Presence: Described {

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("online", &isOnline, .bool)
        try form.field("conn", &connection, .id())
        try form.field("role", &role, .word())
        try form.field("name", &name, .text(Limits.nameBytes))
        try form.field("at", &at, .time)
        try form.field("clock", &clock, .object())
        try form.field("software", &software, .text(Limits.titleBytes))
        try form.field("state", optional: &state, .word())
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

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("synced", &isSynced, .bool)
        try form.field("bound", optional: &bound, .bound)
        try form.field("wrong", &isWrong, .bool, unless: false)
    }
}
