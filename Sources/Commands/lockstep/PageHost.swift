// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Settings

extension KioskReport {
    static let noPage =
        "this node serves no page: set LOCKSTEP_HTTP=127.0.0.1:7780 in its node.env and restart it, or run lockstep up --http "
        + "127.0.0.1:7780; for other machines LOCKSTEP_HTTPS=0.0.0.0:7743"

    static let onlyHere =
        "this node serves its page to its own machine only: set LOCKSTEP_HTTPS=0.0.0.0:7743 in its node.env and restart it, "
        + "or lockstep up --https 0.0.0.0:7743"

    /// Checks that the node answers at a host that a person names. For an origin, it only warns: a proxy there can ask
    /// the node for another host.
    func check(_ host: PageHost?, of page: Page) throws {
        guard let host else { return }
        let isHere = HostText.isLoopback(host.name)
        if page.isLoopback, host.origin == nil, !isHere {
            throw UsageError("\(Self.onlyHere), or name the proxy as --host https://pi.example.org")
        }
        guard !isHere, !host.isAddress, !names.contains(host.name) else { return }
        let problem =
            "the node does not answer to \(host.name): add it to LOCKSTEP_HTTP_HOSTS in the node's settings, then restart the node"
        guard host.origin != nil else { throw UsageError(problem) }
        CommandLineRunner.say("lockstep: unless the proxy asks for another host, \(problem)")
    }

    /// Returns the origin of a page as a browser reaches it.
    func origin(of page: Page, host: PageHost?, local: Bool = false) -> String {
        if let origin = host?.origin { return origin }
        if let host { return page.origin(at: host.host) }
        let own = local ? (page.host == "::" ? "::1" : "127.0.0.1") : "\(machine).local"
        return page.origin(at: HostText.isAny(page.host) ? own : page.host)
    }
}

/// The host or origin at which browsers reach the page, as a person types it.
struct PageHost {
    /// A whole origin, such as that of a proxy; `nil` where only a host is named.
    let origin: String?
    /// The name or the address.
    let host: String

    init(_ given: String) throws {
        // An address of IPv6 may stand in brackets, as in a URL.
        let isBracketed = given.first == "[" && given.last == "]" && given.contains(":")
        let text = isBracketed ? String(given.dropFirst().dropLast()) : given
        let origin = text.last == "/" ? String(text.dropLast()) : text
        let scheme = ["https://", "http://"].first { origin.hasPrefix($0) }
        if let scheme, let address = try? HTTPAddress(String(origin.dropFirst(scheme.count))) {
            (self.origin, host) = (origin, address.host)
        } else if HostText.accepts(text) {
            (self.origin, host) = (nil, text)
        } else {
            throw ValidationError(
                "“\(text)” is no host; write a name or an address without port, or an origin as https://pi.example.org")
        }
        guard !HostText.isAny(host) else {
            throw ValidationError(
                "“\(host)” stands for all addresses of a machine; write the one that the browser uses")
        }
    }

    var name: String { host.lowercased() }
    /// Whether the host is an address and not a name; every node answers to addresses.
    var isAddress: Bool { HostText.isAddress(host) }
}
