// SPDX-License-Identifier: Apache-2.0

import Control
import FoundationEssentials
import Glibc
import Platform

/// Joins this machine, or a person on it, to a broker, and undoes that.
package struct Joining: Sendable {
    private let place: JoinPlace
    private let manager: ServiceManager?
    /// The path of `lockstep-node`.
    private let nodeProgram: String
    /// Reports progress to a person.
    private let say: @Sendable (String) -> Void

    /// The seconds that a started service has to connect.
    private static let patience = 20

    package init(
        _ place: JoinPlace, manager: ServiceManager?, nodeProgram: String, say: @escaping @Sendable (String) -> Void
    ) {
        self.place = place
        self.manager = manager
        self.nodeProgram = nodeProgram
        self.say = say
    }

    // MARK: Join

    /// Joins, and waits until the service is connected. If that fails, files and services are as before.
    package func join(_ request: JoinRequest) async throws(JoinFailure) -> JoinReport {
        let service = request.role.service
        let unit = "lockstep-\(service).service"
        let names = place.names(of: service)
        try checkSettings(names, request)
        let owner = try place.owner()
        if let manager, await !manager.has(unit) {
            throw JoinFailure(.refused, "the service lockstep-\(service) is not installed on this machine")
        }
        var request = request
        let authority = try await authority(for: &request)
        var probeFiles = FileChanges()
        defer { probeFiles.undo() }
        let probeSettings = try prepareProbe(request, authority, &probeFiles)
        let former = try await checkLogin(request, probeSettings)
        say("The broker accepts \(request.node).")

        var changes = FileChanges()
        let state = await manager?.state(of: unit)
        do {
            try install(request, authority, names, owner, &changes)
            say("Settings are in \(place.path(names.settings)).")
            var report = JoinReport(
                node: "\(request.node)", space: "\(request.space)", role: request.role.rawValue,
                broker: "\(request.broker)", service: "lockstep-\(service)", isConnected: false)
            guard let manager else {
                report.next = startCommand(service, names)
                return report
            }
            try Task.checkCancellation()
            try await start(unit, manager, probeSettings, former)
            report.isConnected = true
            return report
        } catch {
            changes.undo()
            // In a task of its own, since an interrupt has cancelled this one.
            if let manager, let state { await Task { await manager.restore(unit, state) }.value }
            say("Files and services are as before.")
            switch error {
            case let error as JoinFailure: throw error
            case let error as FileError: throw JoinFailure(.refused, error.description)
            default: throw JoinFailure(.refused, "interrupted")
            }
        }
    }

    /// Checks that nothing that is set here contradicts the request.
    private func checkSettings(_ names: JoinPlace.Names, _ request: JoinRequest) throws(JoinFailure) {
        let leave = place.isPersonal ? "lockstep leave --user" : "sudo lockstep leave"
        if access(place.path(names.settings), F_OK) == 0 {
            throw JoinFailure(.refused, "this machine has joined already; to join another broker: \(leave), then again")
        }
        let own = place.path(names.ownSettings)
        guard access(own, F_OK) == 0 else { return }
        var values = SettingValues()
        do throws(SettingError) {
            try values.fill(file: own)
        } catch {
            throw JoinFailure(.refused, "\(error)")
        }
        let joined: [Setting] = [.broker, .passwordFile, .tlsCA, .tlsPinned, .node, .space, .role]
        guard let setting = joined.first(where: values.isGiven) else { return }
        throw JoinFailure(
            .refused, "\(own) sets \(setting.rawValue), which has precedence over joining; remove that line first")
    }

    /// Finds the broker and returns the certificate of its authority, and puts the place that answered first.
    private func authority(for request: inout JoinRequest) async throws(JoinFailure) -> String? {
        switch request.trust {
        case .system: return nil
        case .certificates(let text): return text
        case .fingerprint(let fingerprint):
            say("Looking for the broker at \(request.broker.places.map(\.host).joined(separator: ", ")).")
            let found = try await Authority.find(fingerprint, at: request.broker.places)
            let first = request.broker.places.remove(at: found.place)
            request.broker.places.insert(first, at: 0)
            say("Found it at \(first); its authority has the right fingerprint.")
            return found.certificate
        }
    }

    /// Writes what a probe needs into a folder of its own, which the caller removes.
    /// - Returns: The settings for `lockstep-node probe`.
    private func prepareProbe(
        _ request: JoinRequest, _ authority: String?, _ files: inout FileChanges
    ) throws(JoinFailure) -> String {
        do throws(FileError) {
            let folder = "/tmp/lockstep-join-\(UInt64.random(in: 0 ... .max))"
            guard mkdir(folder, 0o700) == 0 else { throw FileError(path: folder, action: "make directory") }
            files.adopt(directory: folder)
            let settings = request.settings(
                password: folder + "/password", authority: authority.map { _ in folder + "/authority" })
            try files.write(settings, to: folder + "/settings", mode: 0o600)
            if let password = request.password {
                try files.write(password + "\n", to: folder + "/password", mode: 0o600)
            }
            if let authority { try files.write(authority, to: folder + "/authority", mode: 0o600) }
            return folder + "/settings"
        } catch {
            throw JoinFailure(.refused, error.description)
        }
    }

    /// Logs in as the node.
    /// - Returns: The connection of a presence that was there before.
    private func checkLogin(_ request: JoinRequest, _ settings: String) async throws(JoinFailure) -> String? {
        let found = try await probe(["--config", settings])
        if found.isRefused { throw JoinFailure(.refused, refusal(of: request)) }
        if let problem = found.problem { throw JoinFailure(.unreachable, "the broker was not reached: \(problem)") }
        guard found.isKnown, request.expires != nil || found.isOnline else { return found.connection }
        let time = found.at.map { " at \(Self.text(of: $0 / 1_000))" } ?? ""
        guard request.expires != nil else {
            throw JoinFailure(
                .refused,
                "another machine is online as \(request.node); choose another name with --node, or stop that one")
        }
        throw JoinFailure(
            .refused,
            """
            this invitation was used: \(request.node) was seen\(time). Make another on the broker's machine, with another \
            name or after sudo lockstep revoke \(request.node): sudo lockstep invite NAME
            """)
    }

    private func refusal(of request: JoinRequest) -> String {
        guard let expires = request.expires else {
            return "the broker refuses the user \(request.broker.user ?? "\(request.node)") or its password"
        }
        let isOver = expires <= Int64(time(nil))
        return
            "the broker refuses this invitation: it "
            + (isOver ? "expired at \(Self.text(of: expires))" : "was revoked or withdrawn")
            + ". Make another on the broker's machine: sudo lockstep invite \(request.node)"
    }

    /// A time of this machine's zone.
    package static func text(of seconds: Int64) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        localtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private func install(
        _ request: JoinRequest, _ authority: String?, _ names: JoinPlace.Names, _ owner: (user: uid_t, group: gid_t)?,
        _ changes: inout FileChanges
    ) throws(FileError) {
        try changes.makeDirectory(place.directory)
        if let password = request.password {
            try changes.write(password + "\n", to: place.path(names.password), mode: 0o600, owner: owner)
        }
        if let authority { try changes.write(authority, to: place.path(names.authority), mode: 0o644) }
        let settings = request.settings(password: names.password, authority: authority.map { _ in names.authority })
        try changes.write(settings, to: place.path(names.settings), mode: 0o600)
    }

    private func start(
        _ unit: String, _ manager: ServiceManager, _ settings: String, _ former: String?
    ) async throws(JoinFailure) {
        say("Starting \(unit), and waiting until it is connected.")
        if let reason = await manager.start(unit) {
            throw JoinFailure(.refused, "\(unit) does not start: \(reason)\n\(manager.logCommand(of: unit))")
        }
        let found = try await probe(
            ["--config", settings, "--online", "--seconds", "\(Self.patience)"]
                + (former.map { ["--not", $0] } ?? []))
        if found.isOnline { return }
        let last = await manager.lastLine(of: unit).map { ": \($0)" } ?? ""
        throw JoinFailure(
            .noAnswer,
            "\(unit) runs, but was not seen on the broker within \(Self.patience) s\(last)\n\(manager.logCommand(of: unit))"
        )
    }

    private func probe(_ arguments: [String]) async throws(JoinFailure) -> ProbeReport {
        do {
            let result = try await Child.run(nodeProgram, ["probe"] + arguments, seconds: 60)
            guard result.code == 0 else {
                throw JoinFailure(.refused, result.errors.isEmpty ? "lockstep-node probe failed" : result.errors)
            }
            return try ReportJSON.decode(from: Array(result.output.utf8))
        } catch let error as JoinFailure {
            throw error
        } catch {
            throw JoinFailure(.refused, "lockstep-node: \(error)")
        }
    }

    private func startCommand(_ service: String, _ names: JoinPlace.Names) -> String {
        "lockstep-\(service) --config \(place.path(names.settings))"
    }

    // MARK: Leave

    /// Undoes joining for every service of the place. Journal and ledger stay.
    /// - Returns: The services that had joined.
    package func leave() async throws(JoinFailure) -> [String] {
        var left: [String] = []
        for service in ["node", "calm", "debt"] {
            let names = place.names(of: service)
            guard access(place.path(names.settings), F_OK) == 0 else { continue }
            await manager?.end("lockstep-\(service).service")
            var changes = FileChanges()
            do throws(FileError) {
                for name in names.joined { try changes.remove(place.path(name)) }
            } catch {
                changes.undo()
                throw JoinFailure(.refused, error.description)
            }
            left.append("lockstep-\(service)")
        }
        guard !left.isEmpty else { throw JoinFailure(.refused, "this machine has not joined a broker") }
        return left
    }
}
