// SPDX-License-Identifier: Apache-2.0

import Session

extension Ping {
    static let fields = Fields("ping", blank: Ping(connection: .blank, sent: 0, at: 0)) {
        Field("conn", \.connection, .id())
        Field("sent", \.sent, .reading)
        Field("at", \.at, .time)
    }
}

extension Pong {
    static let fields = Fields("pong", blank: blank) {
        Field("conn", \.connection, .id())
        Field("sent", \.sent, .reading)
        Field("bootId", \.bootID, .id())
        Field("boot", \.boot, .reading)
        Field("wall", \.wall, .time)
        Field("at", \.at, .time)
        Field("clock", \.clock, .object(ClockQuality.fields))
    }

    private static let blank = Pong(
        connection: .blank, sent: 0, bootID: .blank, boot: 0, wall: 0, at: 0, clock: ClockQuality(synced: false))
}

/// A ping of a node to itself: when it returns, all retained messages have arrived.
struct Barrier {
    var connection: ConnectionID

    static let fields = Fields("barrier", blank: Barrier(connection: .blank)) {
        Field("conn", \.connection, .id())
    }
}

/// A request to every node to publish its presence and register again.
struct Hello {
    var message: Message { .hello }

    static let fields = Fields("hello", blank: Hello()) {}
}
