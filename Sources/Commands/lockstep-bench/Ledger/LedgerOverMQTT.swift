// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Foundation
import Glibc
import Session
import Shell
import Wire

/// Records of some nodes, sent to a real `lockstep-debt` as fast as the broker takes them, until each is acknowledged.
struct LedgerOverMQTT: Sendable {
    /// How many nodes send.
    var nodes = 5
    /// Records of each of them.
    var records = 5_000

    /// What came of it.
    struct Result: Sendable {
        /// From the first record sent to the last one acknowledged.
        var perSecond: Double
        /// Records that had to be sent again, since their acknowledgement did not come within ten seconds.
        var repeated: Int
    }

    /// A node sends a record again after so many nanoseconds.
    private static let patience: Int64 = 10_000_000_000
    private static let deadline: Int64 = 300_000_000_000
    private static let day: Int64 = 86_400_000

    func measure() async throws -> Result {
        try await Workplace.withBroker { broker, _ in
            try await Workplace.withDirectory(in: Workplace.disk) { state in
                let service = try Child.start(
                    "lockstep-debt",
                    ["--broker", "\(broker)", "--space", "bench", "--state-dir", state, "--log-level", "error"],
                    clock: ["/usr/bin/taskset", "--cpu-list", "0"])
                do {
                    let loop = try RawLoop()
                    let result = try await loop.perform { try send(to: broker, on: loop) }
                    await loop.stop()
                    await Child.end(service)
                    return result
                } catch {
                    await Child.end(service)
                    throw error
                }
            }
        }
    }

    private final class Progress {
        var waiting: [SessionID: (index: Int, sentAt: Int64)] = [:]
        var isServed = false
    }

    private func send(to broker: BrokerAddress, on loop: RawLoop) throws -> Result {
        let progress = Progress()
        let listener = try RawClient("listener", to: broker, on: loop, subscribe: "lockstep/1/bench/feed/#")
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
        let clients = try (0..<nodes).map { try RawClient("node-\($0)", to: broker, on: loop, subscribe: nil) }
        let payloads = try (0..<nodes * records).map(payload)
        let start = Samples.now()
        // In turn, as nodes would that send at one time.
        for (index, payload) in payloads.enumerated() {
            progress.waiting[payload.id] = (index, Samples.now())
            publish(payload.bytes, of: index % nodes, by: clients)
            if index % 64 == 0 { loop.step(milliseconds: 0) }
        }
        var repeated = 0
        while !progress.waiting.isEmpty {
            loop.step(milliseconds: 100)
            let now = Samples.now()
            guard now - start < Self.deadline else {
                throw BenchError("\(progress.waiting.count) records are not acknowledged")
            }
            for (id, record) in progress.waiting where now - record.sentAt > Self.patience {
                progress.waiting[id] = (record.index, now)
                publish(payloads[record.index].bytes, of: record.index % nodes, by: clients)
                repeated += 1
            }
        }
        let seconds = Double(Samples.now() - start) / 1e9
        return Result(perSecond: Double(payloads.count) / seconds, repeated: repeated)
    }

    private func wait(_ what: String, _ limit: Int64, on loop: RawLoop, _ isDone: () -> Bool) throws {
        let start = Samples.now()
        while !isDone() {
            guard Samples.now() - start < limit else { throw BenchError("there is no \(what)") }
            loop.step(milliseconds: 100)
        }
    }

    private func publish(_ payload: [UInt8], of node: Int, by clients: [RawClient]) {
        payload.withUnsafeBytes { clients[node].publish("lockstep/1/bench/node/n\(node)/record", $0, retain: false) }
        clients[node].flush()
    }

    /// A record of one of the last eighty days.
    private func payload(_ index: Int) throws -> (id: SessionID, bytes: [UInt8]) {
        let from = Clocks.now().wall - Int64(index) * (80 * Self.day / Int64(nodes * records)) - 3_600_000
        guard let node = NodeID("n\(index % nodes)"), let id = SessionID("s-\(index)") else {
            throw BenchError("a letter and a number are no id")
        }
        let runs = (0..<4).map { run in
            let start = from + Int64(run) * 420_000
            return LedgerRecord.Run(kind: run == 3 ? .shortBreak : .focus, from: start, to: start + 400_000)
        }
        let record = LedgerRecord(
            id: id, lineage: id, node: node, stamp: Stamp(time: from, counter: 0, node: node),
            version: Version(epoch: 1, rev: index), title: "Reading", label: Label(name: "Label \(index % 7)"),
            mode: .countdown, status: .completed, startedAt: from, runs: runs)
        return (id, FiledRecord(record).json())
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
