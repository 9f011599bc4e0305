// SPDX-License-Identifier: Apache-2.0

public import Session

/// How loud it was at a node for a while, up to now.
public struct SoundLevel: Hashable, Sendable {
    /// No level is further from 0 than so many decibels.
    public static let limit = 200.0
    /// Milliseconds that a level may be of.
    public static let periods: ClosedRange<Int64> = 100...60_000

    /// The microphone, where the node has several.
    public var source: Token<SoundSourceKind>?
    /// The level in tenths of a decibel.
    public var level: Int
    /// Of how many milliseconds it is, and how often there is one.
    public var period: Int64
    /// When it was said, on the node's boot clock; `nil` for just now.
    public var sent: Int64?
    /// The boot that ``sent`` was read in.
    public var bootID: BootID?

    /// Makes a level.
    public init(
        source: Token<SoundSourceKind>? = nil, level: Int, period: Int64 = 1_000, sent: Int64? = nil,
        bootID: BootID? = nil
    ) {
        self.source = source
        self.level = level
        self.period = period
        self.sent = sent
        self.bootID = bootID
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var source: Token<SoundSourceKind>?
        var level: Int?
        var period: Int64?
        var sent: Int64?
        var bootID: BootID?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "source": source = try reader.null() ? nil : reader.token()
            case "level": level = try reader.decibels("level")
            case "period": period = try reader.null() ? nil : reader.integer(in: Self.periods, "period")
            case "sent": sent = try reader.null() ? nil : reader.integer(in: Limits.reading, "sent")
            case "bootId": bootID = try reader.null() ? nil : reader.token()
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(
            source: source, level: try need(level, "level"), period: period ?? 1_000, sent: sent, bootID: bootID)
    }

    func writeFields(to writer: inout JSONWriter) {
        if let source { writer.field("source", source) }
        writer.field("level", decibels: level)
        writer.field("period", period)
        if let sent { writer.field("sent", sent) }
        if let bootID { writer.field("bootId", bootID) }
    }
}

/// What a microphone's name names.
public enum SoundSourceKind {}
