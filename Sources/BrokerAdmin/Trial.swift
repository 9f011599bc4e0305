// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Joining
import Platform
import Wire

/// Tries a configuration before the running broker gets it.
///
/// A copy of the present configuration runs on spare ports of loopback, without bridges, with a store and log of its
/// own. Then the same copy runs with the new files. It must start, refuse connections without a password, and let a
/// user write its own topics only. On every other listener it must behave as before, also for large packets. The trial
/// changes nothing of the running broker.
struct Trial {
    let files: BrokerFiles
    /// The present configuration without the file of Lockstep.
    let present: [ConfigurationFile]
    let new: [BrokerFile]
    let program: String

    private static let alternative =
        "Let Lockstep use the broker as it is instead: sudo lockstep join mqtt://USER@HOST (man lockstep-join)"

    /// The behaviour of a listener toward clients without rights.
    private struct ListenerBehaviour: Equatable {
        var listener: String
        var anonymous: AnonymousReply
        var answersToLargePackets: [[UInt8]]
    }

    /// The answer of a listener to a CONNECT without a user.
    private struct AnonymousReply: Equatable {
        var isEncrypted: Bool
        var packet: [UInt8]

        var isOpen: Bool { packet == [0x20, 2, 0, 0] }
        var asksForPassword: Bool { packet == [0x20, 2, 0, 5] }
        var words: String {
            isOpen ? "open to any client" : asksForPassword ? "asks for a password" : "answers \(packet)"
        }
    }

    /// - Throws: ``SetupError`` with the first reason against the new files.
    func run() async throws {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        let work = try Files.makeTemporaryDirectory(temporary + "/lockstep-trial.")
        defer { try? FileManager.default.removeItem(atPath: work) }
        // mosquitto gives up the rights of root, and must still reach its folder.
        if geteuid() == 0 { chmod(work, 0o711) }
        let before = try await withBroker(in: work + "/before", adding: []) { trial in
            try check(trial)
            return trial.listeners.map(Self.answers)
        } failure: { reason in
            "the configuration in \(files.folder) does not start as it is: \(reason)"
        }
        let password = Secret.make()
        try await withBroker(in: work + "/after", adding: withTrialUser(password)) { trial in
            try compare(trial, to: before)
            try checkRights(trial, password)
        } failure: { reason in
            "mosquitto would not start with it: \(reason)"
        }
    }

    // MARK: Checks

    /// Checks for conflicts that the trial itself does not show: present password and ACL files, and a taken port.
    private func check(_ trial: TrialConfiguration) throws {
        // mosquitto 2.0 refuses a second file, 2.1 uses the last, whose rights clients with a certificate get too.
        if !trial.logins.isEmpty, !trial.isPerListener {
            throw SetupError(
                """
                clients that log in today could not go on, since password_file and acl_file hold for all listeners; there is \
                already
                \(trial.logins.joined(separator: ", ")).
                \(Self.alternative).
                """)
        }
        let own = ConfigurationFile(
            name: MosquittoConfiguration.name,
            text: String(decoding: new.first { $0.name == MosquittoConfiguration.name }?.bytes ?? [], as: UTF8.self))
        let words = own.value("listener")?.split(separator: " ") ?? []
        for listener in trial.listeners where words.first.map(String.init) == listener.port {
            guard listener.address == "*" || words.count == 1 || listener.address == words[1] else { continue }
            throw SetupError("port \(listener.port) is a listener of /etc/mosquitto/\(listener.file) already")
        }
    }

    /// Compares the listeners that are there, and checks that ours asks for a password.
    private func compare(_ trial: TrialConfiguration, to before: [ListenerBehaviour]) throws {
        let after = trial.listeners.filter { $0.file != MosquittoConfiguration.name }.map(Self.answers)
        let own = trial.listeners.first { $0.file == MosquittoConfiguration.name }.map { Self.anonymous($0.spare) }
        guard let own, own.asksForPassword else {
            guard own?.isOpen == true else { throw SetupError("the new listener does not answer") }
            let open = present.filter { $0.value("allow_anonymous") == "true" }.map { files.path($0.name) }
            throw SetupError(
                "any client could connect without a password: \(open.joined(separator: " ")) says allow_anonymous true")
        }
        let changed = zip(before, after).filter { $0.anonymous != $1.anonymous }
        if before.count != after.count || !changed.isEmpty {
            let lines =
                changed.map { before, _ in "  before: \(before.listener): \(before.anonymous.words)" }
                + changed.map { _, after in "  with it: \(after.listener): \(after.anonymous.words)" }
            throw SetupError(
                """
                a listener that is there would not answer as before, since allow_anonymous, password_file and acl_file hold \
                for all listeners.
                \(Self.alternative),
                or give its other clients passwords as well:
                \(lines.joined(separator: "\n"))
                """)
        }
        let smaller = zip(before, after).filter { $0.answersToLargePackets != $1.answersToLargePackets }.map {
            before, _ in "  \(before.listener)"
        }
        if !smaller.isEmpty {
            throw SetupError(
                """
                a listener that is there would not take messages as before (acl_file, max_packet_size and their like hold for \
                all listeners):
                \(smaller.joined(separator: "\n"))
                """)
        }
    }

