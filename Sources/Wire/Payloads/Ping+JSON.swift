// SPDX-License-Identifier: Apache-2.0

package import Session

extension Ping: Described {
    package static let blank = Ping(connection: .blank, sent: 0, at: 0)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("conn", &connection, .id())
        try form.field("sent", &sent, .reading)
        try form.field("at", &at, .time)
        var (epoch, rev) = (held?.epoch, held?.rev)
        try form.field("epoch", optional: &epoch, .counter)
        try form.field("rev", optional: &rev, .counter)
        held = epoch.flatMap { epoch in rev.map { Version(epoch: epoch, rev: $0) } }
    }
}

extension Pong: Described {

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("conn", &connection, .id())
        try form.field("sent", &sent, .reading)
        try form.field("bootId", &bootID, .id())
        try form.field("boot", &boot, .reading)
        try form.field("wall", &wall, .wall)
        try form.field("at", &at, .time)
        try form.field("clock", &clock, .object())
    }

    package static let blank = Pong(
        connection: .blank, sent: 0, bootID: .blank, boot: 0, wall: 0, at: 0, clock: ClockQuality(isSynced: false))
}

/// A ping of a node to itself: when it returns, all retained messages have arrived.
struct Barrier: Described {
    var connection: ConnectionID

    package static let blank = Barrier(connection: .blank)

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
        try form.field("conn", &connection, .id())
    }
}

/// A request to every node to publish presence, register and notice again.
struct Hello: Described {
    var message: Message { .hello }

    package static let blank = Hello()

    package mutating func describe<F: Form & ~Copyable>(to form: inout F) throws(F.Failure) {
    }
}
