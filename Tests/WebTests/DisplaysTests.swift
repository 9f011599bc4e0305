// SPDX-License-Identifier: Apache-2.0

import Display
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Synchronization
import Testing

@testable import Web

@Suite struct DisplaysTests {
    private static let wish = Displays.Wish(face: .focus, language: "en", isReadOnly: false)

    @Test func fiveHundredPagesHaveRoomAndNoMore() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        var ids: [Int] = []
        for _ in 0..<Displays.most {
            ids.append(try #require(await displays.join(Self.wish, as: .local, on: channel)).id)
        }
        #expect(await displays.join(Self.wish, as: .local, on: channel) == nil)
        await displays.leave(ids[0])
        #expect(await displays.count == Displays.most - 1)
        #expect(await displays.join(Self.wish, as: .local, on: channel) != nil)
    }

    @Test func pagesWithOneKeyLeaveRoomForTheOtherKeyAndForThisMachine() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        func opened(as viewer: Displays.Viewer) async -> Int {
            var count = 0
            while await displays.join(Self.wish, as: viewer, on: channel) != nil { count += 1 }
            return count
        }
        #expect(await opened(as: .key(.view)) == Displays.mostOfOneKey)
        #expect(await !displays.hasRoom(for: .key(.view)))
        #expect(await opened(as: .key(.control)) == Displays.most - Displays.mostOfOneKey - Displays.keptForLocal)
        #expect(await opened(as: .local) == Displays.keptForLocal)
        #expect(await displays.count == Displays.most)
    }

    @Test func aPageIsToldAtOnceHowThingsStand() async throws {
        let displays = Displays(node: FakeNode())
        let channel = NIOAsyncTestingChannel()
        #expect(await displays.join(Self.wish, as: .local, on: channel) != nil)
        guard case .body(let event) = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self) else {
            Issue.record("the first is no timeline")
            return
        }
        let text = String(buffer: event)
        #expect(text.hasPrefix("event: timeline\ndata: {") && text.hasSuffix("}\n\n"))
        #expect(text.contains(#""status":"idle""#) && text.contains(#""boot":1000"#))
    }

    @Test func aPageThatComesLaterIsToldThePresentInstant() async throws {
        let node = FakeNode()
        let displays = Displays(node: node)
        for boot: Int64 in [1_000, 61_000] {
            node.boot.withLock { $0 = boot }
            let channel = NIOAsyncTestingChannel()
            #expect(await displays.join(Self.wish, as: .local, on: channel) != nil)
            let part = try await channel.waitForOutboundWrite(as: HTTPResponsePart.self)
            guard case .body(let event) = part else {
                Issue.record("the first is no timeline")
                return
            }
            #expect(String(buffer: event).contains("\"boot\":\(boot)"))
        }
    }

    @Test func theStreamEndsWithItsPageAndWithTheNode() async throws {
        let displays = Displays(node: FakeNode())
        let (gone, stays) = (NIOAsyncTestingChannel(), NIOAsyncTestingChannel())
        let first = try #require(await displays.join(Self.wish, as: .local, on: gone))
        let second = try #require(await displays.join(Self.wish, as: .local, on: stays))
        try await gone.close()
        for await _ in first.end {}
        await displays.close()
        for await _ in second.end {}
        #expect(await displays.count == 0)
    }

    @Test func wishesComeFromTheQueryThenFromTheBrowser() throws {
        let plain = try Displays.Wish([:], header: nil, access: .control)
        #expect(plain == Self.wish)
        let given = try Displays.Wish(["face": "calm", "lang": "en", "controls": "0"], header: "de", access: .control)
        #expect(given == Displays.Wish(face: .calm, language: "en", isReadOnly: true))
        #expect(try Displays.Wish([:], header: nil, access: .view).isReadOnly)
        #expect(throws: Refused.self) { try Displays.Wish(["face": "clock"], header: nil, access: .control) }
    }
}
