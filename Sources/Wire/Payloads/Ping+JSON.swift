// SPDX-License-Identifier: Apache-2.0

import Session

extension Ping {
    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var connection: ConnectionID?
        var sent: Int64?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "conn": connection = try reader.token()
            case "sent": sent = try reader.integer(in: Limits.reading, "sent")
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(connection: try need(connection, "conn"), sent: try need(sent, "sent"), at: try need(at, "at"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("conn", connection.rawValue)
        writer.field("sent", sent)
        writer.field("at", at)
    }
}

extension Pong {
    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var connection: ConnectionID?
        var sent: Int64?
        var bootID: BootID?
        var boot: Int64?
        var wall: Int64?
        var groupTime: Int64?
        var clock: ClockQuality?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "conn": connection = try reader.token()
            case "sent": sent = try reader.integer(in: Limits.reading, "sent")
            case "bootId": bootID = try reader.token()
            case "boot": boot = try reader.integer(in: Limits.reading, "boot")
            case "wall": wall = try reader.integer(in: Limits.time, "wall")
            case "at": groupTime = try reader.integer(in: Limits.time, "at")
            case "clock": clock = try ClockQuality(reader: &reader)
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            connection: try need(connection, "conn"), sent: try need(sent, "sent"),
            bootID: try need(bootID, "bootId"), boot: try need(boot, "boot"), wall: try need(wall, "wall"),
            at: try need(groupTime, "at"), clock: try need(clock, "clock"))
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("conn", connection.rawValue)
        writer.field("sent", sent)
        writer.field("bootId", bootID.rawValue)
        writer.field("boot", boot)
        writer.field("wall", wall)
        writer.field("at", at)
        writer.field("clock") { clock.writeFields(to: &$0) }
    }
}
