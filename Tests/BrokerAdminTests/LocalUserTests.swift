// SPDX-License-Identifier: Apache-2.0

import Support
import Testing

@testable import BrokerAdmin

@Suite(.limitedConcurrency) struct LocalUserTests {
    /// With the same client id the broker would end the first connection.
    @Test func aSecondConnectionDoesNotEndTheFirst() async throws {
        try await Broker.withBroker(.init(users: [MemberList.localUser: "word"])) { broker in
            let files = BrokerFiles(root: broker.directory.path)
            try files.install(BrokerFile("lockstep/local", "word\n", for: .root))
            try files.install(BrokerFile("lockstep/address", "mqtt localhost \(broker.port)\n", for: .all))
            let topic = "lockstep/1/home/node/desk/presence"
            let read = try await LocalUser(files).run { first in
                try await LocalUser(files).run { second in try await second.retain([1], on: topic) }
                return try await first.read([topic])
            }
            #expect(read.count == 1)
        }
    }
}
