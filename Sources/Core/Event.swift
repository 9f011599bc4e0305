// SPDX-License-Identifier: Apache-2.0

public import Session
public import Wire

extension NodeCore {
    /// An event that the caller reports to the core.
    public enum Event: Sendable {
        /// The files of an earlier process were read. The first event of a core, exactly once.
        indirect case restored(Restored)
        /// The broker accepted a connection.
        /// - Parameters:
        ///   - id: The connection's id, which must be larger than those of all earlier connections.
        ///   - hearsItself: Whether the broker returns a node's own messages; with MQTT 5 it can withhold them.
        case connected(_ id: ConnectionID, hearsItself: Bool)
        /// The connection ended, and every message that was not confirmed is lost.
        case disconnected(willRetry: Bool)
        case received(Packet)
        /// The outcome of a message that was sent with a number.
        case sent(MessageNumber, Confirmation)
        /// The write of this number is on disk with its ledger records.
        case written(Int)
        /// The write of this number failed. Some of its ledger records may be on disk.
        case writeFailed(Int)
        /// Acknowledged ledger records were read, as ``Action/readRecords(_:)`` asked. Unreadable ones are left out.
        case recordsRead([DigestedRecord])
        /// An input of the engine that is not a message of a node. It is a request of a person on this machine, the end
        /// of the program that asked, a suspend, or a wake at ``NodeCore/nextWake``. Tests also forge messages by it.
        case input(Input)
        /// A person on this machine has added a session that no node recorded. Its record is on disk.
        case added(DigestedRecord)
    }

    /// The number of a message, by which its confirmation names it.
    public typealias MessageNumber = Int

    /// The outcome of a message.
    public enum Confirmation: Hashable, Sendable {
        /// The broker has acknowledged it.
        case delivered
        /// The connection ended before the broker acknowledged it.
        case lost
        case refused(isTooLarge: Bool)
    }

    /// A message as it arrived.
    public struct Packet: Hashable, Sendable {
        public var topic: String
        /// The payload, whatever it contains.
        public var payload: [UInt8]
        /// The broker's retain flag.
        public var isRetained: Bool

        public init(topic: String, payload: [UInt8], isRetained: Bool) {
            self.topic = topic
            self.payload = payload
            self.isRetained = isRetained
        }
    }

    /// The files of an earlier process.
    public struct Restored: Sendable {
        /// The journal; `nil` if there was none. The caller must check its registers: `Register.invalidField` is `nil`.
        public var journal: Journal?
        /// Ledger records that the debt service has not acknowledged.
        public var waiting: [DigestedRecord]
        /// Ledger records that it has acknowledged.
        public var acknowledged: [DigestedRecord]

        /// Makes the state of an earlier process; without arguments that of a new node.
        public init(journal: Journal? = nil, waiting: [DigestedRecord] = [], acknowledged: [DigestedRecord] = []) {
            self.journal = journal
            self.waiting = waiting
            self.acknowledged = acknowledged
        }
    }
}
