// SPDX-License-Identifier: Apache-2.0

import Glibc
import Joining
import Mosquitto
import Session
import Settings
import Support
import Testing

/// Joining, leaving and revoking, with a real mosquitto, real files and the programs as people run them.
@Suite(.limitedConcurrency, .retriedAfterStall) struct JoinTests {
    @Test func aMachineJoinsByTheSecondAddressAndLeaves() async throws {
        let broker = try await BrokerMachine("--tls", "--host", "nowhere.invalid")
        let machine = try JoiningMachine()
        let before = try machine.tree
        let token = try await broker.invite("kitchen-pi")
        #expect(token.count <= JoinToken.lengthLimit)
        try await machine.lockstep("join", token).expect(
            says: "kitchen-pi is connected to mqtts://127.0.0.1:\(broker.port)")
        #expect(machine.setting("LOCKSTEP_TLS_PINNED") == "on")
        #expect(try machine.tree.contains("etc/lockstep/joined.env 600"))
        #expect(try machine.tree.contains("etc/lockstep/password 600"))
        try await machine.waitUntilLinked()
        try await eventually("the broker knows it") {
            let member = try await broker.member("kitchen-pi")
            return member.state == "joined" && member.online == true
        }
        try await machine.lockstep("leave").expect(says: "sudo lockstep revoke kitchen-pi")
        #expect(try machine.tree == before)
        #expect(try await machine.lockstep("leave").code == 3)
    }

