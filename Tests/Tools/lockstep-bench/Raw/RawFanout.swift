// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Settings
import Synchronization

/// Bare subscribers: a crowd on one thread, and some that are timed, each on its own thread. The crowd subscribes to
/// the nodes' session too, so that the broker has the same load.
final class RawFanout: Sendable {
    private static let topic = "lockstep/1/plain/node/owner/session"
    private let publisherLoop: RawLoop
    private let crowdLoop: RawLoop
    private let timedLoops: [RawLoop]
    private let publisher: RawClient
    private let present = Mutex<LastArrival?>(nil)

    init(_ broker: BrokerAddress, crowd: Int, session: String) async throws {
        let (publisherLoop, crowdLoop) = (try RawLoop(), try RawLoop())
        (self.publisherLoop, self.crowdLoop) = (publisherLoop, crowdLoop)
        publisher = try await publisherLoop.perform { try RawClient("plain-owner", to: broker, on: publisherLoop) }
        timedLoops = try (0..<FanoutCommand.timed).map { _ in try RawLoop() }
        try await crowdLoop.perform {
            for index in 0..<crowd {
                _ = try RawClient("crowd-\(index)", to: broker, on: crowdLoop, subscribe: [Self.topic, session])
            }
        }
    }

    /// Connects the timed subscribers. The broker serves the latest subscribers last.
    func connect(to broker: BrokerAddress) async throws {
        for (index, loop) in timedLoops.enumerated() {
            try await loop.perform { [self] in
                let client = try RawClient("plain-\(index)", to: broker, on: loop, subscribe: [Self.topic])
                client.onMessage = { [unowned self] _ in present.withLock { $0 }?.arrived() }
            }
        }
    }

    /// Publishes a retained message. Returns the nanoseconds until the last timed subscriber has it.
    func publish(size: Int) async throws -> Int64 {
        let last = LastArrival(of: timedLoops.count)
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
        for loop in [publisherLoop, crowdLoop] + timedLoops { await loop.stop() }
    }
}
