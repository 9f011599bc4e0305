// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.limitedConcurrency) struct LeakTests {
    @Test func fiftyConnectionsLeakNothing() async throws {
        // In a process of its own, because the counters would include other tests.
        await #expect(processExitsWith: .success) {
            try await Broker.withBroker { broker in
                func cycle() async throws {
                    try await withRecordedClient(MQTTConfiguration(broker.port)) { client, recorder in
                        _ = try await recorder.firstConnection()
                        try await client.subscribe([Subscription("a")])
                        for _ in 0..<20 { try await client.publish([UInt8](repeating: 1, count: 5000), to: "a") }
                    }
                }
                for _ in 0..<10 { try await cycle() }
                let before = ProcessCounters.now()
                for _ in 0..<50 { try await cycle() }
                // The thread of the last connector may still be ending.
                try await eventually("no thread and no descriptor left over") {
                    let now = ProcessCounters.now()
                    return now.threads <= before.threads && now.descriptors <= before.descriptors
                }
                let after = ProcessCounters.now()
                #expect(after.residentKilobytes - before.residentKilobytes < 1500, "\(before) \(after)")
            }
        }
    }
}
