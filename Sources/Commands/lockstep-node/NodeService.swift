// SPDX-License-Identifier: Apache-2.0

import API
import Logging
import Mosquitto
import NodeRuntime
import Platform
import Runtime
import ServiceLifecycle
import Session
import Settings
import Synchronization
import UnixSignals
import Web

/// Runs a node as a process: state directory, core, broker connection, local control, HTTP and hooks.
struct NodeService {
    let settings: NodeSettings

    func run() async throws {
        let log = Logger(label: "lockstep-node")
        let openFiles = OpenFiles.raiseLimit()
        let directory = try StateDirectory(settings.stateDirectory)
        if let warning = directory.warning { log.warning("\(warning)") }
        guard let bootID = Clocks.bootID() else {
            throw UsageError("the kernel's boot id cannot be read from /proc/sys/kernel/random/boot_id")
        }
        let identity = NodeIdentity(
            node: settings.node, name: settings.name, role: settings.role == .node ? .node : .display,
            mayPress: settings.role != .display, software: Software.name, bootID: bootID, defaults: settings.defaults)
        let loop = try EventLoop(name: "node")
        let node = Node(identity: identity, space: settings.space, directory: directory, loop: loop, log: log)
        await node.start()
        let words = NotificationWords(language: settings.language)
        let hooks = Hooks(settings: settings, directory: directory, log: log) { words.notification(of: $0) }
        await hooks?.watch(node, isLinkExpected: settings.broker != nil)
        try Files.makeDirectory(Files.folder(of: settings.socket))
        let access = LocalNode(node: node, presets: settings.presets, worksAlone: settings.broker == nil)
        let listeners = try settings.listeners(log: log)
        let linkKeys = listeners.isEmpty ? nil : try PageKeyFile(in: directory)
        if let reason = linkKeys?.unsaved {
            log.warning("links of the pages hold until this node ends", metadata: ["reason": "\(reason)"])
        }
        let kiosk = settings.kiosk(linkKeys, listeners)
        let phones = try PairedPhones(stateDirectory: directory.path, log: log)
        let screen = OwnScreen()
        let control = try ControlServer(
            node: access, path: settings.socket, isForGroup: settings.isSocketForGroup, kiosk: kiosk, screen: screen,
            phones: phones, log: log,
            onReady: { [settings] in
                log.info(
                    "ready",
                    metadata: [
                        "node": "\(settings.node)", "space": "\(settings.space)", "socket": "\(settings.socket)",
                        "broker": "\(settings.broker?.description ?? "none")",
                    ])
                SystemdNotifier.notify("READY=1")
            })
        SleepWatch.start(
            log: log, onSleep: { done in node.fallAsleep(then: done) }, onWake: { node.wakeFromSleep() },
            onLock: { node.noteSuspendLockRefusal($0) })
        let calendar = LedgerCalendar(of: settings.space)
        var services = [control.named("local control")]
        if !listeners.isEmpty {
            services.append(
                HTTPServer(
                    node: access, listeners: listeners, hosts: settings.httpNames, configuredHosts: settings.httpHosts,
                    openFiles: openFiles, kiosk: kiosk, screen: screen, phones: phones, log: log,
                    calendar: { try await calendar.text(at: node.groupTime(at: Clocks.now())) }
                ).named("HTTP server"))
        }
        services += brokerServices(of: node, access, log)
        if let hooks { services.append(HookService(hooks: hooks, node: node).named("hooks")) }
        try await run(services, of: node, on: loop, log)
    }

