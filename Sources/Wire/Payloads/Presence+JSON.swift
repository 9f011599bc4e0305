// SPDX-License-Identifier: Apache-2.0

import Session

extension Presence {
    static let fields = Fields("presence", blank: blank) {
        Field("online", \.online, .bool)
        Field("conn", \.connection, .id())
        Field("role", \.role, .word)
        Field("name", \.name, .text(Limits.nameBytes))
        Field("at", \.at, .time)
        Field("clock", \.clock, .object(ClockQuality.fields))
        Field("software", \.software, .text(Limits.titleBytes))
        Field("state", optional: \.state, .word)
    }

    private static let blank = Presence(
        online: false, connection: .blank, role: .node, name: "", at: 0, clock: ClockQuality(synced: false),
        software: "")

    private var state: State? {
        get { isSleeping ? .sleeping : nil }
        set { isSleeping = newValue != nil }
    }

    private enum State: String, CaseIterable {
        case sleeping
    }
}

extension ClockQuality {
    static let fields = Fields("clock", blank: ClockQuality(synced: false)) {
        Field("synced", \.synced, .bool)
        Field("bound", optional: \.bound, .reading)
        Field("wrong", \.isWrong, .bool, unless: false)
    }
}
