// SPDX-License-Identifier: Apache-2.0

import Joining
import Mosquitto
import Platform
import Session
import Settings
import TLS
import Wire

/// Adds and removes the members of a broker.
struct Membership {
    /// The time in which an invitation must be used.
    private static let validity: Milliseconds = .days(1)

    let files: BrokerFiles
    let service: MosquittoService
    private var list: MemberList
    private let now = WallTime(SystemClock.wallMilliseconds())

    /// - Throws: ``SetupError`` where no broker is set up.
    init(_ files: BrokerFiles) throws {
        self.files = files
        service = MosquittoService(files: files)
        guard files.hasBroker else {
            throw SetupError("there is no broker yet: sudo lockstep broker setup --lan --tls")
        }
        list = try files.members()
    }

    // MARK: Invitations

    /// - Parameter isProgram: Whether the member is no node of Lockstep. It then has joined at once, since it publishes
    ///   no presence from which that could be seen, and its password stays in the file.
    mutating func invite(
        _ node: NodeID, role: MemberRole, space: SpaceID, isProgram: Bool = false
    ) async throws -> Invitation {
        let name = node.rawValue
        let state: Member.State = isProgram ? .joined : .invited
        _ = try await readPresences(of: list.members.filter { $0.node == name && $0.state == .invited })
        let secretFile = BrokerPath.password(of: name)
        if let existing = list[name], list.users.contains(name) {
            if existing.state == state, existing.role == role, existing.space == space.rawValue,
                let secret = try files.text(secretFile)
            {
                CommandLineRunner.say("\(name) is invited already; this is the same invitation.")
                var member = existing
                // Over, and not withdrawn yet.
                if let end = existing.expiresAt, end <= now { member.stateTime = now + Self.validity }
                if member != existing { try save(member) }
                return try invitation(for: member, node, space, String(secret[...].trimmed))
            }
            throw SetupError(
                "\(name) is a member already; for a new invitation: sudo lockstep revoke \(name), then invite it again")
        }
        // Messages that a former member of this name left would make the invitation look used.
        if await service.isRunning {
            do {
                try await clear(name, feeds: [])
            } catch {
                throw SetupError("what a former \(name) left on the broker could not be cleared: \(error)")
            }
        }
        let secret = Secret.make()
        let member = Member(
            node: name, role: role, space: space.rawValue, state: state,
            stateTime: isProgram ? now : now + Self.validity)
        // Write-ahead: the password is stored before the broker gets it, so it cannot be lost.
        try files.install(BrokerFile(secretFile, secret, for: .root))
        try save(member)
        try await setPassword(secret, of: name)
        return try invitation(for: member, node, space, secret)
    }

    private func invitation(
        for member: Member, _ node: NodeID, _ space: SpaceID, _ secret: String
    ) throws -> Invitation {
        let listener = try files.listener()
        let authority = listener.isEncrypted ? try files.bytes(BrokerPath.authority) ?? [] : nil
        let fingerprint = authority.flatMap { Credential.fingerprint(ofCertificate: $0) }
        guard (authority == nil) == (fingerprint == nil) else {
            throw SetupError("\(files.path(BrokerPath.authority)) holds no certificate in PEM format; restore it")
        }
        let hosts = BrokerHosts.here().invitationHosts(for: listener.host, isOnLAN: files.has(BrokerPath.lan))
        return Invitation(
            hosts: hosts.map(\.text), port: listener.port, fingerprint: fingerprint, role: member.role, space: space,
            node: node, secret: secret, expires: member.stateTime)
    }

    /// Withdraws the invitations that were not used in time, and returns their names.
    mutating func expire() async throws -> [String] {
        guard await service.isRunning else {
            throw SetupError("mosquitto does not run, so it cannot be seen which invitations were used")
        }
        _ = try await readPresences(of: list.members.filter { $0.state == .invited })
        let due = list.members.filter { $0.expiresAt.map { $0 <= now } ?? false }
        for member in due {
            _ = try await takeAway(member, .expired)
            CommandLineRunner.say("The invitation of \(member.node) was not used and is withdrawn.")
        }
        return due.map(\.node)
    }

    // MARK: Members

    mutating func members() async throws -> [Member] {
        let presences = try await readPresences(of: list.all)
        return list.all.map { member in
            presences.reduce(into: member) { member, presence in Self.note(presence, of: &member) }
        }
    }

    private static func note(_ message: MQTTMessage, of member: inout Member) {
        guard let space = Topics.space(of: message.topic), let node = NodeID(member.node) else { return }
        let decoded = WireCodec(space: space, me: node)
            .decode(topic: message.topic, payload: message.payload, retained: true, now: 0)
        guard case .message(.presence(let presence), from: node) = decoded else { return }
        // A member may have been in several spaces; the last sign of life counts.
        if let lastSeen = member.lastSeen, lastSeen > presence.at { return }
        member.online = presence.isOnline
        member.lastSeen = presence.at
        member.name = presence.name
        member.software = presence.software
    }

