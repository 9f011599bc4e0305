// SPDX-License-Identifier: Apache-2.0

import Mosquitto
import Support
import Testing

@Suite(.takingTurns) struct LeakTests {
    @Test func fiftyConnectionsLeaveNothing() async throws {
        // Other tests would be counted too, so this one has a process of its own.
        await #expect(processExitsWith: .success) {
            try await Broker.withBroker { broker in
                func cycle() async throws {
                    try await withRecordedClient(Configuration(broker.port)) { client, recorder in
                        _ = try await recorder.firstConnection()
                        try await client.subscribe([Subscription("a")])
                        for _ in 0..<20 { try await client.publish([UInt8](repeating: 1, count: 5000), to: "a") }
                    }
                }
                for _ in 0..<10 { try await cycle() }
                let before = ProcessCounters.now()
                for _ in 0..<50 { try await cycle() }
                // The last connector may be on its way out, now as before.
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
