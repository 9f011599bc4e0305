// SPDX-License-Identifier: Apache-2.0

import Foundation
import Support

/// Two nodes with kiosk pages, and a browser.
struct Kiosk {
    let broker: Broker
    let desk: NodeProcess
    let kitchen: NodeProcess
    let browser: Browser
    let ports: [String: Int]

    static func with(_ body: (Kiosk) async throws -> Void) async throws {
        try await Broker.withBroker { broker in
            let ports = ["desk": Port.free(), "kitchen": Port.free()]
            var nodes: [NodeProcess] = []
            for id in ["desk", "kitchen"] {
                let node = try NodeProcess(
                    id, broker: "mqtt://127.0.0.1:\(broker.port)",
                    options: ["--http", "127.0.0.1:\(ports[id] ?? 0)"])
                try await node.start()
                nodes.append(node)
            }
            try await Browser.with { browser in
                do {
                    try await body(
                        Kiosk(broker: broker, desk: nodes[0], kitchen: nodes[1], browser: browser, ports: ports))
                } catch {
                    throw Failed("\(error)\n" + nodes.map { "--- \($0.id)\n\($0.log)" }.joined(separator: "\n"))
                }
            }
            for node in nodes { try await node.kill() }
        }
    }

    func address(_ node: String, _ path: String = "/") -> String { "http://127.0.0.1:\(ports[node] ?? 0)\(path)" }

    /// Opens the page of a node.
    func open(_ node: String, _ query: String = "", width: Int64 = 800, height: Int64 = 480) async throws -> Page {
        try await browser.open(address(node, "/?\(query)"), width: width, height: height)
    }

    /// Keeps a picture for people, where one is wanted.
    func keep(_ page: Page, as name: String) async throws {
        guard let folder = ProcessInfo.processInfo.environment["LOCKSTEP_TEST_PICTURES"] else { return }
        try Data(try await page.picture()).write(to: URL(filePath: "\(folder)/\(name).png"))
    }
}
