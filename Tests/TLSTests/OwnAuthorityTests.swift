// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support
import Testing

@testable import TLS

/// The node's own authority for HTTPS, and the certificate that it signs.
@Suite(.limitedConcurrency) struct OwnAuthorityTests {
    private static let day: Int64 = 86_400
    private let now = SystemClock.wallMilliseconds() / 1_000
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func authority(_ names: String..., addresses: [String] = []) -> OwnAuthority {
        let addresses = addresses.compactMap { HostName($0) }
        return OwnAuthority(
            stateDirectory: directory.path, machine: "desk", names: names.compactMap { HostName($0) },
            addresses: { addresses })
    }

    private func file(_ name: String) -> String { directory.read("https/\(name).pem") }

    /// Lets OpenSSL check the certificate for a host, as a client that trusts the authority does.
    private func verify(_ kind: String, _ host: String) async throws {
        let (root, leaf) = (directory.file("https/authority.pem"), directory.file("https/certificate.pem"))
        try await Spawn.run(
            [
                try Spawn.find("openssl"), "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", root,
                "-verify_\(kind)", host, leaf,
            ], in: directory)
    }

    @Test func aClientThatTrustsTheAuthorityAcceptsEachName() async throws {
        let made = try authority("desk", "desk.local", "127.0.0.1", "::1", addresses: ["192.168.7.9"])
            .credentials(at: now)
        #expect(made.isAuthorityNew)
        #expect(made.authority.vouches(for: made.certificate))
        for host in ["desk", "desk.local"] { try await verify("hostname", host) }
        for host in ["127.0.0.1", "::1", "192.168.7.9"] { try await verify("ip", host) }
        await #expect(throws: Failed.self) { try await verify("hostname", "kitchen.local") }
        await #expect(throws: Failed.self) { try await verify("ip", "192.168.7.10") }
    }

    @Test func filesAreForTheNodeAlone() throws {
        _ = try authority("desk").credentials(at: now)
        #expect(try Files.mode(of: directory.file("https")) == 0o700)
        for name in ["authority", "certificate"] {
            #expect(try Files.mode(of: directory.file("https/\(name).pem")) == 0o600)
            #expect(file(name).contains("PRIVATE KEY"))
        }
    }

    @Test func nothingIsMadeAgainWhileItSuffices() throws {
        let first = try authority("desk", addresses: ["10.0.0.7"]).credentials(at: now)
        let before = [file("authority"), file("certificate")]
        // An address that is gone for a while stays in the certificate.
        let later = now + (OwnAuthority.certificateDays - OwnAuthority.renewalDays - 1) * Self.day
        let second = try authority("desk").credentials(at: later)
        #expect(!second.isAuthorityNew)
        #expect([file("authority"), file("certificate")] == before)
        #expect(second.authority.fingerprint == first.authority.fingerprint)
    }

    /// One is near its end, one has ended, and one was made while the clock was ahead.
    @Test(arguments: [370, 1_200, -2])
    func aCertificateThatIsNotValidForLongIsReplaced(days: Int64) throws {
        _ = try authority("desk").credentials(at: now)
        let before = [file("authority"), file("certificate")]
        let renewed = try authority("desk").credentials(at: now + days * Self.day)
        #expect(!renewed.isAuthorityNew)
        #expect(renewed.certificate.isValid(at: now + days * Self.day))
        #expect(file("authority") == before[0])
        #expect(file("certificate") != before[1])
    }

    /// Phones have installed the first one.
    @Test func anAuthorityThatAWrongClockReplacedIsUsedAgain() throws {
        let first = try authority("desk").credentials(at: now)
        #expect(try authority("desk").credentials(at: now + 18 * 365 * Self.day).isAuthorityNew)
        let again = try authority("desk").credentials(at: now)
        #expect(again.authority.fingerprint == first.authority.fingerprint)
        #expect(again.certificate.isValid(at: now))
        #expect(first.authority.vouches(for: again.certificate))
        #expect(try !authority("desk").credentials(at: now).isAuthorityNew)
    }

    @Test(arguments: ["authority", "authority-former"])
    func aSaveThatFailsLosesNoAuthorityThatPhonesTrust(name: String) throws {
        let first = try authority("desk").credentials(at: now)
        #expect(try authority("desk").credentials(at: now + 18 * 365 * Self.day).isAuthorityNew)
        // A folder has the name of the file that would become the saved one.
        let new = directory.file("https/\(name).pem.new")
        mkdir(new, 0o700)
        #expect(throws: CertificateError.self) { try authority("desk").credentials(at: now) }
        rmdir(new)
        let again = try authority("desk").credentials(at: now)
        #expect(!again.isAuthorityNew)
        #expect(again.authority.fingerprint == first.authority.fingerprint)
    }

    @Test func certificateIsValidForNoMoreThanTheLimitOfClients() throws {
        let made = try authority("desk").credentials(at: now)
        #expect(made.certificate.isValid(at: now))
        #expect(!made.certificate.isValid(at: now - 2 * 3_600))
        #expect(made.certificate.hasEnded(at: now + OwnAuthority.certificateDays * Self.day))
        #expect(OwnAuthority.certificateDays <= 398)
    }

