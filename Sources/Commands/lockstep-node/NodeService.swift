// SPDX-License-Identifier: Apache-2.0

import Commands
import Logging
import Mosquitto
import ServiceLifecycle
import Session
import Shell
import UnixSignals
import Web
import Wire

/// Wires a node up: state directory, engine, broker, local control.
struct NodeService {
    let settings: Settings

    func run() async throws {
        let log = Logger(label: "lockstep-node")
        let openFiles = OpenFiles.raiseLimit()
        let directory = try StateDirectory(settings.stateDirectory)
        guard let bootID = Clocks.bootID() else { throw NodeServiceError.noBootID }
        let identity = Session.Configuration(
            node: settings.node, name: settings.name, software: Software.name, bootID: bootID,
            defaults: settings.defaults)
        let loop = try EventLoop(name: "node")
        let node = Node(identity: identity, space: settings.space, directory: directory, loop: loop, log: log)
        await node.start()
        let hooks = hooks(directory: directory, log: log)
        await hooks?.watch(node, isLinkExpected: settings.broker != nil)
        try Self.makeSocketDirectory(settings.socket)
        let access = LocalNode(node: node, presets: settings.presets, worksAlone: settings.broker == nil)
        let secrets = try settings.http.map { _ in try HTTPSecrets(in: directory) }
        let control = try ControlServer(
            node: access, path: settings.socket, kiosk: settings.kiosk(secrets), log: log,
            onReady: { [settings] in
                log.info(
                    "ready",
                    metadata: [
                        "node": "\(settings.node)", "space": "\(settings.space)", "socket": "\(settings.socket)",
                        "broker": "\(settings.broker?.description ?? "none")",
                    ])
                Readiness.notify("READY=1")
            })
        SleepWatch.start(
            log: log, onSleep: { done in node.fallAsleep(then: done) }, onWake: { node.wakeFromSleep() },
            onLock: { node.suspendLock(refusedBecause: $0) })
        var services = [control.named("local control")]
        if let http = settings.http {
            services.append(
                HTTPServer(
                    node: access, host: http.host, port: http.port, hosts: settings.httpNames,
                    givenHosts: settings.httpHosts, openFiles: openFiles,
                    kiosk: settings.kiosk(secrets), log: log
                ).named("HTTP server"))
        }
        if let link = settings.link(clientID: "lockstep-\(settings.space)-\(settings.node)") {
            services.append(LinkService(node: node, configuration: link).named("link"))
        }
        if let hooks { services.append(HookService(hooks: hooks).named("hooks")) }
        var group = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        // Systemd's and a person's patience both end at about a second.
        group.maximumGracefulShutdownDuration = .milliseconds(800)
        group.logger.logLevel = .error
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as ServiceGroupError {
            log.warning("ended in a hurry", metadata: ["reason": "\(error)"])
        }
        Readiness.notify("STOPPING=1")
        await loop.shutdown()
    }

    private func hooks(directory: StateDirectory, log: Logger) -> Hooks? {
        let words = NotificationWords(language: settings.language)
        return Hooks(settings: settings, directory: directory, log: log) { words.notification(of: $0) }
    }

    private static func makeSocketDirectory(_ socket: String) throws {
        guard let slash = socket.lastIndex(of: "/"), slash != socket.startIndex else { return }
        try PrivateDirectory.make(String(socket[..<slash]))
    }
}

extension Service {
    /// With a name for errors and the log: without one the group takes the service's fields, keys and passwords with
    /// them, in words.
    fileprivate func named(_ name: String) -> ServiceGroupConfiguration.ServiceConfiguration {
        .init(service: self, serviceName: name)
    }
}

/// The connection to the broker, from start to goodbye.
private struct LinkService: Service {
    let node: Node
    let configuration: Mosquitto.Configuration

    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask {
                guard (try? await gracefulShutdown()) != nil else { return }
                await node.goOffline()
            }
            try await node.runLink(configuration)
            group.cancelAll()
        }
    }
}

extension Settings {
    /// The names of this machine.
    fileprivate var httpNames: Set<String> {
        [Self.hostName, "\(Self.hostName).local", http?.host.lowercased() ?? ""]
    }

    fileprivate func kiosk(_ secrets: HTTPSecrets?) -> KioskReport {
        KioskReport(
            host: http?.host, port: http?.port, isLoopback: http?.isLoopback ?? true, machine: Self.hostName,
            viewKey: secrets?.view, controlKey: secrets?.control, needsLocalKey: needsLocalKey)
    }
}

/// User hooks, as long as the node is there.
private struct HookService: Service {
    let hooks: Hooks

    func run() async throws { await cancelWhenGracefulShutdown { await hooks.run() } }
}

private enum NodeServiceError: Error, CustomStringConvertible {
    case noBootID

    var description: String { "the kernel's boot id cannot be read from /proc/sys/kernel/random/boot_id" }
}
