// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Client
import FoundationEssentials
import Glibc
import Joining
import Platform
import Session
import Settings
import UnixSignals

/// The options that say whose services join or leave: the machine's, or a person's.
struct JoinScopeOptions: ParsableArguments {
    @Flag(name: .customLong("user"), help: "For yourself, in your own session; without it, for the machine (as root).")
    var isPersonal = false

    @Option(help: .hidden)
    var destdir: String?

    var paths: JoinPaths {
        JoinPaths(
            isPersonal: isPersonal, root: destdir ?? "", environment: ProcessInfo.processInfo.environment)
    }

    /// Refuses to join for a person where the machine has joined, or where another node listens.
    func refuseSecondNode() throws {
        guard isPersonal else { return }
        let (environment, root) = (ProcessInfo.processInfo.environment, destdir ?? "")
        let installation = Installation(environment: environment, root: root)
        if installation.hasMachineJoined {
            throw UsageError(
                "this machine has joined a group already, for everybody on it: sudo usermod -aG lockstep $USER lets you use "
                    + "its node. To join for yourself instead: sudo lockstep leave, then again")
        }
        guard !installation.hasPersonJoined,
            let used = Paths(environment: environment).sockets.map({ root + $0 }).first(where: Installation.isInUse)
        else { return }
        throw UsageError("a node listens on \(used); end it first (Ctrl-C, where lockstep up runs), then join again")
    }

    /// Warns of the nodes of people on this machine: commands of these people do not use the machine's node.
    func warnOfOtherNodes() {
        guard !isPersonal else { return }
        let folder = (destdir ?? "") + "/run/user"
        let people = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for socket in people.sorted().map({ "\(folder)/\($0)/lockstep/node.sock" }) where ControlClient.isServed(socket)
        {
            CommandLineRunner.say(
                """
                Warning: a node of another group listens on \(socket), and that person's commands use it instead of this \
                one. End it: Ctrl-C, where lockstep up runs, or lockstep leave --user.
                """)
        }
    }

    func joining(quiet: Bool) async throws -> Joining {
        if !isPersonal { try MemberCommandSupport.requireRoot(destdir) }
        let paths = paths
        return Joining(
            paths, manager: await ServiceManager(paths), nodeProgram: CompanionExecutable.path(of: "lockstep-node")
        ) { line in if !quiet { print(line) } }
    }
}

/// `lockstep join`: makes this machine a member of a broker.
struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Join a broker by an invitation, or by the address of a broker that you have already.",
        discussion: """
            sudo lockstep invite NAME on the broker's machine prints the whole line. Before anything secret is sent, the \
            broker must show the authority that the invitation names. Then settings are written, the service of the \
            role is started, and the command waits until it is connected. If that fails, files and services are as before.
            For a broker of your own give mqtts://user@host; the password is asked for, or read from --password-file.
            """
    )

    @Argument(
        help: """
            The invitation, or mqtt://[user@]host[:port] or mqtts://…. Without it, or with -, it is read from the terminal \
            or standard input, so that no other user sees it in the list of processes.
            """)
    var invitation: String?
    @OptionGroup var scope: JoinScopeOptions
    @OptionGroup var output: OutputOptions

    @Flag(help: "Then make this machine a kiosk, which shows the display from boot on.")
    var kiosk = false

    @OptionGroup(title: "With the address of a broker")
    var own: OwnBrokerOptions

    func validate() throws {
        guard kiosk else { return }
        if scope.isPersonal { throw ValidationError("--kiosk is for the whole machine; leave out --user") }
        if output.json {
            throw ValidationError("--kiosk prints no JSON; join with --json, then run lockstep kiosk enable")
        }
    }

    func run() async throws {
        let request = try request()
        guard !kiosk || request.role.service == .node else {
            throw UsageError(
                "--kiosk is for a node, remote or display; a member of the role \(request.role) shows no page")
        }
        if request.role.service == .node { try scope.refuseSecondNode() }
        let joining = try await scope.joining(quiet: output.json)
        let report = try await MemberCommandSupport.orExit(json: output.json) {
            try await Self.cancelledByInterrupt { try await joining.join(request) }
        }
        if output.json {
            print(CommandOutput.json(report))
        } else if let next = report.next {
            print("Joined, but no service manager runs here. To start it: \(next)")
        } else {
            print("\(report.node) is connected to \(report.broker) and starts by itself (\(report.service)).")
        }
        if request.role.service == .node { scope.warnOfOtherNodes() }
        if kiosk { try CompanionExecutable.become("lockstep", ["kiosk", "enable"]) }
    }

    /// Runs `body`; an interrupt cancels it, and it still undoes what it began.
    private static func cancelledByInterrupt<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sighup])
        // In a task of its own, so that the task that waits for signals can cancel it.
        let work = Task { try await body() }
        // In a task of its own, since the signals end only when this function returns and cancels it.
        let watch = Task { for await _ in signals { work.cancel() } }
        defer { watch.cancel() }
        return try await work.value
    }

    /// Returns the argument, or else a line of standard input.
    private func readInvitation() throws -> String {
        if let invitation, invitation != "-" { return invitation }
        if isatty(STDIN_FILENO) == 1 { CommandLineRunner.say("Paste the invitation:") }
        let words = readLine()?.split(separator: " ") ?? []
        guard let invitation = words.first(where: { !$0.hasPrefix("-") }), words.count == 1 else {
            throw UsageError("the invitation is missing: give it, or write it to standard input as one line")
        }
        return String(invitation)
    }

    private func request() throws -> JoinRequest {
        let invitation = try readInvitation()
        guard invitation.contains("://") else {
            if own.isGiven { throw UsageError("an invitation has its node, role, space and password already") }
            do {
                return try JoinRequest(try JoinToken.decode(invitation))
            } catch {
                throw UsageError("\(error)")
            }
        }
        return try own.request(to: invitation)
    }
}

