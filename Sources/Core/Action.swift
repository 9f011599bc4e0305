// SPDX-License-Identifier: Apache-2.0

public import Ledger
public import Session
public import Wire

extension NodeCore {
    /// A step for the caller, which must carry out all steps of an event, in order, before the next event.
    public enum Action: Sendable {
        /// Write to disk, then answer with ``Event/written(_:)`` or ``Event/writeFailed(_:)`` and the number.
        indirect case write(Write)
        /// Publish a message. With a number the caller reports the outcome by ``Event/sent(_:_:)``, unless the
        /// connection ends first. `of` is the encoded message, for observers; `nil` if the engine did not make it.
        case send(Outgoing, MessageNumber?, of: Message?)
        /// Subscribe at QoS 0, then publish the barrier, which returns after all retained messages.
        case subscribe([Filter], barrier: Outgoing)
        /// End these subscriptions.
        case unsubscribe([String])
        /// End the connection for another program of this node's id, and connect again after this time.
        case makeWay(for: Milliseconds)
        /// Answer the program that asked.
        case reply(Ticket, Reply)
        /// Move ledger records between their files. A failure is only logged: it is repaired after the next start.
        case changeRecords([RecordChange])
        /// Read these acknowledged ledger records, and answer with ``Event/recordsRead(_:)``.
        case readRecords([SessionID])
        /// Hand on a message, after the engine has handled it. The node gets feeds alone, a service every message.
        case deliver(Decoded)
        /// The broker has confirmed an answer of this node.
        case answerConfirmed(Answer)
        /// The broker has confirmed the presence that reports whether this machine sleeps. If a sleeping one was lost,
        /// it counts as confirmed, so that the machine may suspend.
        case presenceConfirmed(isSleeping: Bool)
        /// The broker has confirmed every register that was sent, or their connection has ended.
        case registersConfirmed
        /// The retained messages of the first connection have arrived, or there will be no connection.
        case caughtUp
        /// ``NodeCore/view`` or ``NodeCore/isCatchingUp`` has changed.
        case show
        case log(CoreNote)
    }

    /// One write to disk. The journal replaces the one before, and is written last, only if all records were written.
    public struct Write: Sendable {
        /// Counts the writes of a process.
        public var number: Int
        /// The bytes of the journal: the state that the engine needs after a crash.
        public var json: [UInt8]
        /// The journal that ``json`` encodes, for observers.
        public var journal: Journal
        /// Ledger records that the journal no longer contains and that wait for the debt service.
        public var waiting: [DigestedRecord]
        /// Ledger records that the journal no longer contains and that the debt service has acknowledged.
        public var acknowledged: [DigestedRecord]
    }

    /// A topic filter to subscribe to.
    public struct Filter: Hashable, Sendable {
        public var topics: String
        /// Whether the broker withholds this node's own messages.
        public var isNoLocal: Bool
    }
}

/// An event of a node for the log. The caller writes the text.
public enum CoreNote: Hashable, Sendable {
    case engine(EngineNote)
    /// Another program uses this node's id, under this name.
    case twin(name: String)
    /// This program gives its connection up to the other one, for some time.
    case makingWay(for: Milliseconds)
    /// The ledger has refused a record.
    case recordNotKept(SessionID, LedgerAck.Outcome)
}
