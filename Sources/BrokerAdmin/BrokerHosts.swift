// SPDX-License-Identifier: Apache-2.0

import Glibc
import Joining
import Platform
import Session
import TLS

/// The names and addresses of the broker's machine.
struct BrokerHosts {
    /// The name of the machine; `nil` if it has none that a certificate can hold.
    var name: HostName?
    /// The addresses of the machine in its networks, of IPv4 and IPv6, without loopback and link-local ones.
    var networkAddresses: [HostName]

    static func here() -> Self {
        var system = utsname()
        uname(&system)
        let text = withUnsafeBytes(of: system.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        let ipv4 = Interfaces.ipv4Addresses().filter { !HostText.isLoopback($0) }
        let ipv6 = Interfaces.ipv6Addresses().filter { ["2", "3", "fd"].contains(where: $0.hasPrefix) }
        return Self(name: HostName(text), networkAddresses: (ipv4 + ipv6).compactMap(HostName.init))
    }

    private var ownNames: [HostName] {
        guard case .name(let text) = name else { return [] }
        return [.name(text), HostName("\(text.prefix { $0 != "." }).local")].compactMap(\.self)
    }

    /// Returns the hosts of a new certificate, with those of the `present` one, on which nodes that joined rely.
    func certificateHosts(for host: HostName, keeping present: [HostName]) -> [HostName] {
        ([host, .name("localhost"), .address("127.0.0.1")] + ownNames + present).unique
    }

    /// Returns the hosts of an invitation in the order in which nodes try them: names first, since addresses change.
    func invitationHosts(for host: HostName, isOnLAN: Bool) -> [HostName] {
        let addresses: [HostName]
        if isOnLAN {
            let ipv4 = networkAddresses.first { !$0.text.contains(":") }
            let ipv6 = networkAddresses.first { $0.text.contains(":") }
            addresses = [ipv4, ipv6].compactMap(\.self)
        } else {
            addresses = [.address("127.0.0.1")]
        }
        let names = isOnLAN ? ownNames : []
        if case .name = host { return ([host] + names + addresses).unique }
        return (names + [host] + addresses).unique
    }

    /// Reads the option `--host`. An address of IPv6 may stand in brackets.
    /// - Throws: ``SetupError`` for what does not fit into a certificate or an address.
    static func host(option text: String) throws -> HostName {
        var text = text[...]
        if text.first == "[", text.last == "]" { text = text.dropFirst().dropLast() }
        let shown = "--host “\(LineText(showing: String(text)))”"
        guard !text.isEmpty else { throw SetupError(.wrong, "--host needs a name or an address") }
        guard text.count <= 64 else {
            throw SetupError(
                .wrong, "\(shown) has \(text.count) characters; the name in a certificate has 64 at most")
        }
        guard let host = HostName(String(text)), !text.contains("_") else {
            throw SetupError(
                .wrong,
                "\(shown) is neither a host name nor an address (letters, digits, “.” and “-”, or an address of IPv6)")
        }
        if case .name = host, text.allSatisfy({ $0.isNumber || $0 == "." }) {
            throw SetupError(
                .wrong, "\(shown) is not an address of IPv4: four numbers from 0 to 255, with dots between")
        }
        return host
    }
}

extension [HostName] {
    fileprivate var unique: [HostName] {
        var seen: Set<HostName> = []
        return filter { seen.insert($0).inserted }
    }
}
