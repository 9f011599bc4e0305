// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import FoundationEssentials
import Glibc
import Shell
import Subprocess
import SystemPackage
import UnixSignals
import Web

/// `lockstep up`: everything on this machine, with nothing to set up first.
struct Up: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Runs a broker of one's own on loopback, a node, the calm service and the debt service, until Ctrl-C.",
        discussion: """
            The broker keeps what it knows in the state directory, so the next lockstep up goes on where this one ended; \
            should it end by itself, it is started again. It serves this machine only; README tells how to set one up for \
            others. The microphone stays off unless you say --listen, and then only levels leave the process that listens.
            """
    )

    @OptionGroup var options: NodeOptions

    @Option(help: "The broker's port on 127.0.0.1 (default: the one of last time, else any free one).")
    var port: Int?

    @Flag(help: "Listen to the microphone, for how calm it is; only levels leave the process that does.")
    var listen = false

    func validate() throws {
        if let port, !(1...65_535).contains(port) { throw ValidationError("--port is 1 to 65535") }
        if options.values.isGiven(.broker) {
            throw ValidationError("lockstep up runs a broker of its own; for another one, say lockstep node --broker …")
        }
    }

    func run() async throws {
        umask(0o077)
        var environment = ProcessInfo.processInfo.environment
        for name in Self.ofAnotherBroker { environment[name] = nil }
        var values = options.values
        try values.fill(environment: environment)
        let settings = try Settings(values, environment: environment)
        if ControlClient.isServed(settings.socket) { throw UsageError("\(ControlError.taken(settings.socket))") }
        // From here on, or an interrupt meanwhile would leave the broker behind.
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sighup])
        let broker: PrivateBroker
        do throws(PrivateBrokerError) {
            broker = try PrivateBroker(directory: settings.stateDirectory + "/broker", port: port)
        } catch {
            throw UsageError("\(error)")
        }
        do {
            try await broker.run(onEnd: Self.sayBrokerEnded) { [listen] address in
                try await Self.runAll(settings: settings, address: address, listens: listen, until: signals)
            }
        } catch let error as PrivateBrokerError {
            CommandLineRunner.say("lockstep up: \(error)")
            throw ExitStatus.unreachable.code
        }
    }

    /// What a person may have set for the broker that they use otherwise.
    private static let ofAnotherBroker = [
        Setting.broker, .passwordFile, .tlsCA, .tlsCertificate, .tlsKey,
    ].map(\.rawValue)

    private enum Step {
        case served
        case askedToEnd
        case ended(TerminationStatus)
        /// What one can do without has ended.
        case left(String, TerminationStatus)
    }

    private static func runAll(
        settings: Settings, address: BrokerAddress, listens: Bool, until signals: UnixSignalsSequence
    ) async throws {
        try await withThrowingTaskGroup(of: Step.self) { group in
            group.addTask { .ended(try await node(settings: settings, address: address)) }
            // Without it there is no calm, and everything else.
            if access(Sibling.path(of: calm), X_OK) == 0 {
                group.addTask { .left("the calm service", try await calmService(settings, address)) }
                if listens { group.addTask { .left("the microphone", try await microphone(settings, address)) } }
            }
            if access(Sibling.path(of: debt), X_OK) == 0 {
                group.addTask { .left("the debt service", try await debtService(settings, address)) }
            }
            group.addTask {
                for await _ in signals { break }
                return .askedToEnd
            }
            group.addTask {
                while !ControlClient.isServed(settings.socket) { try await Task.sleep(for: .milliseconds(10)) }
                return .served
            }
            while let step = try await group.next() {
                switch step {
                case .served: greet(settings: settings, address: address)
                case .left(let what, let status):
                    CommandLineRunner.say("lockstep up: \(what) has ended by itself: \(status)")
                case .askedToEnd:
                    group.cancelAll()
                    while await group.nextResult() != nil {}
                case .ended(let status):
                    group.cancelAll()
                    if case .exited(let code) = status {
                        // It has said why.
                        if code == 0 { return } else { throw ExitCode(code) }
                    }
                    CommandLineRunner.say("lockstep up: the node has ended by itself: \(status)")
                    throw ExitCode.failure
                }
            }
        }
    }

    private static func sayBrokerEnded(_ status: String) {
        CommandLineRunner.say("lockstep up: the broker has ended by itself (\(status)) and is started again")
    }

    private static func node(settings: Settings, address: BrokerAddress) async throws -> TerminationStatus {
        let arguments: [String] =
            [
                "--broker", "\(address)", "--space", "\(settings.space)", "--node", "\(settings.node)", "--name",
                settings.name, "--state-dir", settings.stateDirectory, "--socket", settings.socket, "--log-level",
                "warning",
            ] + http(settings) + [
                // The settings file of this machine's node is made for the broker that it names.
                "--config", "/dev/null",
            ]
        return try await run("lockstep-node", arguments)
    }

    private static let calm = "lockstep-calm"

    private static func calmService(_ settings: Settings, _ address: BrokerAddress) async throws -> TerminationStatus {
        try await run(
            calm,
            [
                "--broker", "\(address)", "--space", "\(settings.space)", "--node", "calm", "--state-dir",
                settings.stateDirectory + "/calm", "--log-level", "warning",
            ])
    }

    private static let debt = "lockstep-debt"

    private static func debtService(_ settings: Settings, _ address: BrokerAddress) async throws -> TerminationStatus {
        try await run(
            debt,
            [
                "--broker", "\(address)", "--space", "\(settings.space)", "--node", "debt", "--state-dir",
                settings.stateDirectory + "/debt", "--log-level", "warning",
            ])
    }

    private static func microphone(_ settings: Settings, _ address: BrokerAddress) async throws -> TerminationStatus {
        try await run(
            calm,
            [
                "listen", "--broker", "\(address)", "--space", "\(settings.space)", "--node", "\(settings.node)",
                "--log-level", "warning",
            ])
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> TerminationStatus {
        var options = PlatformOptions()
        // A group of its own: Ctrl-C is ours, and all else is ended before the broker.
        options.processGroupID = 0
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        return try await Subprocess.run(
            .path(FilePath(Sibling.path(of: program))), arguments: Arguments(arguments),
            environment: .inherit.updating(
                Dictionary(uniqueKeysWithValues: ofAnotherBroker.map { (.init(stringLiteral: $0), nil) })),
            platformOptions: options, input: .none,
            output: .currentStandardOutput, error: .currentStandardError
        ).terminationStatus
    }

    private static func http(_ settings: Settings) -> [String] {
        settings.http.map { ["--http", "\($0)"] } ?? []
    }

    private static func greet(settings: Settings, address: BrokerAddress) {
        let paths = Paths(environment: ProcessInfo.processInfo.environment)
        let isDefault = paths.sockets.contains(settings.socket)
        let option = isDefault ? "" : " --socket \(settings.socket)"
        let ledger =
            settings.stateDirectory == paths.stateDirectory ? "" : " --state-dir \(settings.stateDirectory)/debt"
        let page =
            settings.http.map { http in
                http.isLoopback && !settings.needsLocalKey
                    ? "The page for browsers: http://\(http)/"
                    : "The page for browsers on http://\(http)/ needs a link with a key: lockstep kiosk\(option)"
            } ?? "A page for browsers: lockstep up --http 127.0.0.1:\(HTTPAddress.usualPort)"
        print(
            """
            Lockstep is up: node \(settings.node), space \(settings.space), broker \(address).
            \(page)

            In another terminal:
              lockstep start Reading --for 25m\(option)
              lockstep watch\(option)
              lockstep pause\(option)
              lockstep calm\(option)
              lockstep debt\(ledger)

            A second node on this machine:
              lockstep node --broker \(address) --node second --state-dir /tmp/lockstep-second \
            --socket /tmp/lockstep-second/node.sock

            What goes over the wire:
              mosquitto_sub -p \(address.port) -v -t 'lockstep/#'

            Ctrl-C ends node and broker; a running session goes on by date.
            """)
        fflush(nil)
    }
}