    @Test func aNewAddressRenewsTheCertificateAlone() async throws {
        _ = try authority("desk").credentials(at: now)
        let before = file("authority")
        #expect(try !authority("desk", addresses: ["172.20.1.2"]).credentials(at: now).isAuthorityNew)
        #expect(file("authority") == before)
        try await verify("ip", "172.20.1.2")
    }

    @Test func aNameThatTheAuthorityMayNotSignNeedsAnotherAuthority() async throws {
        let first = try authority("desk").credentials(at: now)
        let second = try authority("desk", "pi.example.org").credentials(at: now)
        #expect(second.isAuthorityNew)
        #expect(!first.authority.vouches(for: second.certificate))
        try await verify("hostname", "pi.example.org")
    }

    /// A thief of the authority's key cannot sign for other sites.
    @Test(arguments: ["www.example.org", "com", "8.8.8.8", "2001:db8::1", "kitchen.local"])
    func constraintsExcludeOtherSites(host: String) throws {
        let made = try authority("desk", "desk.local").credentials(at: now)
        let name = try #require(HostName(host))
        let forged = try Credential(
            Credential.Content(
                subject: "forged", extensions: [(85, name.alternative)], validity: now - 60...now + Self.day),
            signedBy: made.authority)
        #expect(forged.holds(name))
        #expect(!made.authority.vouches(for: forged))
    }

    @Test func anExpiredAuthorityIsReplaced() throws {
        _ = try authority("desk").credentials(at: now)
        let later = now + (OwnAuthority.authorityDays + 1) * Self.day
        #expect(try authority("desk").credentials(at: later).isAuthorityNew)
    }

    @Test func aDamagedAuthorityIsNamedAndKept() throws {
        _ = try authority("desk").credentials(at: now)
        try directory.write("damaged", to: "https/authority.pem")
        let error = #expect(throws: CertificateError.self) { try authority("desk").credentials(at: now) }
        #expect(error?.description.contains("https/authority.pem is damaged; restore it, or delete it") == true)
        #expect(file("authority") == "damaged")
    }

    @Test func aDamagedCertificateIsReplaced() async throws {
        _ = try authority("desk").credentials(at: now)
        for damaged in ["", "damaged", file("authority")] {
            try directory.write(damaged, to: "https/certificate.pem")
            #expect(try !authority("desk").credentials(at: now).isAuthorityNew)
            try await verify("hostname", "desk")
        }
    }

    /// A node starts also on a full disk.
    @Test func aCertificateThatCannotBeSavedIsUsed() throws {
        let desk = authority("desk")
        let made = try desk.credentials(at: now)
        let path = directory.file("https/certificate.pem")
        unlink(path)
        for folder in [path, path + "/full"] { mkdir(folder, 0o700) }
        let used = try desk.credentials(at: now)
        #expect(used.authority.certificatePEM == made.authority.certificatePEM)
        #expect(used.authority.vouches(for: used.certificate))
        #expect(!used.isAuthorityNew)
    }

    @Test(arguments: [
        ("desk", "DNS:desk"), ("DESK.local", "DNS:desk.local"), ("10.0.0.7", "IP:10.0.0.7"), ("::1", "IP:::1"),
        ("a,DNS:evil", nil), ("a b", nil), ("", nil), ("*.example", nil), ("desk.", nil), ("bücher.example", nil),
    ])
    func hostsAreNamesOrAddresses(text: String, alternative: String?) {
        #expect(HostName(text)?.alternative == alternative)
    }

    @Test func longNamesOfMachinesAreCut() throws {
        let name = String(repeating: "a", count: 63)
        let long = OwnAuthority(
            stateDirectory: directory.path, machine: name, names: [HostName(name)].compactMap(\.self))
        #expect(try long.credentials(at: now).isAuthorityNew)
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("192.0.2.1", false), ("fd00::5", true), ("fc12::1", true), ("2001:db8::1", false),
        ("fe80::1", false),
        ("::1", false),
    ])
    func privateAddressesAreTold(address: String, isPrivate: Bool) {
        #expect(PrivateNetworks.contain(address) == isPrivate)
    }

    @Test func anIPv6AddressOfThisMachineIsInTheCertificate() throws {
        let made = try OwnAuthority(
            stateDirectory: directory.path, machine: "desk", names: [.name("desk")],
            addresses: { [.address("fd00::5")] }
        ).credentials(at: now)
        #expect(made.authority.vouches(for: made.certificate))
        #expect(made.certificate.holds(.address("fd00::5")))
    }

    /// A certificate holds no public address, for which the authority may not sign.
    @Test func privateAddressesOfThisMachineArePermitted() throws {
        #expect(Interfaces.ipv4Addresses().contains("127.0.0.1"))
        let own = PrivateNetworks.addressesOfThisMachine()
        #expect(!own.contains(.address("127.0.0.1")))
        let made = try OwnAuthority(
            stateDirectory: directory.path, machine: "desk", names: [.name("desk")], addresses: { own }
        ).credentials(at: now)
        #expect(made.authority.vouches(for: made.certificate))
        #expect(own.allSatisfy(made.certificate.holds))
    }
}