    /// Logs in as the user of the trial, and writes its own topic and that of another.
    private func checkRights(_ trial: TrialConfiguration, _ password: String) throws {
        let isEncrypted = new.contains { $0.name == BrokerPath.certificate }
        guard let own = trial.listeners.first(where: { $0.file == MosquittoConfiguration.name }),
            let connection = TrialConnection(
                port: own.spare, isEncrypted ? .authority(trial.folder + "/lockstep/ca.crt") : .none)
        else { throw SetupError("the new listener does not answer") }
        connection.send(
            .connect(isMQTT5: true, user: Array("trial".utf8), password: Array(password.utf8), client: "trial"))
        let reply = connection.receive()
        guard reply.count > 3, reply[0] == 0x20, reply[2...3] == [0, 0] else {
            let words = reply.isEmpty ? "nothing" : "\(reply)"
            throw SetupError("a user with its password could not log in (the broker answers \(words))")
        }
        func mayWriteHello(of user: String) -> Bool {
            let topic = Topics.filter(Topic.Leaf.hello.rawValue, of: user, in: "home")
            connection.send(.publish([120], to: topic))
            let reply = connection.receive()
            // A PUBACK, with a reason below 0x80 if it has one.
            return reply.count >= 4 && reply[0] == 0x40 && (reply.count == 4 || reply[4] < 0x80)
        }
        guard mayWriteHello(of: "trial") else {
            throw SetupError("a user could not write its own topic")
        }
        if mayWriteHello(of: "other") {
            throw SetupError("a user could write the topic of another")
        }
    }

    // MARK: Asking a listener

    private static func answers(of listener: TrialConfiguration.Listener) -> ListenerBehaviour {
        let anonymous = anonymous(listener.spare)
        return ListenerBehaviour(
            listener: listener.name, anonymous: anonymous,
            answersToLargePackets: answersToLargePackets(
                listener.spare, anonymous.isEncrypted ? .any : .none, isOpen: anonymous.isOpen))
    }

    /// Returns the answer to a CONNECT without a user, plain or else with TLS.
    private static func anonymous(_ port: Int) -> AnonymousReply {
        for encryption in [TrialConnection.Encryption.none, .any] {
            guard let connection = TrialConnection(port: port, encryption) else { continue }
            connection.send(.connect(isMQTT5: false))
            let packet = connection.receive()
            if case .any = encryption { return AnonymousReply(isEncrypted: true, packet: packet) }
            if !packet.isEmpty { return AnonymousReply(isEncrypted: false, packet: packet) }
        }
        return AnonymousReply(isEncrypted: false, packet: [])
    }

    /// Returns the answers to large packets. One is a CONNECT of 95 KiB with a name and a password, which ends the
    /// connection if packets are bounded (newer brokers always end it at 100,000 bytes). An open listener also gets a
    /// retained message of 200 KiB, the size of Zigbee2MQTT's list of devices.
    private static func answersToLargePackets(_ port: Int, _ encryption: TrialConnection.Encryption, isOpen: Bool)
        -> [[UInt8]]
    {
        let connection = TrialConnection(port: port, encryption)
        let letter = UInt8(ascii: "x")
        connection?.send(
            .connect(
                isMQTT5: false, user: Array(repeating: letter, count: 65_535),
                password: Array(repeating: letter, count: 32_000)))
        let answer = connection?.receive() ?? []
        guard isOpen, let connection = TrialConnection(port: port, encryption) else { return [answer] }
        // With MQTT 5, which gives a reason for a refused message. Its CONNACK contains a random client id.
        connection.send(.connect(isMQTT5: true))
        _ = connection.receive()
        connection.send(
            .publish(Array(repeating: letter, count: 204_800), to: "lockstep/trial/large", isRetained: true))
        return [answer, connection.receive()]
    }
}
