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
    /// The seconds in which an invitation must be used.
    private static let validity: Int64 = 86_400

    let files: BrokerFiles
    let service: BrokerService
    private var list: MemberList
    private let now = SystemClock.wallMilliseconds() / 1_000

    /// - Throws: ``JoinFailure`` where no broker is set up.
    init(_ files: BrokerFiles) throws {
        self.files = files
        service = BrokerService(files: files)
        guard files.hasBroker else {
            throw JoinFailure("there is no broker yet: sudo lockstep broker setup --lan --tls")
        }
        list = try files.members()
    }

    // MARK: Invitations

    mutating func invite(_ node: NodeID, role: MemberRole, space: SpaceID) async throws -> Invitation {
        _ = try await settle()
        let name = node.rawValue
        let secretFile = "lockstep/\(name).join"
        if let known = list[name], list.users.contains(name) {
            if known.state == .invited, known.role == role, known.space == space.rawValue,
                let secret = try files.text(secretFile)
            {
                CommandLineRunner.say("\(name) is invited already; this is the same invitation.")
                return try invitation(for: known, node, space, String(secret[...].trimmed))
            }
            throw JoinFailure(
                "\(name) is a member already; for a new invitation: sudo lockstep revoke \(name), then invite it again")
        }
        // Messages that a former member of this name left would make the invitation look used.
        if await service.isRunning {
            do {
                try await clear(name, feeds: [])
            } catch {
                throw JoinFailure("what a former \(name) left on the broker could not be cleared: \(error)")
            }
        }
        let secret = Secret.make()
        let member = Member(
            node: name, role: role, space: space.rawValue, state: .invited, since: now + Self.validity)
        // Write-ahead: the password is stored before the broker gets it, so it cannot be lost.
        try files.install(BrokerFile(secretFile, secret, for: .root))
        try save(member)
        try await save(password: secret, of: name)
        return try invitation(for: member, node, space, secret)
    }

    private func invitation(
        for member: Member, _ node: NodeID, _ space: SpaceID, _ secret: String
    ) throws -> Invitation {
        let place = try files.place()
        let authority = place.isEncrypted ? try files.bytes("lockstep/ca.crt") ?? [] : nil
        let fingerprint = authority.flatMap { Credential.fingerprint(ofCertificate: $0) }
        guard (authority == nil) == (fingerprint == nil) else {
            throw JoinFailure("\(files.path("lockstep/ca.crt")) holds no certificate in PEM format; restore it")
        }
        let hosts = BrokerAddresses.here().inInvitation(for: place.host, isOnLAN: files.has("lockstep/lan"))
        return Invitation(
            hosts: hosts.map(\.text), port: place.port, fingerprint: fingerprint, role: member.role, space: space,
            node: node, secret: secret, expires: member.since)
    }

    /// Withdraws the invitations that were not used in time, and returns their names.
    mutating func expire() async throws -> [String] {
        guard await service.isRunning else {
            throw JoinFailure("mosquitto does not run, so it cannot be seen which invitations were used")
        }
        _ = try await settle()
        let due = list.members.filter { $0.state == .invited && $0.since <= now }
        for member in due {
            try await takeAway(member, .expired)
            CommandLineRunner.say("The invitation of \(member.node) was not used and is withdrawn.")
        }
        return due.map(\.node)
    }

    // MARK: Members

    mutating func members() async throws -> [Member] {
        let presences = try await settle()
        return list.all.map { member in
            presences.reduce(into: member) { member, presence in Self.note(presence, of: &member) }
        }
    }

    private static func note(_ message: MQTTMessage, of member: inout Member) {
        let levels = message.topic.split(separator: "/")
        guard levels.count == 6, let space = SpaceID(String(levels[2])), let node = NodeID(String(levels[4])),
            node.rawValue == member.node
        else { return }
        let decoded = WireCodec(space: space, me: node)
            .decode(topic: message.topic, payload: message.payload, retained: true, now: 0)
        guard case .message(.presence(let presence), _) = decoded else { return }
        // A member may have been in several spaces; the last sign of life counts.
        if let known = member.lastSeen, known > presence.at.milliseconds { return }
        member.online = presence.online
        member.lastSeen = presence.at.milliseconds
        member.name = presence.name
        member.software = presence.software
    }

    /// Notes which of the invited members have been seen on the broker, and returns all presences that it keeps.
    private mutating func settle() async throws -> [MQTTMessage] {
        guard await service.isRunning else { return [] }
        let presences = try await LocalUser(files).run { try await $0.read(["lockstep/1/+/node/+/presence"]) }
        let seen = Set(presences.map { $0.topic.split(separator: "/").dropFirst(4).first.map(String.init) })
        for var member in list.members where member.state == .invited && seen.contains(member.node) {
            (member.state, member.since) = (.joined, now)
            try save(member)
            try files.remove("lockstep/\(member.node).join")
        }
        return presences
    }

    mutating func revoke(_ node: NodeID) async throws {
        guard let member = list[node.rawValue] else { throw JoinFailure("there is no member \(node)") }
        try await takeAway(member, .revoked)
        CommandLineRunner.say("\(node) may not connect any more, and is disconnected if it was.")
    }

    /// Removes a user with its rights, which ends its connection, and clears what it has retained.
    private mutating func takeAway(_ member: Member, _ state: Member.State) async throws {
        var ended = member
        (ended.state, ended.since) = (state, now)
        try save(ended)
        try files.remove("lockstep/\(member.node).join")
        try await save(password: nil, of: member.node)
        let isRunning = await service.isRunning
        if !isRunning, !files.root.isEmpty { return }
        var feeds: [String] = []
        if !AccessList.feeds(of: member.role).isEmpty,
            !list.hasOther(than: member.node, role: member.role, in: member.space)
        {
            feeds = ["lockstep/1/\(member.space)/feed/\(member.role.rawValue)/#"]
        }
        if isRunning, (try? await clear(member.node, feeds: feeds)) != nil { return }
        CommandLineRunner.say(
            "What \(member.node) left on the broker stays, and displays may still show it. When mosquitto runs: "
                + "sudo lockstep revoke \(member.node) once more.")
    }

    // MARK: Steps

    private mutating func save(_ member: Member) throws {
        list.set(member)
        try files.install(BrokerFile("lockstep/members", list.membersText, for: .root))
    }

    /// Writes users and ACL, and lets the broker read them. Without a password the user is removed.
    private mutating func save(password: String?, of user: String) async throws {
        list.setPassword(password.map { Secret.hash($0) }, of: user)
        let access = AccessList.text(of: list, keepsSpacesApart: files.has("lockstep/separate"))
        try files.install(BrokerFile("lockstep/acl", access, for: .broker))
        try files.install(BrokerFile("lockstep/passwd", list.passwordsText, for: .broker))
        // A stopped broker reads its users when it starts.
        if await service.isRunning {
            if await !service.reload() {
                CommandLineRunner.say("mosquitto did not read the users again: sudo systemctl restart mosquitto")
            }
        } else if service.hasManager {
            CommandLineRunner.say("mosquitto does not run at present: sudo systemctl start mosquitto")
        } else if files.root.isEmpty {
            let others = BrokerService.processes.map(String.init).joined(separator: " ")
            CommandLineRunner.say(
                "No mosquitto with \(files.path("mosquitto.conf")) is found here. If one runs, it does not know of this change "
                    + "before you say to it: kill -HUP \(others.isEmpty ? "PROCESS" : others)")
        }
    }

    /// Clears what a member and these feeds have retained. Its presence says offline first: no will of it is sent.
    private func clear(_ name: String, feeds: [String]) async throws {
        let own = "/node/\(name)/"
        let topics = try await LocalUser(files).run { retained -> [String] in
            let found = try await retained.read(["lockstep/1/+\(own)#"] + feeds)
            for message in found {
                if message.topic.hasSuffix(own + "presence") {
                    let offline = String(decoding: message.payload, as: UTF8.self)
                        .replacing("\"online\":true", with: "\"online\":false")
                    try await retained.client.publish(Array(offline.utf8), to: message.topic, retain: true)
                }
                try await retained.client.publish([], to: message.topic, retain: true)
            }
            return found.map(\.topic)
        }
        for topic in topics { CommandLineRunner.say("  cleared \(topic)") }
    }
}
