// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import FoundationEssentials
import Glibc
import Logging
import Mosquitto
import NodeRuntime
import Platform
import Runtime
import Session
import Settings
import Synchronization
import Web

/// `lockstep-node remote`: a passing remote, which `lockstep` runs where there is a broker and no node. It joins the
/// space for one command, announces nothing and owns nothing. When it has joined, it prints the path of its control
/// socket; it ends when its standard input does.
struct RemoteCommand: AsyncParsableCommand {
    // Its errors are part of the output of `lockstep`.
    static let configuration = CommandConfiguration(commandName: "lockstep")

    @OptionGroup var broker: BrokerOptions

    @Flag(help: "Print nothing when the broker cannot be reached.")
    var quiet = false

    func run() async throws {
        umask(0o077)
        let environment = ProcessInfo.processInfo.environment
        var values = broker.values
        try values.fill(environment: environment)
        let settings = try NodeSettings(values, environment: environment)
        guard let bootID = Clocks.bootID() else { throw UsageError("the kernel's boot id cannot be read") }
        var log = Logger(label: "lockstep") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        // The broker's access rules bind topics to the user, so a remote with a user has the user's name.
        let user = settings.broker?.user.flatMap(NodeID.init)
        let id = user ?? NodeID("remote-" + RandomKey.suffix()) ?? settings.node
        let identity = NodeIdentity(
            node: id, name: "remote", role: .display, software: Software.name, bootID: bootID, publishesPresence: false)
        // Once joined, the link is retried for ever.
        let joined = Atomic(false)
        let configuration = settings.brokerConfiguration(clientID: "lockstep-remote") {
            !joined.load(ordering: .relaxed)
        }
        guard let configuration else { throw UsageError("no --broker is given") }
        try await EventLoop.withEventLoop(name: "remote") { loop in
            let node = Node(identity: identity, space: settings.space, directory: nil, loop: loop, log: log)
            await node.start()
            async let linked: Void = node.runLink(configuration)
            let problem = await node.waitUntilCaughtUp()
            var failure: (any Error)?
            if let problem {
                let broker = settings.broker?.description ?? "a broker"
                let advice = "lockstep doctor --broker \(broker) says more"
                if !quiet { CommandLineRunner.say("lockstep: \(broker): \(problem); \(advice)") }
                failure = ExitStatus.unreachable.code
            } else {
                joined.store(true, ordering: .relaxed)
                do { try await serve(node, log: log) } catch { failure = error }
            }
            await node.goOffline()
            try? await linked
            if let failure { throw failure }
        }
    }

    /// Serves the node's control socket, in a directory of its own, until standard input ends.
    private func serve(_ node: Node, log: Logger) async throws {
        let directory = try Files.makeTemporaryDirectory("/tmp/lockstep-")
        defer { rmdir(directory) }
        let path = directory + "/node.sock"
        let control = try ControlServer(
            node: LocalNode(node: node, presets: Presets(), worksAlone: false), path: path,
            kiosk: KioskReport(machine: NodeSettings.hostName), log: log
        ) {
            print(path)
            fflush(nil)
        }
        let (ends, input) = AsyncStream.makeStream(of: Never.self)
        try Thread.start(name: "input") {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {}
            input.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try await control.run() }
            try await group.next()
            group.cancelAll()
        }
    }
}