    /// Returns the services with a connection to the broker: the node's own one, and that of the plain topics.
    private func brokerServices(
        of node: Node, _ access: LocalNode, _ log: Logger
    ) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        let clientID = "lockstep-\(settings.space)-\(settings.node)"
        if let configuration = settings.brokerConfiguration(clientID: clientID) {
            services.append(LinkService(node: node, configuration: configuration).named("link"))
        }
        if settings.hasPlainTopics, settings.broker == nil {
            log.warning("there is no broker for the plain topics; LOCKSTEP_BROKER names it")
        }
        if PlainService.isNeeded(settings),
            let configuration = settings.brokerConfiguration(clientID: clientID + "-plain")
        {
            let plain = PlainService(node, access: access, settings: settings, configuration: configuration, log: log)
            services.append(plain.named("plain topics", endsAlone: true))
        }
        return services
    }

    /// Runs the services until a signal or a failure ends them, and then ends the node.
    private func run(
        _ services: [ServiceGroupConfiguration.ServiceConfiguration], of node: Node, on loop: EventLoop, _ log: Logger
    ) async throws {
        // A group stops its services in reverse order: the last one is notified when the stop begins.
        let stop = StopNotice()
        var group = ServiceGroupConfiguration(
            services: services + [stop.named("stop notice")], gracefulShutdownSignals: [.sigterm, .sigint], logger: log)
        // A person who stops the node waits for about a second.
        group.maximumGracefulShutdownDuration = .milliseconds(800)
        group.logger.logLevel = .error
        let watchdog = Watchdog(on: loop)
        let startupPages = StartupPages.release(on: loop)
        defer { withExtendedLifetime((watchdog, startupPages)) {} }
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as ServiceGroupError where stop.hasBegun.load(ordering: .relaxed) {
            log.warning("the stop took too long", metadata: ["reason": "\(error)"])
        } catch {
            // The service manager starts the node again.
            await node.saveRecentSessions()
            await loop.shutdown()
            throw error
        }
        await node.saveRecentSessions()
        await loop.shutdown()
    }
}

extension Service {
    /// Names the service for logs. Without a name the group prints its fields, keys and passwords included.
    /// - Parameter endsAlone: Whether the service may end while the others go on.
    fileprivate func named(
        _ name: String, endsAlone: Bool = false
    ) -> ServiceGroupConfiguration.ServiceConfiguration {
        .init(service: self, successTerminationBehavior: endsAlone ? .ignore : .cancelGroup, serviceName: name)
    }
}

/// Runs the broker connection; at the stop the node goes offline.
private struct LinkService: Service {
    let node: Node
    let configuration: MQTTConfiguration

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

extension NodeSettings {
    /// The host names under which browsers of this network reach the machine.
    fileprivate var httpNames: Set<String> {
        Set([Self.hostName, "\(Self.hostName).local"] + [http, https].compactMap { $0?.host.lowercased() })
    }

    fileprivate func listeners(log: Logger) throws(SettingError) -> [HTTPListener] {
        var listeners = http.map { [HTTPListener(host: $0.host, port: $0.port)] } ?? []
        if let https {
            let encryption = try encryption(of: https, names: httpNames.union(httpHosts), log: log)
            listeners.append(HTTPListener(host: https.host, port: https.port, encryption: encryption))
        }
        return listeners
    }

    fileprivate func kiosk(_ linkKeys: PageKeyFile?, _ listeners: [HTTPListener]) -> KioskReport {
        KioskReport(
            host: http?.host, port: http?.port, isLoopback: http?.isLoopback ?? true,
            https: https.map {
                HTTPSReport(
                    host: $0.host, port: $0.port, isLoopback: $0.isLoopback,
                    authority: listeners.last?.encryption?.fingerprint)
            }, machine: Self.hostName, names: httpNames.union(httpHosts).sorted(),
            viewKey: linkKeys?.view, controlKey: linkKeys?.control,
            calendarKey: linkKeys?.calendar, needsLocalKey: needsLocalKey)
    }
}

/// Reports to the service manager that the program is stopping.
private final class StopNotice: Service {
    /// Whether the stop was asked for; a service that ends earlier has failed.
    let hasBegun = Atomic(false)

    func run() async throws {
        // An error means that another service has failed, which stops the node as well.
        if (try? await gracefulShutdown()) != nil { hasBegun.store(true, ordering: .relaxed) }
        SystemdNotifier.notify("STOPPING=1")
    }
}

/// Runs the hooks until the node stops.
private struct HookService: Service {
    let hooks: Hooks
    let node: Node

    func run() async throws { await cancelWhenGracefulShutdown { await hooks.run(node) } }
}