    @Test func revokingCutsTheConnectionAndClearsWhatIsRetained() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        #expect(try await machine.lockstep("join", broker.invite("desk")).code == 0)
        let port = broker.port
        let other = try await Self.secret(broker, "other")
        try await Peer.with("other", port: port, password: other) { peer in
            _ = try await peer.waitFor("presence", of: "desk", "desk online") { $0.online == true }
            #expect(try await broker.lockstep("revoke", "desk").code == 0)
            try await eventually("desk offline") {
                peer.messages(on: "presence", of: "desk").contains { $0.online == false }
            }
        }
        try await eventually("the node is cut off") { !machine.isNodeLinked }
        let member = try await broker.member("desk")
        member.expect(["state": "revoked", "lastSeen": .null])
    }

    @Test func feedsOfTheLastServiceOfARoleAreClearedAtItsEnd() async throws {
        let broker = try await BrokerMachine()
        let desk = try await Self.secret(broker, "desk")
        for (name, role, leaves) in [("quiet", "calm", ["calm"]), ("quieter", "calm", [])] {
            let secret = try await Self.secret(broker, name, role: role)
            try await Peer.with(name, port: broker.port, password: secret) { peer in
                for leaf in leaves { try await peer.publish(feed: leaf, [123, 125]) }
            }
        }
        try await Peer.with("desk", port: broker.port, password: desk) { peer in
            func retained() -> Set<String> {
                var present: Set<String> = []
                for message in peer.messages where message.topic.contains("/feed/") {
                    let leaf = String(message.topic.split(separator: "/", maxSplits: 4).last ?? "")
                    if message.payload.isEmpty { present.remove(leaf) } else { present.insert(leaf) }
                }
                return present
            }
            try await eventually("the feed") { retained() == ["calm"] }
            // Another member still publishes this feed.
            #expect(try await broker.lockstep("revoke", "quiet").code == 0)
            #expect(retained() == ["calm"])
            #expect(try await broker.lockstep("revoke", "quieter").code == 0)
            try await eventually("no calm") { retained().isEmpty }
        }
    }

    @Test func aKioskForAPersonOrAServiceAndContradictingSettingsAreRefused() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        let before = try machine.tree
        let (node, calm) = (try await broker.invite("desk"), try await broker.invite("ear", "--role", "calm"))
        for (words, reason) in [
            ([node, "--user"], "--user"), ([node, "--json"], "lockstep kiosk enable"), ([calm], "shows no page"),
        ] {
            try await CommandLine.run(
                ["join", "--kiosk"] + words + ["--destdir", machine.directory.path]
            ).expect(2, errors: reason)
        }
        #expect(try machine.tree == before)
        for folder in ["etc", "etc/lockstep"] { mkdir(machine.directory.file(folder), 0o755) }
        try machine.directory.write("LOCKSTEP_SPACE=hall\n", to: "etc/lockstep/node.env")
        try await machine.lockstep("join", node).expect(3, errors: "node.env sets LOCKSTEP_SPACE")
    }

    @Test func aForeignAuthorityGetsNoSecret() async throws {
        let broker = try await BrokerMachine("--tls")
        let machine = try JoiningMachine()
        let before = try machine.tree
        var invitation = try JoinToken.decode(try await broker.invite("desk"))
        invitation.fingerprint = [UInt8](repeating: 7, count: 32)
        let logged = broker.log
        try await machine.lockstep("join", try JoinToken.encode(invitation)).expect(3, errors: "another fingerprint")
        try await eventually("the broker logs it") { broker.log.dropFirst(logged.count).contains("New connection") }
        let new = broker.log.dropFirst(logged.count)
        #expect(!new.contains("CONNACK"), "\(new)")
        #expect(!new.contains("desk"), "\(new)")
        #expect(try machine.tree == before)
    }

    @Test func anIDThatIsNotAllowedIsNamedWithASimilarOne() async throws {
        for (name, proposal) in [
            ("Kitchen Pi", "is not -; similar: kitchen-pi\n"), ("_Küche", "similar: k-che\n"),
            ("+", "is not -\n"),
        ] {
            let refused = try await CommandLine.run(["invite", name, "--destdir", "/nonexistent"])
            refused.expect(2, errors: "1 to 32 characters of a-z, 0-9 and -")
            #expect(refused.errors.hasSuffix(proposal), "\(refused)")
        }
    }

    @Test func badInvitationsAreNamed() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        let token = try await broker.invite("desk")
        try await machine.lockstep("join", "foo").expect(2, errors: "this is not an invitation")
        try await machine.lockstep("join", String(token.dropLast(7))).expect(2, errors: "cut off")
        var invitation = try JoinToken.decode(token)
        invitation.secret = "abcdefghijklmnopqrstuvwx"
        try await machine.lockstep("join", try JoinToken.encode(invitation)).expect(
            3, errors: "was revoked or withdrawn")
        invitation.expires = 5_000
        let expired = try await machine.lockstep("join", try JoinToken.encode(invitation))
        #expect(expired.errors.contains("it expired at 1970-01-01"), "\(expired)")
        #expect(try machine.tree.isEmpty)
    }

    /// In the end, the same invitation works.
    @Test func aJoinThatFailsOrIsInterruptedOrKilledIsUndone() async throws {
        let broker = try await BrokerMachine("--tls")
        let machine = try JoiningMachine()
        let token = try await broker.invite("desk")
        try machine.directory.write("", to: "broken")
        let joined = try await machine.lockstep("join", token, "--json").expect(3)
        #expect(joined.json.problem.text?.contains("does not start") == true)
        #expect(try machine.tree.isEmpty)
        let calls = machine.directory.read("calls")
        #expect(calls.contains("disable --quiet lockstep-node.service"))
        unlink(machine.directory.file("broken"))
        for signal in [SIGINT, SIGHUP] {
            let child = try await machine.joinThatHangs(token)
            #expect(try machine.tree.contains("etc/lockstep/joined.env 600"))
            #expect(try machine.tree.contains("run/lockstep-join/password 600"))
            try await machine.lockstep("join", token).expect(3, errors: "another lockstep join runs")
            try await machine.end(child, signal).expect(130, errors: "interrupted")
            #expect(try machine.tree.isEmpty)
            unlink(machine.directory.file("hang"))
        }
        for next in ["leave", "join"] {
            try await machine.end(try await machine.joinThatHangs(token), SIGKILL).expect(137)
            #expect(try machine.tree.contains("etc/lockstep/password 600"))
            unlink(machine.directory.file("hang"))
            let after = try await next == "join" ? machine.lockstep("join", token) : machine.lockstep("leave")
            #expect(after.code == 0, "\(after)")
            #expect(try !machine.tree.contains { $0.hasPrefix("run/") })
            if next == "join" {
                try await machine.waitUntilLinked()
            } else {
                #expect(try machine.tree.isEmpty)
            }
        }
    }

    @Test func aLeaveThatFailsRestoresFilesAndService() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        try await machine.lockstep("join", broker.invite("desk")).expect()
        let before = try machine.tree
        // A folder is not removed as a file.
        let obstacle = machine.directory.file("etc/lockstep/broker-ca.crt")
        mkdir(obstacle, 0o755)
        try await machine.lockstep("leave").expect(
            3, says: "lockstep-node.service and its files are as before", errors: obstacle)
        #expect(try machine.tree == before)
        try await machine.waitUntilLinked()
        rmdir(obstacle)
        try await machine.lockstep("leave").expect()
        #expect(try machine.tree.isEmpty)
    }

    @Test func twoFirstSetupsAtOnceComeOneAfterTheOther() async throws {
        let directory = try TemporaryDirectory()
        func setup(_ port: String) async throws -> CommandResult {
            try await CommandLine.run(["broker", "setup", "--port", port, "--destdir", directory.path])
        }
        async let first = setup("1883")
        async let second = setup("1884")
        let results = try await [first, second]
        for result in results { result.expect() }
        // The later one knows the broker of the earlier one.
        #expect(results.count { $0.errors.contains("cannot connect any more") } == 1, "\(results)")
    }

    @Test func anEarlyInterruptIsNoMissingBroker() async throws {
        let machine = try JoiningMachine()
        let port = Port.free()
        // It takes connections, and says nothing.
        let silent = try Port.listen(port)
        defer { close(silent) }
        let invitation = Invitation(
            hosts: ["127.0.0.1"], port: port, fingerprint: Array(0..<32), role: .node, space: NodeSettings.defaultSpace,
            node: NodeID.desk, secret: "abcdefghijklmnopqrstuvwx", expires: 1_900_000_000_000)
        let child = try machine.start("join", try JoinToken.encode(invitation))
        try await eventually("the broker is looked for") {
            var wait = pollfd(fd: silent, events: Int16(POLLIN), revents: 0)
            return poll(&wait, 1, 0) == 1
        }
        try await machine.end(child, SIGINT).expect(130, errors: "interrupted")
        #expect(try machine.tree.isEmpty)
    }

    @Test func anUnusedInvitationIsWithdrawnAndAUsedOneIsNot() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        #expect(try await machine.lockstep("join", broker.invite("used")).code == 0)
        let unused = try await broker.invite("unused")
        let again = try await broker.invite("unused")
        #expect(unused == again)
        let program = try await broker.lockstep("invite", "hall", "--role", "remote", "--program", "--json")
        #expect(program.json.user == "hall", "\(program)")
        let members = try broker.directory.read("etc/mosquitto/lockstep/members")
        try broker.directory.write(
            members.replacing(#/invited \d+/#, with: "invited 5"), to: "etc/mosquitto/lockstep/members")
        let expired = try await broker.lockstep("invite", "--expire", "--json")
        #expect(expired.json.expired.items.map(\.text) == ["unused"], "\(expired)")
        #expect(try await broker.member("unused").state == "expired")
        for name in ["used", "hall"] { #expect(try await broker.member(name).state == "joined") }
        let late = try await JoiningMachine().lockstep("join", unused)
        #expect(late.code == 3, "\(late)")
    }

    @Test func anInvitationIsReadFromStandardInputAndASecondMachineIsRefused() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        let second = try JoiningMachine()
        let token = try await broker.invite("desk")
        try await machine.join(readingFromInput: "sudo lockstep join").expect(2, errors: "the invitation is missing")
        try await machine.join(readingFromInput: token).expect()
        try await second.lockstep("join", token).expect(3, errors: "this invitation was used")
        #expect(try second.tree.isEmpty)
        try await machine.lockstep("join", token).expect(3, errors: "joined already")
        try await machine.waitUntilLinked()
    }

    @Test func aBrokerThatIsDownIsNamed() async throws {
        let broker = try await BrokerMachine("--tls")
        let machine = try JoiningMachine()
        let token = try await broker.invite("desk")
        broker.stop()
        try await machine.lockstep("join", token).expect(6, errors: "127.0.0.1:\(broker.port)")
        #expect(try machine.tree.isEmpty)
    }

    @Test func aPersonAndAServiceJoinAndWithoutAManagerTheSettingsAreWritten() async throws {
        let broker = try await BrokerMachine("--tls")
        let person = try JoiningMachine(isPersonal: true)
        try await person.lockstep("join", broker.invite("laptop", "--role", "remote")).expect()
        #expect(try person.tree.contains("home/.config/lockstep/joined.env 600"))
        #expect(person.setting("LOCKSTEP_ROLE") == "remote")
        #expect(person.setting("LOCKSTEP_PASSWORD_FILE") == person.directory.file("home/.config/lockstep/password"))
        #expect(try await person.lockstep("leave").code == 0)
        #expect(try person.tree.isEmpty)
        let machine = try JoiningMachine()
        try await machine.lockstep("join", broker.invite("calm", "--role", "calm")).expect()
        #expect(machine.setting("LOCKSTEP_NODE", in: "joined-calm.env") == "calm")
        let bare = try JoiningMachine(hasManager: false)
        try await bare.lockstep("join", broker.invite("debt", "--role", "debt")).expect(says: "no service manager")
        #expect(try bare.tree.contains("etc/lockstep/debt-password 600"))
    }

    @Test func aBrokerOfOnesOwnIsJoinedWithAPasswordFile() async throws {
        try await Broker.withBroker(Broker.Options(users: ["desk": "right one"])) { broker in
            let machine = try JoiningMachine()
            let file = try machine.directory.write("wrong\n", to: "word")
            let url = "mqtt://desk@127.0.0.1:\(broker.port)"
            chmod(file, 0o644)
            try await machine.lockstep("join", url, "--password-file", file).expect(2, errors: "chmod 600 \(file)")
            chmod(file, 0o600)
            try await machine.lockstep("join", url, "--password-file", file).expect(3, errors: "refuses the user desk")
            #expect(try machine.tree.isEmpty)
            try machine.directory.write("right one\n", to: "word")
            try await machine.lockstep("join", url, "--password-file", file, "--space", "studio").expect()
            #expect(machine.setting("LOCKSTEP_SPACE") == "studio")
            #expect(try await machine.lockstep("join", "mqtt://desk:word@127.0.0.1").code == 2)
            try await machine.lockstep("join", "mqtt://a%0aX@127.0.0.1").expect(2, errors: "password of a\u{FFFD}X is")
        }
    }

    /// Invites a node, and returns its password.
    static func secret(_ broker: BrokerMachine, _ node: String, role: String = "node", space: String = "home")
        async throws -> String
    {
        try JoinToken.decode(try await broker.invite(node, "--role", role, "--space", space)).secret
    }
}
