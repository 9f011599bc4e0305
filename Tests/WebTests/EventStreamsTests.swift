// SPDX-License-Identifier: Apache-2.0

import API
import Display
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Session
import Synchronization
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(15))) struct EventStreamsTests {
    private static let options = EventStreams.StreamOptions(face: .focus, language: "en", isReadOnly: false)

    @Test func limitOfPagesIsFiveHundred() async throws {
        let streams = EventStreams(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        var ids: [Int] = []
        for _ in 0..<EventStreams.limit {
            ids.append(try #require(await streams.join(Self.options, as: .local, on: channel)).id)
        }
        #expect(await streams.join(Self.options, as: .local, on: channel) == nil)
        await streams.leave(ids[0])
        #expect(await streams.count == EventStreams.limit - 1)
        #expect(await streams.join(Self.options, as: .local, on: channel) != nil)
    }

    @Test func pagesOfOneKeyLeaveRoomForTheOtherKeyAndThisMachine() async throws {
        let streams = EventStreams(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        func opened(as viewer: EventStreams.Viewer) async -> Int {
            var count = 0
            while await streams.join(Self.options, as: viewer, on: channel) != nil { count += 1 }
            return count
        }
        #expect(await opened(as: .phone("a")) == EventStreams.phoneLimit)
        #expect(await opened(as: .phone("b")) == EventStreams.phoneLimit)
        #expect(await opened(as: .key(.view)) == EventStreams.keyLimit)
        #expect(await !streams.hasRoom(for: .key(.view)))
        let rest =
            EventStreams.limit - EventStreams.keyLimit - 2 * EventStreams.phoneLimit
            - EventStreams.reservedForLocal
        #expect(await opened(as: .key(.control)) == rest)
        #expect(await opened(as: .local) == EventStreams.reservedForLocal)
        #expect(await streams.count == EventStreams.limit)
    }

    @Test func newPageGetsTheTimelineAtOnce() async throws {
        let streams = EventStreams(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        #expect(await streams.join(Self.options, as: .local, on: channel) != nil)
        guard case .body(let event) = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) else {
            Issue.record("the first event is not a timeline")
            return
        }
        let text = String(buffer: event)
        #expect(text.hasPrefix("event: timeline\ndata: {"))
        #expect(text.hasSuffix("}\n\n"))
        #expect(text.contains(#""status":"idle""#))
        #expect(text.contains(#""boot":1000"#))
    }

    @Test func laterPageGetsTheCurrentInstant() async throws {
        let node = FakeNode()
        let streams = EventStreams(node: node)
        for boot in [1_000, 61_000] as [BootTime] {
            node.boot.withLock { $0 = boot }
            let channel = NIOAsyncTestingChannel()
            #expect(await streams.join(Self.options, as: .local, on: channel) != nil)
            let part = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self)
            guard case .body(let event) = part else {
                Issue.record("the first event is not a timeline")
                return
            }
            #expect(String(buffer: event).contains("\"boot\":\(boot)"))
        }
    }

    @Test func streamEndsWithItsPageAndWithTheNode() async throws {
        let streams = EventStreams(node: FakeNode())
        let (gone, stays) = (NIOAsyncTestingChannel(), NIOAsyncTestingChannel())
        let first = try #require(await streams.join(Self.options, as: .local, on: gone))
        let second = try #require(await streams.join(Self.options, as: .local, on: stays))
        try await gone.close()
        for await _ in first.end {}
        await streams.close()
        for await _ in second.end {}
        #expect(await streams.count == 0)
    }

    @Test func optionsComeFromQueryThenFromHeader() throws {
        #expect(try EventStreams.StreamOptions([:], header: nil, access: .control) == Self.options)
        let given = try EventStreams.StreamOptions(
            ["face": "calm", "lang": "en", "controls": "0"], header: "de", access: .control)
        #expect(given == EventStreams.StreamOptions(face: .calm, language: "en", isReadOnly: true))
        #expect(try EventStreams.StreamOptions([:], header: nil, access: .view).isReadOnly)
        #expect(throws: RequestError.self) {
            try EventStreams.StreamOptions(["face": "clock"], header: nil, access: .control)
        }
    }
}