/// The options for joining by the address of a broker, without an invitation.
struct OwnBrokerOptions: ParsableArguments {
    @Option(
        help: "A file of mode 600 with the password (default: asked for on the terminal).", completion: .file())
    var passwordFile: String?

    @Option(help: "The certificate authority to trust (default: those of the operating system).", completion: .file())
    var tlsCA: String?

    @Option(help: "The node's id (default: the user of the address, else the host's name).")
    var node: String?

    @Option(help: "node, remote, display, calm or debt (default: node).")
    var role: MemberRole?

    @Option(help: "The space (default: home).")
    var space: String?

    var isGiven: Bool { [passwordFile, tlsCA, node, space].contains { $0 != nil } || role != nil }

    func request(to address: String) throws -> JoinRequest {
        var broker: BrokerAddress
        do throws(ValueError) {
            broker = try BrokerAddress(address)
        } catch {
            throw UsageError("\(error)")
        }
        guard broker.password == nil else {
            throw UsageError(
                "a password on a command line can be read by every user of this machine; leave it out and you are asked"
            )
        }
        var trust = JoinRequest.Trust.system
        if let tlsCA {
            guard broker.isEncrypted else { throw UsageError("--tls-ca is for an address that begins with mqtts://") }
            trust = .certificates(Array(try read(tlsCA).utf8))
        }
        let name = node ?? broker.user.flatMap(NodeID.init)?.rawValue
        guard let id = try name.map({ NodeID($0) }) ?? NodeSettings.hostNode() else {
            throw UsageError("--node is \(NodeSettings.nameRule)")
        }
        let spaceID = space.map { SpaceID($0) }
        // Two optionals: the outer one is `nil` if no space is given, the inner one if it is invalid.
        if let spaceID, spaceID == nil { throw UsageError("--space is \(NodeSettings.nameRule)") }
        return JoinRequest(
            broker: broker, trust: trust, role: role ?? .node, space: spaceID ?? nil, node: id,
            password: try password(for: broker))
    }

    private func password(for broker: BrokerAddress) throws -> LineText? {
        guard let text = try givenPassword(for: broker) else { return nil }
        guard let password = LineText(line: text) else {
            throw UsageError("the password has a control character, which no file of one line can hold")
        }
        return password
    }

    private func givenPassword(for broker: BrokerAddress) throws -> String? {
        if let passwordFile {
            do throws(ValueError) {
                return try NodeSettings.password(in: passwordFile)
            } catch {
                throw UsageError("\(error)")
            }
        }
        guard let user = broker.user else { return nil }
        let name = LineText(showing: user)
        guard isatty(STDIN_FILENO) == 1 else { throw UsageError("the password of \(name) is missing: --password-file") }
        guard let password = getpass("Password of \(name) at \(broker): ") else { throw ExitStatus.usage.code }
        return String(cString: password)
    }

    private func read(_ path: String) throws -> String {
        do throws(FileError) {
            return String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw UsageError("\(error)")
        }
    }
}

extension MemberRole: ExpressibleByArgument {}
