// SPDX-License-Identifier: Apache-2.0

import Glibc
import Joining
import Platform
import Session
import Settings
import Support
import TLS
import Testing

@testable import BrokerAdmin

/// The files of a broker, its names and addresses, and its certificate.
@Suite(.limitedConcurrency) struct BrokerFilesTests {
    private let directory: TemporaryDirectory
    private var files: BrokerFiles { BrokerFiles(root: directory.path) }

    init() throws { directory = try TemporaryDirectory() }

    // MARK: Files

    @Test func eachFileHasTheModeOfItsReader() throws {
        for (reader, mode) in [(BrokerFile.Reader.root, mode_t(0o600)), (.broker, 0o600), (.all, 0o644)] {
            try files.install(BrokerFile("lockstep/some", "text", for: reader))
            #expect(try Files.mode(of: files.path("lockstep/some")) == mode)
        }
        #expect(try Files.mode(of: files.path("lockstep")) == 0o755)
        #expect(try files.text("lockstep/some") == "text")
        try files.remove("lockstep/some")
        try files.remove("lockstep/some")
        #expect(try files.text("lockstep/some") == nil)
    }

    @Test func aFileThatWouldChangeIsNamed() throws {
        try files.install(BrokerFile("lockstep/passwd", [100, 58, 0xFF, 10], for: .broker))
        let error = #expect(throws: SetupError.self) { try files.members() }
        #expect(error?.description.contains("\(files.path("lockstep/passwd")) is not text in UTF-8") == true)
        try files.install(BrokerFile("lockstep/address", "http pi 80", for: .all))
        #expect(throws: SetupError.self) { try files.listener() }
    }

    @Test func theConfigurationIsReadInTheOrderOfMosquitto() throws {
        for name in ["zz.conf", "00.conf", "lockstep.conf", "note.txt"] {
            try files.install(BrokerFile("conf.d/\(name)", "user x", for: .all))
        }
        #expect(try files.configuration().map(\.name) == ["conf.d/00.conf", "conf.d/zz.conf"])
        try files.install(BrokerFile("mosquitto.conf", "", for: .all))
        #expect(try files.configuration().first?.name == "mosquitto.conf")
    }

    /// The script of former versions wrote them.
    @Test func theFilesOfAnEarlierBrokerAreUsedFurther() async throws {
        let secret = "abcdefghijklmnopqrstuv01"
        for (name, text) in [
            ("passwd", "_local:$7$101$a$b\ndesk:$7$101$c$d\nolder:$7$101$e$f\nlate:$7$101$e$f\n"),
            ("desk.join", secret),
            ("late.join", secret),
            (
                "members",
                "desk node home invited 4000000000\nlate node home invited 1700000000\nwall display + revoked 1700000000\n"
            ), ("local", "a"),
            ("address", "mqtt 192.0.2.7 1884\n"), ("lan", "yes\n"),
        ] {
            try files.install(BrokerFile("lockstep/\(name)", text, for: .root))
        }
        var membership = try Membership(files)
        let desk = NodeID.desk
        let invitation = try await membership.invite(desk, role: .node, space: NodeSettings.defaultSpace)
        #expect(invitation.secret == secret)
        #expect(invitation.expires == 4_000_000_000_000)
        #expect(invitation.port == 1_884)
        #expect(invitation.hosts.contains("192.0.2.7"))
        await #expect(throws: SetupError.self) {
            _ = try await membership.invite(desk, role: .display, space: NodeSettings.defaultSpace)
        }
        #expect(try await membership.members().map(\.node) == ["desk", "late", "older", "wall"])
        // An invitation that is over, and not withdrawn yet, is extended.
        let late = try #require(NodeID("late"))
        let extended = try await membership.invite(late, role: .node, space: NodeSettings.defaultSpace)
        #expect(extended.secret == secret)
        #expect(extended.expires > 1_790_000_000_000)
        // A revoked member may be invited again.
        let wall = try #require(NodeID("wall"))
        #expect(try await membership.invite(wall, role: .display, space: NodeSettings.defaultSpace).secret != secret)
        let access = try #require(try files.text("lockstep/acl"))
        for user in ["desk", "older", "wall"] { #expect(access.contains("\nuser \(user)\n")) }
        #expect(try await membership.revoke(desk))
        #expect(try files.text("lockstep/passwd")?.contains("desk:") == false)
        #expect(try files.text("lockstep/members")?.contains("desk node home revoked ") == true)
        #expect(!files.has("lockstep/desk.join"))
    }

