// SPDX-License-Identifier: Apache-2.0

import CAssets
import Glibc
import Joining
import Platform
import Session
import Settings
import TLS

/// Sets mosquitto up on this machine, and undoes that.
struct BrokerSetup {
    let files: BrokerFiles
    let service: MosquittoService

    init(_ files: BrokerFiles) {
        self.files = files
        service = MosquittoService(files: files)
    }

    /// Whether the files are in a folder for tests or for another machine, where nothing is installed.
    private var isStaged: Bool { !files.root.isEmpty }

    // MARK: Set up

    /// Sets the broker of this machine up. The new files are tried first, so that an error there changes none.
    func setUp(_ options: BrokerRequest.Options) async throws {
        let machine = BrokerHosts.here()
        let host: HostName
        if let given = options.host {
            host = try BrokerHosts.host(option: given)
        } else if options.isOnLAN, let address = machine.networkAddresses.first {
            host = address
        } else {
            host = .name("localhost")
        }
        let listener = BrokerListener(
            isEncrypted: options.isEncrypted, host: host, port: options.port ?? (options.isEncrypted ? 8_883 : 1_883))
        guard Endpoint.ports.contains(listener.port) else { throw SetupError(.wrong, "--port is 1 to 65535") }
        let isNew = await !isInstalled("mosquitto")
        let installed = isStaged ? [] : try await installPackages()
        let before = try? files.listener()
        let made: (files: [BrokerFile], notes: [String])
        do {
            let configuration = try files.configuration()
            if !isStaged, configuration.first?.includesFolder != true {
                throw SetupError(
                    "\(files.path(BrokerPath.main)) does not include /etc/mosquitto/conf.d: add the line "
                        + "`\(MosquittoConfiguration.include)`")
            }
            made = try makeFiles(options, listener, machine, beside: configuration)
            try await tryFiles(made.files, configuration)
        } catch {
            let change =
                installed.isEmpty ? "nothing" : "apt-get has installed \(Self.list(installed)), and nothing else"
            throw SetupError("\(error)\n\(change) is changed")
        }
        try await install(made.files, options, isNew: isNew)
        print(
            "The broker listens at \(listener.url)\(options.isOnLAN ? " and on every address of this machine" : "")."
        )
        if options.isOnLAN, !options.isEncrypted {
            CommandLineRunner.say("Without --tls, passwords and sessions cross the LAN in the clear.")
        }
        for note in made.notes { print(note) }
        if let before { tellChange(from: before, to: listener) }
        if options.isOnLAN, options.host == nil {
            print(
                """
                The nodes get the address \(host.text), which is this machine's address today. Where addresses change, have \
                the router keep it,
                or say --host NAME with a name by which they find this machine, before nodes join.
                """)
        }
        await service.invitationsTimer("enable")
        print("Next: sudo lockstep invite NODE, for each machine (this one too).")
    }

    /// Returns the files that setup installs, the configuration last, and what a person should know of them.
    private func makeFiles(
        _ options: BrokerRequest.Options, _ listener: BrokerListener, _ machine: BrokerHosts,
        beside present: [ConfigurationFile]
    ) throws -> (files: [BrokerFile], notes: [String]) {
        var (made, notes): ([BrokerFile], [String]) = ([], [])
        if listener.isEncrypted {
            let certificate = try BrokerCertificate(
                for: listener.host, machine, in: files, at: SystemClock.wallMilliseconds() / 1_000)
            made += certificate.files
            notes.append(
                "Its certificate holds these names and addresses: "
                    + certificate.hosts.map(\.text).joined(separator: " "))
        }
        var list = try files.members()
        if !files.has(BrokerPath.localPassword) || !list.users.contains(MemberList.localUser) {
            let secret = Secret.make()
            list.setPassword(Secret.hash(secret), of: MemberList.localUser)
            made.append(BrokerFile(BrokerPath.localPassword, secret, for: .root))
        }
        if !files.has(BrokerPath.members) { made.append(BrokerFile(BrokerPath.members, "", for: .root)) }
        let access = AccessList.text(of: list, keepsSpacesApart: options.keepsSpacesApart)
        made.append(BrokerFile(BrokerPath.access, access, for: .broker))
        made.append(BrokerFile(BrokerPath.passwords, list.passwordsText, for: .broker))
        if options.isOnLAN { made.append(BrokerFile(BrokerPath.lan, "yes\n", for: .all)) }
        if options.keepsSpacesApart { made.append(BrokerFile(BrokerPath.separate, "yes\n", for: .all)) }
        made.append(BrokerFile(BrokerPath.address, listener.text, for: .all))
        let configuration = MosquittoConfiguration(
            template: Self.template, port: listener.port, isOnLAN: options.isOnLAN, isEncrypted: listener.isEncrypted,
            beside: present)
        made.append(BrokerFile(MosquittoConfiguration.name, configuration.text, for: .all))
        if let note = configuration.note { notes.append(note) }
        return (made, notes)
    }

    /// `Config/mosquitto.conf`, which is embedded in the program.
    private static var template: String {
        let file = mosquitto_configuration()
        return String(decoding: UnsafeBufferPointer(start: file.bytes, count: file.count), as: UTF8.self)
    }

    /// Lets mosquitto try the new files beside the present ones. A staging folder may be for another machine.
    private func tryFiles(_ made: [BrokerFile], _ present: [ConfigurationFile]) async throws {
        let program: String
        do throws(ValueError) {
            program = try PrivateBroker.program()
        } catch {
            guard isStaged else { throw SetupError(error.description) }
            return print("There is no mosquitto here to try it with.")
        }
        try await Trial(files: files, present: present, new: made, program: program).run()
    }

