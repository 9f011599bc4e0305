// SPDX-License-Identifier: Apache-2.0

import Session

/// What a service that is no node publishes for all to read; `nil` once it has been taken back.
public enum Feed: Hashable, Sendable {
    case calm(CalmFeed?)
    case debt(DebtFeed?)
}

/// How the week stands.
public struct DebtFeed: Hashable, Sendable {
    /// Minutes that are missing to the week's goal; negative where more was done. At most a hundred thousand either way.
    public var minutes: Int
    /// When it was found, in milliseconds of group time.
    public var at: Int64

    static let bounds: ClosedRange<Int64> = -100_000...100_000

    /// Makes a reading.
    public init(minutes: Int, at: Int64) {
        self.minutes = minutes
        self.at = at
    }

    init(reader: inout JSONReader) throws(Rejection) {
        var version: Int64?
        var minutes: Int64?
        var at: Int64?
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "v": version = try reader.integer()
            case "minutes": minutes = try reader.integer(in: Self.bounds, "minutes")
            case "at": at = try reader.integer(in: Limits.time, "at")
            default: try reader.skip()
            }
        }
        try ProtocolVersion.check(version)
        self.init(minutes: Int(try need(minutes, "minutes")), at: try need(at, "at"))
    }
}

extension WireCodec {
    /// Reads what a service has published.
    func readFeed(_ payload: [UInt8], on topic: Topic) -> Decoded {
        if payload.count > Limits.payloadBytes { return .discard(.tooLarge, from: nil) }
        do throws(Rejection) {
            switch topic {
            case .calm where payload.isEmpty: return .feed(.calm(nil))
            case .debt where payload.isEmpty: return .feed(.debt(nil))
            case .calm:
                let calm = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try CalmFeed(reader: &reader)
                }
                return .feed(.calm(calm))
            case .debt:
                let debt = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try DebtFeed(reader: &reader)
                }
                return .feed(.debt(debt))
            default: return .ignored
            }
        } catch {
            return .discard(error.reason, from: nil)
        }
    }
}
