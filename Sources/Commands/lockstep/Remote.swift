// SPDX-License-Identifier: Apache-2.0

import Commands
import Logging
import Mosquitto
import Session
import Shell
import Synchronization
import Wire

/// A passing remote: it joins the space for one command, shows itself to nobody and owns nothing.
struct Remote: SessionAccess {
    let node: Node

    /// - Parameter isQuiet: Whether nothing is said where the broker is not reached.
    static func run(
        settings: Settings, isQuiet: Bool = false, _ body: (any SessionAccess) async throws -> Void
    ) async throws {
        guard let bootID = Clocks.bootID() else { throw UsageError("the kernel's boot id cannot be read") }
        var log = Logger(label: "lockstep") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        // The broker's rules tie what may be written to the user, so a remote with a user goes by its name.
        let user = settings.broker?.user.flatMap(NodeID.init)
        let id = user ?? NodeID("remote-" + String(UInt32.random(in: 0 ... .max), radix: 36))
        let identity = Session.Configuration(
            node: id ?? settings.node, name: "remote", role: .display, software: Software.name, bootID: bootID,
            isAnnounced: false)
        let reached = Reached()
        let link = settings.link(clientID: "lockstep-remote") { !reached.once.load(ordering: .sequentiallyConsistent) }
        guard let link else { return }
        try await EventLoop.withEventLoop(name: "remote") { loop in
            let node = Node(identity: identity, space: settings.space, directory: nil, loop: loop, log: log)
            await node.start()
            async let linked: Void = node.runLink(link)
            do {
                if let problem = await node.waitUntilSettled() {
                    if isQuiet { throw ExitStatus.unreachable.code }
                    throw Access.unreachable(
                        "no connection to \(settings.broker?.description ?? "a broker"): \(problem)")
                }
                reached.once.store(true, ordering: .sequentiallyConsistent)
                try await body(Remote(node: node))
            } catch {
                await node.goOffline()
                try? await linked
                throw error
            }
            await node.goOffline()
            try? await linked
        }
    }

    func press(_ press: Press) async -> ReplyReport { ReplyReport(await node.press(press)) }

    func take() async -> ReplyReport { ReplyReport(await node.take()) }

    func status() async -> StatusReport { await node.status() }

    func nodes() async -> NodesReport { await node.nodesReport() }

    func views(_ body: (NodeView) async throws -> Void) async throws {
        for await view in await node.views() {
            let now = node.clocks()
            try await body(
                NodeView(
                    view, feeds: await node.feeds, isClockWrong: await node.isClockWrong(at: now),
                    at: await node.groupTime(at: now)))
        }
    }
}

/// Whether the broker was there: a display that is lost from then on tries for ever.
private final class Reached: Sendable {
    let once = Atomic<Bool>(false)
}
