// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Shell
import Synchronization

/// A bare publisher and many bare subscribers, each on a thread of its own.
final class RawFanout: Sendable {
    private static let topic = "lockstep/1/plain/node/owner/session"
    private let publisherLoop: RawLoop
    private let loops: [RawLoop]
    private let publisher: RawClient
    private let subscribers: Int
    private let present = Mutex<Last?>(nil)

    init(_ broker: BrokerAddress, subscribers: Int) async throws {
        self.subscribers = subscribers
        let publisherLoop = try RawLoop()
        self.publisherLoop = publisherLoop
        publisher = try await publisherLoop.perform {
            try RawClient("plain-owner", to: broker, on: publisherLoop, subscribe: nil)
        }
        loops = try (0..<subscribers).map { _ in try RawLoop() }
        for (index, loop) in loops.enumerated() {
            try await loop.perform { [self] in
                let client = try RawClient("plain-\(index)", to: broker, on: loop, subscribe: Self.topic)
                client.onMessage = { [unowned self] _ in present.withLock { $0 }?.arrived() }
            }
        }
    }

    /// Publishes a retained message.
    /// - Returns: Nanoseconds until the last subscriber has it.
    func publish(size: Int) async throws -> Int64 {
        let last = Last(of: subscribers)
        present.withLock { $0 = last }
        let start = try await publisherLoop.perform { [publisher] in
            let payload = [UInt8](repeating: 32, count: size)
            let start = Samples.now()
            payload.withUnsafeBytes { publisher.publish(Self.topic, $0, retain: true) }
            publisher.flush()
            return start
        }
        let end = try await last.time()
        present.withLock { $0 = nil }
        return end - start
    }

    func stop() async {
        await publisherLoop.stop()
        for loop in loops { await loop.stop() }
    }
}
