// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Glibc
import Harness
import Runtime
import Session
import Settings
import Wire

/// Sends records to a real `lockstep-debt` as fast as the broker accepts them, until each is acknowledged.
struct LedgerOverMQTT: Sendable {
    private let nodes = 5
    /// The records of each node.
    var records: Int
    /// The URL of the ledger; `nil` for a file.
    var ledger: String?

    struct Result: Sendable {
        /// The rate from the first record sent to the last one acknowledged.
        var perSecond: Double
        /// How often a record was sent again because no acknowledgement arrived in time.
        var repeated: Int
    }

    /// The nanoseconds after which a node sends a record again. `Protocol.md` states them under *Sending*: twice as
    /// long each time, and up to the jitter later. The limit of that time is beyond the deadline.
    private static let timeout: Int64 = 10_000_000_000
    private static let jitter: Int64 = 5_000_000_000
    /// How many records are sent before the loop reads what has arrived.
    private static let burst = 64
    private static let deadline: Int64 = 300_000_000_000

    func measure() async throws -> Result {
        try await BenchDirectory.withBroker { broker, _ in
            try await BenchDirectory.withDirectory(in: BenchDirectory.disk) { state in
                try await Child.with(
                    "lockstep-debt",
                    ["--broker", "\(broker)", "--space", "bench", "--state-dir", state, "--log-level", "error"]
                        + (ledger.map { ["--ledger", $0] } ?? []),
                    by: ["/usr/bin/taskset", "--cpu-list", "0"]
                ) { _ in
                    try await RawLoop.with { loop in try await loop.perform { try send(to: broker, on: loop) } }
                }
            }
        }
    }

    /// A record that waits for its acknowledgement.
    private struct Waiting {
        var index: Int
        var due: Int64
        var timeout: Int64

        /// Creates the wait of a record that is sent now.
        init(_ index: Int, timeout: Int64, at now: Int64) {
            (self.index, self.timeout) = (index, timeout)
            due = now + timeout + .random(in: 0...jitter)
        }
    }

    private final class Progress {
        var waiting: [SessionID: Waiting] = [:]
        var isServed = false
    }

    private func send(to broker: BrokerAddress, on loop: RawLoop) throws -> Result {
        let progress = Progress()
        let listener = try RawClient("listener", to: broker, on: loop, subscribe: ["lockstep/1/bench/feed/#"])
        listener.onMessage = { message in
            let topic = String(cString: message.pointee.topic)
            guard topic.hasSuffix("/ack") else {
                progress.isServed = true
                return
            }
            let payload = Data(bytes: message.pointee.payload, count: Int(message.pointee.payloadlen))
            for id in Self.acknowledged(payload) { progress.waiting[id] = nil }
        }
        try wait("a week of the service", 30_000_000_000, on: loop) { progress.isServed }
        let clients = try (0..<nodes).map { try RawClient("node-\($0)", to: broker, on: loop) }
        let payloads = try (0..<nodes * records).map(payload)
        let start = Samples.now()
        // Alternately, like nodes that send at the same time.
        for (index, payload) in payloads.enumerated() {
            progress.waiting[payload.id] = Waiting(index, timeout: Self.timeout, at: Samples.now())
            publish(payload.bytes, of: index % nodes, by: clients)
            if index % Self.burst == 0 { loop.step(milliseconds: 0) }
        }
        var repeated = 0
        while !progress.waiting.isEmpty {
            loop.step(milliseconds: 100)
            let now = Samples.now()
            guard now - start < Self.deadline else {
                throw Failed("\(progress.waiting.count) records are not acknowledged")
            }
            for (id, record) in progress.waiting where record.due < now {
                // An answer to it may have been read meanwhile.
                guard progress.waiting[id] != nil else { continue }
                progress.waiting[id] = Waiting(record.index, timeout: 2 * record.timeout, at: now)
                publish(payloads[record.index].bytes, of: record.index % nodes, by: clients)
                repeated += 1
                if repeated % Self.burst == 0 { loop.step(milliseconds: 0) }
            }
        }
        let seconds = Double(Samples.now() - start) / 1e9
        return Result(perSecond: Double(payloads.count) / seconds, repeated: repeated)
    }

    private func wait(_ what: String, _ limit: Int64, on loop: RawLoop, _ isDone: () -> Bool) throws {
        let start = Samples.now()
        while !isDone() {
            guard Samples.now() - start < limit else { throw Failed("\(what) did not arrive in time") }
            loop.step(milliseconds: 100)
        }
    }

    private func publish(_ payload: [UInt8], of node: Int, by clients: [RawClient]) {
        payload.withUnsafeBytes { clients[node].publish("lockstep/1/bench/node/n\(node)/record", $0, retain: false) }
        clients[node].flush()
    }

    private func payload(_ index: Int) throws -> (id: SessionID, bytes: [UInt8]) {
        let from = Clocks.now().told - Int64(index) * (.days(80) / Int64(nodes * records)) - .minutes(60)
        guard let node = NodeID("n\(index % nodes)"), let id = SessionID("s-\(index)") else {
            throw Failed("a letter and a number are no id")
        }
        return (id, DigestedRecord(LedgerRecord(id, number: index, of: node, from: from)).json)
    }

    private static func acknowledged(_ payload: Data) -> [SessionID] {
        struct Ack: Decodable {
            struct Item: Decodable {
                var id: String
                var outcome: String
            }
            var records: [Item]?
        }
        guard let ack = try? JSONDecoder().decode(Ack.self, from: payload) else { return [] }
        return (ack.records ?? []).filter { $0.outcome == "kept" }.compactMap { SessionID($0.id) }
    }
}
