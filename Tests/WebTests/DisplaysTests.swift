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

@Suite(.timeLimit(.minutes(15))) struct DisplaysTests {
    private static let options = Displays.StreamOptions(face: .focus, language: "en", isReadOnly: false)

    @Test func limitOfPagesIsFiveHundred() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        var ids: [Int] = []
        for _ in 0..<Displays.limit {
            ids.append(try #require(await displays.join(Self.options, as: .local, on: channel)).id)
        }
        #expect(await displays.join(Self.options, as: .local, on: channel) == nil)
        await displays.leave(ids[0])
        #expect(await displays.count == Displays.limit - 1)
        #expect(await displays.join(Self.options, as: .local, on: channel) != nil)
    }

    @Test func pagesOfOneKeyLeaveRoomForTheOtherKeyAndThisMachine() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        func opened(as viewer: Displays.Viewer) async -> Int {
            var count = 0
            while await displays.join(Self.options, as: viewer, on: channel) != nil { count += 1 }
            return count
        }
        #expect(await opened(as: .phone("a")) == Displays.limitPerPhone)
        #expect(await opened(as: .phone("b")) == Displays.limitPerPhone)
        #expect(await opened(as: .key(.view)) == Displays.limitPerKey)
        #expect(await !displays.hasRoom(for: .key(.view)))
        let rest = Displays.limit - Displays.limitPerKey - 2 * Displays.limitPerPhone - Displays.reservedForLocal
        #expect(await opened(as: .key(.control)) == rest)
        #expect(await opened(as: .local) == Displays.reservedForLocal)
        #expect(await displays.count == Displays.limit)
    }

    @Test func newPageGetsTheTimelineAtOnce() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        #expect(await displays.join(Self.options, as: .local, on: channel) != nil)
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
        let displays = Displays(node: node)
        for boot in [1_000, 61_000] as [BootTime] {
            node.boot.withLock { $0 = boot }
            let channel = NIOAsyncTestingChannel()
            #expect(await displays.join(Self.options, as: .local, on: channel) != nil)
            let part = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self)
            guard case .body(let event) = part else {
                Issue.record("the first event is not a timeline")
                return
            }
            #expect(String(buffer: event).contains("\"boot\":\(boot)"))
        }
    }

    @Test func streamEndsWithItsPageAndWithTheNode() async throws {
        let displays = Displays(node: FakeNode())
        let (gone, stays) = (NIOAsyncTestingChannel(), NIOAsyncTestingChannel())
        let first = try #require(await displays.join(Self.options, as: .local, on: gone))
        let second = try #require(await displays.join(Self.options, as: .local, on: stays))
        try await gone.close()
        for await _ in first.end {}
        await displays.close()
        for await _ in second.end {}
        #expect(await displays.count == 0)
    }

    @Test func optionsComeFromQueryThenFromHeader() throws {
        #expect(try Displays.StreamOptions([:], header: nil, access: .control) == Self.options)
        let given = try Displays.StreamOptions(
            ["face": "calm", "lang": "en", "controls": "0"], header: "de", access: .control)
        #expect(given == Displays.StreamOptions(face: .calm, language: "en", isReadOnly: true))
        #expect(try Displays.StreamOptions([:], header: nil, access: .view).isReadOnly)
        #expect(throws: RequestError.self) {
            try Displays.StreamOptions(["face": "clock"], header: nil, access: .control)
        }
    }
}
