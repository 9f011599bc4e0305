// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import Web

/// Sound levels from other programs over HTTP.
@Suite(.timeLimit(.minutes(15))) struct SoundTests {
    private static let headers: HTTPFields = [
        .contentType: "application/json", .authorization: "Bearer \(AuthMiddlewareTests.control)",
    ]

    @Test func levelIsPublished() async throws {
        let node = FakeNode()
        try await AuthMiddlewareTests.with(node) { client in
            for body in [
                #"{"level":41.26}"#, #"{"level":-60,"period":5,"source":"window"}"#, #"{"level":38,"period":null}"#,
            ] {
                let answer = try await client.post("/v1/sound", body, Self.headers)
                #expect(answer.status == .noContent, "\(body)")
            }
            #expect(
                node.asked.withLock(\.self) == ["sound 413 1000 ", "sound -600 5000 window", "sound 380 1000 "])
            node.isLinked.withLock { $0 = false }
            #expect(try await client.post("/v1/sound", #"{"level":41}"#, Self.headers).status == .serviceUnavailable)
        }
    }

    @Test(arguments: [
        ("{}", "level"), (#"{"level":"41"}"#, "level"), (#"{"level":200.1}"#, "level"),
        (#"{"level":1,"period":0}"#, "period"),
        (#"{"level":1,"period":61}"#, "period"), (#"{"level":1,"period":1.5}"#, "period"),
        (#"{"level":1,"source":"a b"}"#, "source"), (#"{"level":1,"db":2}"#, "db"), ("41", ""),
    ])
    func invalidLevelIsRefused(body: String, field: String) async throws {
        let node = FakeNode()
        try await AuthMiddlewareTests.with(node) { client in
            let answer = try await client.post("/v1/sound", body, Self.headers)
            #expect(answer.status == .unprocessableContent)
            #expect(String(buffer: answer.body).contains(#""field":"\#(field)""#))
        }
        #expect(node.asked.withLock(\.self).isEmpty)
    }
}
