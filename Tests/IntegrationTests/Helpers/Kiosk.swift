// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support
import Testing

/// Two nodes with pages, and browsers.
struct Kiosk {
    let broker: Broker
    let desk: NodeProcess
    let kitchen: NodeProcess
    let peer: Peer
    let browsers: Browsers
    let ports: [String: Int]

    /// Requires Chromium, in which most pages are tested.
    static let requiresChromium = ConditionTrait.requires("chromium", BrowserKind.chromium.isInstalled)

    var browser: Chromium {
        get async throws { try await browsers.chromium }
    }

    static func with(
        kitchenEnvironment: [String: String] = [:], _ body: (Kiosk) async throws -> Void
    ) async throws {
        try await Broker.withBroker { broker in
            let ports = ["desk": Port.free(), "kitchen": Port.free()]
            var nodes: [NodeProcess] = []
            for id in ["desk", "kitchen"] {
                let node = try NodeProcess(
                    id, broker: "mqtt://127.0.0.1:\(broker.port)",
                    options: ["--http", "127.0.0.1:\(ports[id] ?? 0)"],
                    environment: id == "kitchen" ? kitchenEnvironment : [:])
                try await node.start()
                try await Space.waitForBarrier(of: id, at: broker)
                nodes.append(node)
            }
            // A node serves its socket earlier than its page.
            for node in nodes {
                try await eventually("\(node.id) serves its page") { node.log.contains("the kiosk page is served") }
            }
            try await Peer.with(port: broker.port) { peer in
                try await Browsers.with { browsers in
                    do {
                        try await body(
                            Kiosk(
                                broker: broker, desk: nodes[0], kitchen: nodes[1], peer: peer, browsers: browsers,
                                ports: ports))
                    } catch {
                        throw Failed("\(error)\n" + nodes.map { "--- \($0.id)\n\($0.log)" }.joined(separator: "\n"))
                    }
                }
            }
            for node in nodes { try await node.kill() }
        }
    }

    func address(_ node: String, _ path: String = "/") -> String { "http://127.0.0.1:\(ports[node] ?? 0)\(path)" }

    /// Opens the page of a node, and waits for its typefaces.
    ///
    /// After half a second the page draws without them.
    func open(_ node: String, _ query: String = "", width: Int64 = 800, height: Int64 = 480) async throws -> Page {
        let page = try await browser.open(
            address(node, "/?\(query)"), width: width, height: height, script: KioskProbe.script)
        try await page.eventually("the typefaces", "typeof fonts === 'object' && Promise.all(fonts).then(() => true)")
        return page
    }

    /// Opens the remote page of a node, in a window as wide as a phone.
    func openRemote(_ node: String, in kind: BrowserKind) async throws -> any WebPage {
        let page = try await browsers.open(kind, address(node, "/remote?lang=en"), width: 360, height: 640)
        try await page.waitForRemote()
        return page
    }

    /// Presses an operation on a node, without a page.
    func press(_ op: JSON, on node: NodeProcess? = nil) async throws {
        let answer = await (node ?? desk).socket.requestAside("POST", "/v1/intents", body: (["op": op] as JSON).bytes)
        guard answer?.code == 200 else { throw Failed("\(op) was not applied: \(answer?.body ?? .null)") }
    }

    /// Publishes a feed, as a service does, with the present time.
    func feed(_ name: String, _ content: JSON) async throws {
        var feed = content
        feed.v = 1
        feed.at = .number(now())
        try await peer.publish(feed: name, feed.bytes)
    }

    /// Saves a picture in the folder `LOCKSTEP_TEST_PICTURES`, if that is set.
    func keep(_ page: any WebPage, as name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["LOCKSTEP_TEST_PICTURES"] else { return }
        try Data(try await page.picture()).write(to: URL(filePath: "\(folder)/\(name).png"))
    }
}