    @Test func aProgramHasJoinedAtOnceAndKeepsItsPassword() async throws {
        try files.install(BrokerFile("lockstep/address", "mqtt 192.0.2.7 1884\n", for: .all))
        try files.install(BrokerFile("lockstep/passwd", "", for: .broker))
        var membership = try Membership(files)
        let bridge = try #require(NodeID("home-assistant"))
        let user = try await membership.invite(bridge, role: .remote, space: NodeSettings.defaultSpace, isProgram: true)
        #expect(try await membership.members().map(\.state) == [.joined])
        #expect(try files.text("lockstep/home-assistant.join") == user.secret)
        let same = try await membership.invite(bridge, role: .remote, space: NodeSettings.defaultSpace, isProgram: true)
        #expect(same.secret == user.secret)
        await #expect(throws: SetupError.self) {
            _ = try await membership.invite(bridge, role: .remote, space: NodeSettings.defaultSpace)
        }
        #expect(try await membership.revoke(bridge))
        #expect(!files.has("lockstep/home-assistant.join"))
    }

    @Test func theFirstSetupHoldsTheLockAndLeavesNothingIfItFails() async throws {
        try await files.lock(makesFolder: false)
        #expect(!files.has("lockstep"))
        try await files.lock(makesFolder: true)
        let other = open(files.path("lockstep/lock"), O_RDONLY | O_CLOEXEC)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
        files.removeEmptyFolder()
        #expect(!files.has("lockstep"))
        var options = BrokerRequest.Options()
        options.port = 0
        let error = await #expect(throws: SetupError.self) {
            try await BrokerAdmin.carryOut(.setUp(options), program: "", root: directory.path)
        }
        #expect(error?.description.contains("--port") == true)
        #expect(!files.has("lockstep"))
    }

    @Test func aMachineWithoutABrokerIsNamed() {
        let error = #expect(throws: SetupError.self) { try Membership(files) }
        #expect(error?.description.contains("sudo lockstep broker setup") == true)
    }

    // MARK: Names and addresses

    @Test(arguments: [
        String(repeating: "a", count: 65), "two words", "desk;x", "fd77::11%eth0", "999.1.1.1", "12", "1.2.3",
        "1.2.3.4.5",
        "01.2.3.4", ":::", "1::2::3", ":1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1.2.3.400", "a..b", "", "a_b",
        "[pi",
        "pi\nlistener 1", "a,DNS:evil", "*.lan", "-a", "bücher",
    ])
    func aHostThatNoCertificateCanHoldIsNamed(text: String) {
        let error = #expect(throws: SetupError.self) { try BrokerHosts.host(option: text) }
        #expect(error?.kind == .wrong)
        #expect(error?.description.contains("--host") == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: [
        ("pi.LAN", "pi.lan"), ("192.0.2.7", "192.0.2.7"), ("[fd77::11]", "fd77::11"),
        ("FD77:0:0:0:0:0:0:11", "fd77::11"),
        ("::ffff:1.2.3.4", "::ffff:1.2.3.4"), ("7pi", "7pi"),
    ])
    func aHostIsANameOrAnAddress(text: String, host: String) throws {
        #expect(try BrokerHosts.host(option: text).text == host)
    }

    @Test func anInvitationNamesTheMachineBeforeItsAddresses() throws {
        let here = BrokerHosts(
            name: HostName("hall.example.org"),
            networkAddresses: ["192.168.1.5", "10.0.0.1", "fd77::11", "fd77::12"].compactMap(HostName.init))
        func hosts(_ host: String, isOnLAN: Bool) throws -> [String] {
            here.invitationHosts(for: try #require(HostName(host)), isOnLAN: isOnLAN).map(\.text)
        }
        let names = ["hall.example.org", "hall.local"]
        #expect(try hosts("pi.lan", isOnLAN: true) == ["pi.lan"] + names + ["192.168.1.5", "fd77::11"])
        #expect(try hosts("10.0.0.1", isOnLAN: true) == names + ["10.0.0.1", "192.168.1.5", "fd77::11"])
        #expect(try hosts("localhost", isOnLAN: false) == ["localhost", "127.0.0.1"])
        #expect(try hosts("fd77::11", isOnLAN: false) == ["fd77::11", "127.0.0.1"])
    }

    @Test func aPlaceIsReadBack() throws {
        for text in ["mqtt 192.0.2.7 1883\n", "mqtts fd77::11 8883\n"] {
            #expect(BrokerListener(text)?.text == text)
        }
        #expect(BrokerListener("mqtts FD77::11 8883")?.url == "mqtts://[fd77::11]:8883")
        for text in ["", "mqtt pi", "mqtt pi 0", "mqtt pi 65536", "http pi 80", "mqtt p;i 80", "mqtt a 1 b"] {
            #expect(BrokerListener(text) == nil, "\(text)")
        }
    }

    // MARK: Certificate

    private let now = SystemClock.wallMilliseconds() / 1_000
    private let here = BrokerHosts(name: HostName("hall"), networkAddresses: [])

    private func make(for host: String) throws -> BrokerCertificate {
        let made = try BrokerCertificate(for: try #require(HostName(host)), here, in: files, at: now)
        for file in made.files { try files.install(file) }
        return made
    }

    /// Lets OpenSSL check the certificate, as a node does.
    private func verify(_ host: String, strictly: Bool = true) async throws {
        let kind = host.contains(":") || host.last?.isNumber == true ? "ip" : "hostname"
        try await Spawn.run(
            [
                try Spawn.find("openssl"), "verify", "-purpose", "sslserver", "-CAfile", files.path("lockstep/ca.crt"),
                "-verify_\(kind)", host,
            ] + (strictly ? ["-x509_strict"] : []) + [files.path("lockstep/server.crt")], in: directory)
    }

    @Test func aNewCertificateKeepsTheNamesOfThePresentOne() async throws {
        let first = try make(for: "fd77::11")
        let second = try make(for: "new.lan")
        #expect(second.authority == first.authority)
        #expect(second.key != first.key)
        #expect(second.hosts.map(\.text) == ["new.lan", "localhost", "127.0.0.1", "hall", "hall.local", "fd77::11"])
        #expect(try make(for: "new.lan").hosts == second.hosts)
        for host in second.hosts.map(\.text) { try await verify(host) }
        await #expect(throws: Failed.self) { try await verify("other.lan") }
        // The broker presents its authority too.
        #expect(second.chain.count > second.authority.count)
        #expect(Array(second.chain.suffix(second.authority.count)) == second.authority)
    }

    @Test func aCertificateWhoseNamesCannotBeReadStopsTheSetup() throws {
        _ = try make(for: "pi.lan")
        try files.install(BrokerFile("lockstep/server.crt", "nothing", for: .all))
        let error = #expect(throws: SetupError.self) { try make(for: "pi.lan") }
        #expect(error?.description.contains("cannot read the names in \(files.path("lockstep/server.crt"))") == true)
        try files.remove("lockstep/server.crt")
        try files.install(BrokerFile("lockstep/ca.key", "nothing", for: .root))
        #expect(throws: CertificateError.self) { try make(for: "pi.lan") }
    }

    /// As the script of former versions made it.
    @Test func anAuthorityThatOpenSSLMadeIsUsedFurther() async throws {
        try files.install(BrokerFile("lockstep/address", "", for: .all))
        let (key, certificate) = (files.path("lockstep/ca.key"), files.path("lockstep/ca.crt"))
        try await Spawn.run(
            [
                try Spawn.find("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes", "-days", "3650", "-sha256", "-subj", "/CN=Lockstep broker authority", "-keyout", key, "-out",
                certificate,
            ], in: directory)
        let before = try files.bytes("lockstep/ca.crt")
        #expect(try make(for: "pi.lan").authority == before)
        try await verify("pi.lan", strictly: false)
    }
}
