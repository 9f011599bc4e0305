// SPDX-License-Identifier: Apache-2.0

import Session

extension Presence {
    private static let sleeping = "sleeping"

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var online: Bool?
        var connection: ConnectionID?
        var role: Role?
        var name: String?
        var at: Int64?
        var clock: ClockQuality?
        var software: String?
        var state: String?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "online": online = try reader.bool()
            case "conn": connection = try reader.token()
            case "role": role = try reader.word()
            case "name": name = try reader.cleanText(bytes: Limits.nameBytes, "name")
            case "at": at = try reader.integer(in: Limits.time, "at")
            case "clock": clock = try ClockQuality(reader: &reader)
            case "software": software = try reader.cleanText(bytes: Limits.titleBytes, "software")
            case "state": state = try reader.null() ? nil : reader.string()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        if let state, state != Self.sleeping { throw Rejection(.outOfBounds, "“\(state)” is no state") }
        self.init(
            online: try need(online, "online"), connection: try need(connection, "conn"),
            role: try need(role, "role"), name: try need(name, "name"), at: try need(at, "at"),
            clock: try need(clock, "clock"), software: try need(software, "software"), isSleeping: state != nil)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("online", online)
        writer.field("conn", connection)
        writer.field("role", role.rawValue)
        writer.field("name", name)
        writer.field("at", at)
        writer.field("clock") { clock.writeFields(to: &$0) }
        writer.field("software", software)
        if isSleeping { writer.field("state", Self.sleeping) }
    }
}

extension ClockQuality {
    init(reader: inout JSONReader) throws(Rejection) {
        var synced: Bool?
        var bound: Int64?
        var isWrong: Bool?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "synced": synced = try reader.bool()
            case "bound": bound = try reader.null() ? nil : reader.integer(in: Limits.reading, "clock.bound")
            case "wrong": isWrong = try reader.null() ? nil : reader.bool()
            default: try reader.skip()
            }
        }
        self.init(synced: try need(synced, "clock.synced"), bound: bound, isWrong: isWrong ?? false)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("synced", synced)
        if let bound { writer.field("bound", bound) }
        if isWrong { writer.field("wrong", true) }
    }
}
