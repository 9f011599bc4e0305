// SPDX-License-Identifier: Apache-2.0

import Session

/// What a service that is no node publishes for all to read; `nil` once it has been taken back.
public enum Feed: Hashable, Sendable {
    case calm(CalmFeed?)
    case debt(DebtFeed?)
    case debtYear(DebtYear?)
}

extension WireCodec {
    /// Reads what a service has published.
    func readFeed(_ payload: [UInt8], on topic: Topic) -> Decoded {
        if payload.count > Limits.payloadBytes { return .discard(.tooLarge, from: nil) }
        do throws(Rejection) {
            switch topic {
            case .calm where payload.isEmpty: return .feed(.calm(nil))
            case .debt where payload.isEmpty: return .feed(.debt(nil))
            case .debtYear where payload.isEmpty: return .feed(.debtYear(nil))
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
            case .debtYear:
                let year = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try DebtYear(reader: &reader)
                }
                return .feed(.debtYear(year))
            case .debtAck:
                let ack = try ProtocolVersion.document(payload) { reader throws(Rejection) in
                    try LedgerAck(reader: &reader)
                }
                return .ledgerAck(ack)
            default: return .ignored
            }
        } catch {
            return .discard(error.reason, from: nil)
        }
    }
}