    /// Returns the presences of these members, and notes that invited ones among them have joined.
    ///
    /// It reads those in the spaces of all members and no others, because a member may retain presences in any number
    /// of spaces.
    private mutating func readPresences(of members: [Member]) async throws -> [MQTTMessage] {
        guard !members.isEmpty, await service.isRunning else { return [] }
        let spaces = Set(list.all.map(\.space)).subtracting([SpaceID.every]).union([NodeSettings.defaultSpace.rawValue])
        let presences = try await LocalUser(files).run { retained in
            var presences: [MQTTMessage] = []
            for member in members {
                presences += try await retained.read(
                    spaces.map { Topics.filter(Topic.Leaf.presence.rawValue, of: member.node, in: $0) })
            }
            return presences
        }
        let seen = Set(presences.map { Topics.topic(of: $0.topic)?.node?.rawValue })
        for var member in list.members where member.state == .invited && seen.contains(member.node) {
            (member.state, member.stateTime) = (.joined, now)
            try save(member)
            try files.remove(BrokerPath.password(of: member.node))
        }
        return presences
    }

    /// Ends the rights of a member. Returns whether all that it left on its topics is cleared.
    mutating func revoke(_ node: NodeID) async throws -> Bool {
        guard let member = list[node.rawValue] else { throw SetupError("there is no member \(node)") }
        let isCleared = try await takeAway(member, .revoked)
        CommandLineRunner.say("\(node) may not connect any more, and is disconnected if it was.")
        if AccessList.hasPlainTopics(member.role) {
            CommandLineRunner.say(
                "What it may have left on plain topics and for Home Assistant stays: lockstep revoke --help says how to clear it."
            )
        }
        return isCleared
    }

    /// Removes a user with its rights, which ends its connection, and clears what it has retained. Returns whether that
    /// is cleared.
    private mutating func takeAway(_ member: Member, _ state: Member.State) async throws -> Bool {
        var ended = member
        (ended.state, ended.stateTime) = (state, now)
        try save(ended)
        try files.remove(BrokerPath.password(of: member.node))
        try await setPassword(nil, of: member.node)
        let isRunning = await service.isRunning
        // A staging folder has no broker that retains anything.
        if !isRunning, !files.root.isEmpty { return true }
        var feeds: [String] = []
        if let feed = AccessList.feeds(of: member.role).first,
            !list.hasOther(than: member.node, role: member.role, in: member.space)
        {
            feeds = ["\(Topics.prefix)\(member.space)/\(feed.rawValue)/#"]
        }
        do {
            guard isRunning else { throw SetupError("mosquitto does not run") }
            try await clear(member.node, feeds: feeds)
            return true
        } catch {
            CommandLineRunner.say(
                "What \(member.node) left on the broker stays, and displays may still show it: \(error). When mosquitto runs: "
                    + "sudo lockstep revoke \(member.node) once more.")
            return false
        }
    }

    // MARK: Steps

    private mutating func save(_ member: Member) throws {
        list.set(member)
        try files.install(BrokerFile(BrokerPath.members, list.membersText, for: .root))
    }

    /// Writes users and ACL, and lets the broker read them. Without a password the user is removed.
    private mutating func setPassword(_ password: String?, of user: String) async throws {
        list.setPassword(password.map { Secret.hash($0) }, of: user)
        let access = AccessList.text(of: list, keepsSpacesApart: files.has(BrokerPath.separate))
        try files.install(BrokerFile(BrokerPath.access, access, for: .broker))
        try files.install(BrokerFile(BrokerPath.passwords, list.passwordsText, for: .broker))
        // A stopped broker reads its users when it starts.
        if await service.isRunning {
            if await !service.reload() {
                CommandLineRunner.say("mosquitto did not read the users again: sudo systemctl restart mosquitto")
            }
        } else if service.hasManager {
            CommandLineRunner.say("mosquitto does not run at present: sudo systemctl start mosquitto")
        } else if files.root.isEmpty {
            let processes = MosquittoService.processes.map(String.init).joined(separator: " ")
            CommandLineRunner.say(
                "No mosquitto with \(files.path(BrokerPath.main)) is found here. If one runs, it does not know of this change "
                    + "before you say to it: kill -HUP \(processes.isEmpty ? "PROCESS" : processes)")
        }
    }

    /// Clears what a member and these feeds have retained, until a read finds nothing.
    ///
    /// If there are very many messages, a read gets only some of them, so it reads up to 100 times. A presence is first
    /// changed to offline for those who watch it, because no will of the member is sent.
    private func clear(_ name: String, feeds: [String]) async throws {
        let filters = [Topics.filter("#", of: name)] + feeds
        let (topics, left) = try await LocalUser(files).run { retained -> ([String], Int) in
            var topics: [String] = []
            for _ in 1..<100 {
                let found = try await retained.read(filters)
                if found.isEmpty { return (topics, 0) }
                for message in found {
                    let text = String(decoding: message.payload, as: UTF8.self)
                    let offline = text.replacing("\"online\":true", with: "\"online\":false")
                    if case .own(.presence, _) = Topics.topic(of: message.topic), offline != text {
                        try await retained.retain(Array(offline.utf8), on: message.topic)
                    }
                    try await retained.retain([], on: message.topic)
                }
                topics += found.map(\.topic)
            }
            return (topics, try await retained.read(filters).count)
        }
        for topic in topics.prefix(20) { CommandLineRunner.say("  cleared \(topic)") }
        if topics.count > 20 { CommandLineRunner.say("  cleared \(topics.count - 20) more topics") }
        if left > 0 { throw SetupError("\(left) topics or more are left") }
    }
}
