// SPDX-License-Identifier: Apache-2.0

package import Session

extension Ping: Described {
    package static let blank = Ping(connection: .blank, sent: 0, at: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("conn", &connection, .id())
        try coder.field("sent", &sent, .reading)
        try coder.field("at", &at, .time)
        var (epoch, rev) = (held?.epoch, held?.rev)
        try coder.field("epoch", optional: &epoch, .counter)
        try coder.field("rev", optional: &rev, .counter)
        held = epoch.flatMap { epoch in rev.map { Version(epoch: epoch, rev: $0) } }
    }
}

extension Pong: Described {

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("conn", &connection, .id())
        try coder.field("sent", &sent, .reading)
        try coder.field("bootId", &bootID, .id())
        try coder.field("boot", &boot, .reading)
        try coder.field("wall", &wall, .wall)
        try coder.field("at", &at, .time)
        try coder.field("clock", &clock, .object())
    }

    package static let blank = Pong(
        connection: .blank, sent: 0, bootID: .blank, boot: 0, wall: 0, at: 0, clock: ClockQuality(isSynced: false))
}

/// A ping of a node to itself: when it returns, all retained messages have arrived.
struct Barrier: Described {
    var connection: ConnectionID

    package static let blank = Barrier(connection: .blank)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("conn", &connection, .id())
    }
}

/// A request to every node to publish presence, register and notice again.
struct Hello: Described {
    var message: Message { .hello }

    package static let blank = Hello()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
    }
}
