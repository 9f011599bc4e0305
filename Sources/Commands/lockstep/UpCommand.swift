// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import FoundationEssentials
import Glibc
import Joining
import Platform
import Settings
import Subprocess
import SystemPackage
import UnixSignals

/// `lockstep up`: runs a broker, a node and the services for this machine alone.
struct UpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Run a private broker on loopback, a node, the calm service and the debt service, until Ctrl-C.",
        discussion: """
            The broker keeps its retained messages in the state directory, so the next lockstep up continues where this \
            one ended. If the broker ends by itself, it is started again. It serves this machine only, without passwords: \
            every user of the machine can read and control the session. For several machines: lockstep broker setup --help. \
            Where this machine has joined a group, or a node runs, up ends with exit code 3. The microphone stays off without \
            --listen; with it, only levels leave the process that listens.
            """
    )

    @OptionGroup var options: NodeOptions

    @Option(help: "The space, 1 to 32 of a-z, 0-9 and - (default: home). LOCKSTEP_SPACE")
    var space: String?

    @Option(help: .hidden)
    var broker: String?

    @Option(help: "The broker's port on 127.0.0.1 (default: the port of last time, else any free one).")
    var port: Int?

    @Flag(help: "Listen to the microphone to measure how calm it is; only levels leave the process that listens.")
    var listen = false

    @Flag(help: "Start a second group beside the one that this machine belongs to.")
    var separate = false

    func validate() throws {
        if let port, !Endpoint.ports.contains(port) { throw ValidationError("--port is 1 to 65535") }
        if broker != nil {
            throw ValidationError("lockstep up runs a broker of its own; for another one, use lockstep node --broker …")
        }
    }

    func run() async throws {
        umask(0o077)
        var environment = ProcessInfo.processInfo.environment
        for setting in Setting.ofBroker { environment[setting.rawValue] = nil }
        var values = options.values
        values.set(.space, option: "--space", to: space)
        try values.fill(environment: environment)
        let file = Paths(environment: environment).settings(of: .node)
        // A second group has the defaults: the file is of the first one's node.
        if !separate, access(file, R_OK) == 0 { try values.fill(file: file, except: Setting.ofBroker) }
        let settings = try NodeSettings(values, environment: environment)
        if listen, !CompanionExecutable.isInstalled("lockstep-calm") {
            throw UsageError(
                "--listen needs the program \(CompanionExecutable.path(of: "lockstep-calm")); "
                    + "install the package again, or leave --listen out")
        }
        if !separate { try Self.refuseSecondGroup(environment) }
        try UpPlaces.check(settings, port: port)
        // Trapped before the broker starts: an interrupt in between would leave the broker behind.
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sighup])
        let broker: PrivateBroker
        do throws(ValueError) {
            broker = try PrivateBroker(directory: settings.stateDirectory + "/broker", port: port)
        } catch {
            throw UsageError("\(error)")
        }
        do {
            try await broker.run(onEnd: { status in
                CommandLineRunner.say("lockstep up: the broker has ended by itself (\(status)) and is started again")
            }) { [listen, separate, isQuiet = !values.isGiven(.logLevel)] address in
                try await Children(
                    settings: settings, address: address, listens: listen, isSeparate: separate, isQuiet: isQuiet
                ).run(until: signals)
            }
        } catch let error as ValueError {
            throw ExitStatus.unreachable.printing("\(error)")
        }
    }

    private static func refuseSecondGroup(_ environment: [String: String]) throws {
        let node = Paths(environment: environment).sockets.first(where: Installation.isInUse)
        guard let reason = Installation(environment: environment).reasonAgainstUp(node: node.map(UpPlaces.named)) else {
            return
        }
        throw ExitStatus.refused.printing(reason)
    }
}

/// The programs that `lockstep up` runs.
private struct Children: Sendable {
    let settings: NodeSettings
    let address: BrokerAddress
    let listens: Bool
    let isSeparate: Bool
    /// Whether only warnings are logged.
    let isQuiet: Bool

    /// An event for which `run` waits.
    private enum Event {
        case served
        case interrupted
        case nodeEnded(TerminationStatus)
        case serviceEnded(String, TerminationStatus)
    }