    private func install(_ made: [BrokerFile], _ options: BrokerRequest.Options, isNew: Bool) async throws {
        let stateBefore = files.has(BrokerPath.before) ? nil : await state(isNew: isNew)
        let former = try files.bytes(MosquittoConfiguration.name)
        do {
            if !options.isOnLAN { try files.remove(BrokerPath.lan) }
            if !options.keepsSpacesApart { try files.remove(BrokerPath.separate) }
            for file in made { try files.install(file) }
            if let stateBefore { try files.install(BrokerFile(BrokerPath.before, stateBefore, for: .all)) }
        } catch {
            throw SetupError("\(error)\nnot all files could be installed; when that is repaired, repeat the command")
        }
        if service.hasManager, await !service.systemctl("enable", "--quiet", MosquittoService.unit) {
            throw SetupError("systemctl could not enable mosquitto.service")
        }
        guard await !service.restart() else { return }
        // The former configuration comes back, so that a broker that ran before runs again.
        if let former {
            try files.install(BrokerFile(MosquittoConfiguration.name, former, for: .all))
        } else {
            try files.remove(MosquittoConfiguration.name)
        }
        _ = await service.restart()
        throw SetupError(
            "mosquitto does not start with the new configuration, so the former one is back: sudo journalctl -u mosquitto -n 40"
        )
    }

    /// Returns whether the service is enabled and active before the first setup, for ``undo(program:)``.
    private func state(isNew: Bool) async -> String {
        guard service.hasManager else { return "unknown\n" }
        let isEnabled = await service.systemctl("is-enabled", "--quiet", MosquittoService.unit) && !isNew
        let isActive = await service.systemctl("is-active", "--quiet", MosquittoService.unit) && !isNew
        return (isEnabled ? "enabled\n" : "disabled\n") + (isActive ? "active\n" : "inactive\n")
    }

    /// Says what a change of the address means for members.
    private func tellChange(from before: BrokerListener, to now: BrokerListener) {
        if before.isEncrypted != now.isEncrypted || before.port != now.port {
            CommandLineRunner.say(
                "Nodes that joined with \(before.url) cannot connect any more: revoke and invite them again.")
        } else if before.host != now.host {
            print("Nodes that joined with \(before.urlHost) keep using that name while it leads to this machine.")
        }
    }

    // MARK: Packages

    private func isInstalled(_ package: LineText) async -> Bool {
        let found = try? await Child.run("dpkg-query", ["-W", "-f=${db:Status-Status}", package])
        return found?.output == "installed"
    }

    private static func list(_ packages: [LineText]) -> String { packages.map(\.description).joined(separator: " ") }

    /// Installs the packages that are missing, and returns them.
    private func installPackages() async throws -> [LineText] {
        var missing: [LineText] = []
        for package: LineText in ["mosquitto", "mosquitto-clients"] {
            if await !isInstalled(package) { missing.append(package) }
        }
        guard !missing.isEmpty else { return [] }
        let names = Self.list(missing)
        print("Installing \(names)")
        let apt: [LineText] = [
            "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", "--quiet", "-o", "Dpkg::Use-Pty=0", "-o",
            "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3",
        ]
        for arguments: [LineText] in [["update"], ["install", "--yes", "--no-install-recommends"] + missing] {
            let result = try await Child.run("env", apt + arguments, seconds: 1_800, showsErrors: true)
            guard result.code == 0 else {
                throw SetupError("apt-get could not install \(names); install them, and repeat the command")
            }
        }
        return missing
    }

    // MARK: Undo

    /// Removes what ``setUp(_:)`` installed, except the users and the authority, so that it can be repeated. Before the
    /// former configuration comes back, perhaps without passwords, the store is cleared.
    func undo(program: String) async throws {
        guard files.has(MosquittoConfiguration.name) else {
            throw SetupError("there is nothing to undo: no \(files.path(MosquittoConfiguration.name))")
        }
        let clear = try Self.clearScript(beside: program)
        let (isStopped, process) = await service.stop()
        let arguments = [files.folder, files.user].map { LineText(showing: $0) }
        let cleared = isStopped ? try? await Child.run(clear, arguments, seconds: 300, showsErrors: true) : nil
        guard cleared?.code == 0 else {
            _ = await service.restart()
            throw SetupError("the sessions that mosquitto keeps could not be cleared, so nothing is changed")
        }
        try files.remove(MosquittoConfiguration.name)
        let before = try files.text(BrokerPath.before)?.split(whereSeparator: \.isNewline) ?? []
        if service.hasManager {
            if !before.contains("inactive"), await !service.systemctl("start", MosquittoService.unit) {
                CommandLineRunner.say("mosquitto does not start without it: sudo journalctl -u mosquitto -n 20")
            }
            if before.contains("disabled") { _ = await service.systemctl("disable", "--quiet", MosquittoService.unit) }
        } else if process != nil {
            print("No service manager here: start it again yourself (mosquitto -c \(files.path(BrokerPath.main))).")
        }
        try files.remove(BrokerPath.before)
        await service.invitationsTimer("disable")
        print(
            """
            mosquitto is configured as before, and what Lockstep kept in it is cleared. Users, passwords and the authority are kept
            in \(files.path("lockstep")); setup uses them again.
            """)
    }

    /// Finds the script that clears the store, beside an installed program or in the source tree.
    private static func clearScript(beside program: String) throws -> String {
        let folders = program.split(separator: "/").dropLast()
        func path(up levels: Int, _ rest: String) -> String {
            "/" + (folders.dropLast(levels) + [Substring(rest)]).joined(separator: "/")
        }
        let places =
            [path(up: 1, "lib/lockstep/broker-clear")] + folders.indices.map { path(up: $0, "Deploy/broker-clear") }
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw SetupError("\(places[0]) is missing; install Lockstep again")
        }
        return found
    }
}
