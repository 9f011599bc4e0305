// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Platform
package import Session
package import Settings

/// Joins this machine, or a person on it, to a broker, and undoes that.
package struct Joining: Sendable {
    private let paths: JoinPaths
    private let manager: ServiceManager?
    /// The path of `lockstep-node`.
    private let nodeProgram: String
    /// Reports progress to a person.
    private let say: @Sendable (LineText) -> Void

    /// The seconds that a started service has to connect. On a machine with a load of 15, 20 were too few.
    private static let timeout = 45

    package init(
        _ paths: JoinPaths, manager: ServiceManager?, nodeProgram: String, say: @escaping @Sendable (LineText) -> Void
    ) {
        self.paths = paths
        self.manager = manager
        self.nodeProgram = nodeProgram
        self.say = say
    }

    // MARK: Join

    /// Joins, and waits until the service is connected. If that fails, files and services are as before.
    package func join(_ request: JoinRequest) async throws(SetupError) -> JoinReport {
        do {
            let folder = try JoinFolder(paths)
            defer { folder.remove() }
            if await undoBegun(folder) { say("A join that did not come to its end was undone.") }
            return try await join(request, folder)
        } catch {
            // A step that an interrupt cancels fails for a reason of its own.
            if Task.isCancelled { throw SetupError(.interrupted, "interrupted; nothing is changed") }
            throw (error as? SetupError) ?? SetupError("\(error)")
        }
    }

    /// Logs in as the node, then changes files and services, and undoes these changes after an error.
    private func join(_ request: JoinRequest, _ folder: JoinFolder) async throws -> JoinReport {
        let service = request.role.service
        let unit = LineText(showing: "lockstep-\(service).service")
        let files = paths.files(of: service)
        try checkSettings(files)
        let owner = try paths.owner()
        if let manager, await !manager.has(unit) {
            throw SetupError("the service lockstep-\(service) is not installed on this machine")
        }
        var request = request
        let authority = try await authority(for: &request)
        let probeSettings = try prepareProbe(request, authority, folder)
        let former = try await checkLogin(request, probeSettings)
        say("The broker accepts \(request.node).")

        var changes = FileChanges()
        let state = await manager?.state(of: unit)
        do {
            try folder.begin(service)
            try changes.makeDirectory(paths.localFolder)
            try write(request, authority, files, at: paths.root, owner: owner, to: &changes)
            say("Settings are in \(LineText(showing: paths.localPath(of: files.settings))).")
            var report = JoinReport(
                node: "\(request.node)", space: "\(request.space)", role: request.role,
                broker: "\(request.broker)", service: "lockstep-\(service)", isConnected: false)
            guard let manager else {
                report.next = "lockstep-\(service) --config \(paths.localPath(of: files.settings))"
                return report
            }
            try Task.checkCancellation()
            try await start(unit, by: manager, probing: probeSettings, ignoring: former)
            report.isConnected = true
            return report
        } catch {
            await undo(&changes, of: unit, in: state)
            throw error
        }
    }

    /// Restores the files of a service, then the state of its unit.
    private func undo(_ changes: inout FileChanges, of unit: LineText, in state: ServiceManager.State?) async {
        changes.undo()
        // In a task of its own, since an interrupt may have cancelled this one.
        if let manager, let state { await Task { await manager.restore(unit, state) }.value }
        say("\(unit) and its files are as before.")
    }

    /// Removes what a killed join has written.
    /// - Returns: Whether there was such a join.
    private func undoBegun(_ folder: JoinFolder) async -> Bool {
        guard let service = folder.begun else { return false }
        for name in paths.files(of: service).joined {
            for path in [paths.localPath(of: name), paths.localPath(of: name) + ".new"] { unlink(path) }
        }
        let unit = LineText(showing: "lockstep-\(service).service")
        // Its state before that join is not known: one that runs is started again, without the removed settings.
        if let manager { await manager.restore(unit, manager.state(of: unit)) }
        return true
    }

    /// Checks that the service has not joined, and that its own settings set nothing that joining sets.
    private func checkSettings(_ files: JoinPaths.ServiceFiles) throws {
        let leave = paths.isPersonal ? "lockstep leave --user" : "sudo lockstep leave"
        if access(paths.localPath(of: files.settings), F_OK) == 0 {
            throw SetupError("this machine has joined already; to join another broker: \(leave), then again")
        }
        let own = paths.localPath(of: files.ownSettings)
        guard access(own, F_OK) == 0 else { return }
        var values = SettingValues()
        try values.fill(file: own)
        let joined: [Setting] = [.broker, .passwordFile, .tlsCA, .tlsPinned, .node, .space, .role]
        guard let setting = joined.first(where: values.isGiven) else { return }
        throw SetupError("\(own) sets \(setting.rawValue), which has precedence over joining; remove that line first")
    }

    /// Returns the certificate of the broker's authority; `nil` to trust those of the operating system. Looks for the
    /// broker of an invitation, and moves the endpoint where it was found to the front.
    private func authority(for request: inout JoinRequest) async throws(SetupError) -> [UInt8]? {
        switch request.trust {
        case .system: return nil
        case .certificates(let bytes): return bytes
        case .fingerprint(let fingerprint):
            let hosts = request.broker.endpoints.map(\.host).joined(separator: ", ")
            say("Looking for the broker at \(LineText(showing: hosts)).")
            let found = try await AuthoritySearch.find(fingerprint, at: request.broker.endpoints)
            let first = request.broker.endpoints.remove(at: found.endpointIndex)
            request.broker.endpoints.insert(first, at: 0)
            say("Found it at \(first.line); it shows the authority that the invitation names.")
            return found.certificate
        }
    }

    /// Writes what a probe needs into the folder of the join.
    /// - Returns: The path of the settings for `lockstep-node probe`.
    private func prepareProbe(
        _ request: JoinRequest, _ authority: [UInt8]?, _ folder: JoinFolder
    ) throws -> LineText {
        let files = JoinPaths.ServiceFiles(
            settings: folder.path("settings"), password: folder.path("password"),
            authority: folder.path("authority"))
        var changes = FileChanges()
        try write(request, authority, files, at: "", owner: nil, to: &changes)
        return try SettingLines.value(path: files.settings)
    }

    /// Logs in as the node, and checks that no other machine uses its name or the invitation.
    /// - Returns: The connection of a presence that was there before.
    private func checkLogin(_ request: JoinRequest, _ settings: LineText) async throws(SetupError) -> String? {
        let found = try await probe(["--config", settings])
        if found.isRefused { throw SetupError(refusal(of: request)) }
        if let problem = found.problem { throw SetupError(.unreachable, "the broker was not reached: \(problem)") }
        guard found.isKnown, request.expires != nil || found.isOnline else { return found.connection }
        let time = found.at.map { " at \(LocalTime.text(of: $0))" } ?? ""
        guard request.expires != nil else {
            throw SetupError(
                "another machine is online as \(request.node); choose another name with --node, or stop that one")
        }
        throw SetupError(
            """
            this invitation was used: \(request.node) was seen\(time). Make another on the broker's machine, with another \
            name or after sudo lockstep revoke \(request.node): sudo lockstep invite NAME
            """)
    }

    private func refusal(of request: JoinRequest) -> String {
        guard let expires = request.expires else {
            return "the broker refuses the user \(request.broker.user ?? "\(request.node)") or its password"
        }
        let isOver = expires <= WallTime(SystemClock.wallMilliseconds())
        return
            "the broker refuses this invitation: it "
            + (isOver ? "expired at \(LocalTime.text(of: expires))" : "was revoked or withdrawn")
            + ". Make another on the broker's machine: sudo lockstep invite \(request.node)"
    }

    /// Writes password, authority and settings below `root`; `files` has the paths as a service sees them.
    private func write(
        _ request: JoinRequest, _ authority: [UInt8]?, _ files: JoinPaths.ServiceFiles, at root: String,
        owner: (user: uid_t, group: gid_t)?, to changes: inout FileChanges
    ) throws {
        let settings = try request.settings(password: files.password, authority: authority.map { _ in files.authority })
        if let password = request.password {
            try changes.write(.line(password), to: root + files.password, mode: 0o600, owner: owner)
        }
        if let authority { try changes.write(.certificates(authority), to: root + files.authority, mode: 0o644) }
        try changes.write(.settings(settings), to: root + files.settings, mode: 0o600)
    }

    private func start(
        _ unit: LineText, by manager: ServiceManager, probing settings: LineText, ignoring former: String?
    ) async throws(SetupError) {
        say("Starting \(unit), and waiting until it is connected.")
        if let reason = await manager.start(unit) {
            throw SetupError("\(unit) does not start: \(reason)\n\(manager.logCommand(of: unit))")
        }
        let found = try await probe(
            ["--config", settings, "--online", "--seconds", "\(Self.timeout)"]
                + (former.flatMap(ConnectionID.init).map { ["--not=\($0)"] } ?? []))
        if found.isOnline { return }
        let last = await manager.lastLine(of: unit).map { ": \($0)" } ?? ""
        throw SetupError(
            .noAnswer,
            "\(unit) runs, but was not seen on the broker within \(Self.timeout) s\(last)\n\(manager.logCommand(of: unit))"
        )
    }

    private func probe(_ arguments: [LineText]) async throws(SetupError) -> ProbeReport {
        do {
            let result = try await Child.run(nodeProgram, ["probe"] + arguments, seconds: 60)
            guard result.code == 0 else {
                throw SetupError(result.errors.isEmpty ? "lockstep-node probe failed" : result.errors)
            }
            return try ReportJSON.decode(from: Array(result.output.utf8))
        } catch let error as SetupError {
            throw error
        } catch {
            throw SetupError("lockstep-node: \(error)")
        }
    }

    // MARK: Leave

    /// A service that had joined.
    package struct Left: Sendable {
        package var service: String
        /// The service's id, which stays a member of the broker; `nil` if the settings were incomplete.
        package var node: LineText?
    }

    /// Undoes joining for every service of the paths. Journal and ledger stay.
    /// - Returns: The services that had joined.
    package func leave() async throws(SetupError) -> [Left] {
        let folder = try JoinFolder(paths)
        defer { folder.remove() }
        var left: [Left] = []
        for service in ServiceName.allCases {
            let files = paths.files(of: service)
            guard access(paths.localPath(of: files.settings), F_OK) == 0 || folder.begun == service else { continue }
            var values = SettingValues()
            try? values.fill(file: paths.localPath(of: files.settings))
            let unit = LineText(showing: "lockstep-\(service).service")
            let state = await manager?.state(of: unit)
            await manager?.end(unit)
            var changes = FileChanges()
            do throws(FileError) {
                for name in files.joined { try changes.remove(paths.localPath(of: name)) }
            } catch {
                await undo(&changes, of: unit, in: state)
                throw SetupError(error.description)
            }
            left.append(
                Left(service: "lockstep-\(service)", node: values[.node].map { LineText(showing: $0.text) }))
        }
        guard !left.isEmpty else { throw SetupError("this machine has not joined a broker") }
        return left
    }
}