    func run(until signals: UnixSignalsSequence) async throws {
        try await withThrowingTaskGroup(of: Event.self) { group in
            group.addTask { .nodeEnded(try await node()) }
            if CompanionExecutable.isInstalled("lockstep-calm") {
                group.addTask { .serviceEnded("the calm service", try await service("calm")) }
                if listens { group.addTask { .serviceEnded("the microphone", try await microphone()) } }
            }
            if CompanionExecutable.isInstalled("lockstep-debt") {
                group.addTask { .serviceEnded("the debt service", try await service("debt")) }
            }
            group.addTask {
                for await _ in signals { break }
                return .interrupted
            }
            group.addTask {
                while !ControlClient.isServed(settings.socket) { try await Task.sleep(for: .milliseconds(10)) }
                return .served
            }
            while let event = try await group.next() {
                switch event {
                case .served: greet()
                case .serviceEnded(let name, let status):
                    CommandLineRunner.say("lockstep up: \(name) has ended by itself: \(status)")
                case .interrupted:
                    group.cancelAll()
                    while await group.nextResult() != nil {}
                case .nodeEnded(let status):
                    group.cancelAll()
                    if case .exited(let code) = status {
                        // The node has printed the reason.
                        if code == 0 { return } else { throw ExitCode(code) }
                    }
                    CommandLineRunner.say("lockstep up: the node has ended by itself: \(status)")
                    throw ExitCode.failure
                }
            }
        }
    }

    private func node() async throws -> TerminationStatus {
        // With a broker on its command line, a node leaves out what its settings file says of another one.
        let options =
            ["--name", settings.name, "--socket", settings.socket] + (isSeparate ? ["--config", "/dev/null"] : [])
        return try await start(
            "lockstep-node", named: "\(settings.node)", directory: settings.stateDirectory,
            options + .options(["--http": settings.http?.description, "--https": settings.https?.description]))
    }

    private func service(_ name: String) async throws -> TerminationStatus {
        try await start("lockstep-" + name, named: name, directory: settings.stateDirectory + "/" + name)
    }

    private func microphone() async throws -> TerminationStatus {
        try await start("lockstep-calm", ["listen"], named: "\(settings.node)")
    }

    private func start(
        _ program: String, _ subcommand: [String] = [], named node: String, directory: String? = nil,
        _ more: [String] = []
    ) async throws -> TerminationStatus {
        var options = PlatformOptions()
        // In a process group of its own, since Ctrl-C must end the children before the broker.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        let arguments =
            subcommand + ["--broker", "\(address)", "--space", "\(settings.space)", "--node", node]
            + .options(["--state-dir": directory, "--log-level": isQuiet ? "warning" : nil]) + more
        return try await Subprocess.run(
            .path(FilePath(CompanionExecutable.path(of: program))), arguments: Arguments(arguments),
            environment: .inherit.updating(
                Dictionary(
                    uniqueKeysWithValues: Setting.ofBroker.map { (.init(stringLiteral: $0.rawValue), nil) })),
            platformOptions: options, input: .none,
            output: .currentStandardOutput, error: .currentStandardError
        ).terminationStatus
    }

    private func greet() {
        let paths = Paths(environment: ProcessInfo.processInfo.environment)
        let option = paths.sockets.contains(settings.socket) ? "" : " --socket \(settings.socket)"
        let ledger =
            settings.stateDirectory == paths.stateDirectory ? "" : " --state-dir \(settings.stateDirectory)/debt"
        let services = [("calm", option), ("debt", ledger)]
            .filter { CompanionExecutable.isInstalled("lockstep-\($0.0)") }
            .map { "  lockstep \($0)\($1)\n" }.joined()
        let pages = [settings.http.map { ("http", $0) }, settings.https.map { ("https", $0) }].compactMap(\.self)
            .map { scheme, address in
                address.isLoopback && !settings.needsLocalKey
                    ? "The page for browsers: \(scheme)://\(address)/"
                    : "The page for browsers on \(scheme)://\(address)/ needs a link with a key: lockstep kiosk\(option)"
            }
        let second = settings.stateDirectory + "-second"
        let page =
            pages.isEmpty
            ? """
            A page for browsers: end this one, then:
              \(UpPlaces.commandLine(with: ["--http": "127.0.0.1:\(HTTPAddress.usualPort)"]))
            """
            : pages.joined(separator: "\n")
        print(
            """
            Lockstep is up: node \(settings.node), space \(settings.space), broker \(address).
            \(page)

            In another terminal:
              lockstep start Reading --for 25m\(option)
              lockstep watch\(option)
              lockstep pause\(option)
            \(services)
            A second node on this machine:
              lockstep node --broker \(address) --node second --state-dir \(second) \
            --socket \(second)/node.sock
              lockstep watch --socket \(second)/node.sock

            What goes over the wire:
              mosquitto_sub -p \(address.port) -v -t 'lockstep/#'

            Ctrl-C ends node and broker; a running session counts on, and the next lockstep up shows it.
            """)
        fflush(nil)
    }
}
