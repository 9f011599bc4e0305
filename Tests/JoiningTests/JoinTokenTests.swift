// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Joining
@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct JoinTokenTests {
    static func invitation(
        hosts: [String] = ["pi.lan", "pi.local", "192.168.1.5", "fd77::11"], isEncrypted: Bool = true,
        role: MemberRole = .node, space: String = "home", node: String = "kitchen-pi"
    ) throws -> Invitation {
        Invitation(
            hosts: hosts, port: isEncrypted ? 8_883 : 1_883, fingerprint: isEncrypted ? Array(100..<132) : nil,
            role: role, space: try #require(SpaceID(space)), node: try #require(NodeID(node)),
            secret: "abcdefghijklmnopqrstuv01", expires: 1_795_000_000_000)
    }

    @Test(arguments: MemberRole.allCases, [true, false])
    func tokenIsReadBack(role: MemberRole, isEncrypted: Bool) throws {
        for space in ["home", "studio-3"] {
            let invitation = try Self.invitation(isEncrypted: isEncrypted, role: role, space: space)
            #expect(try JoinToken.decode(JoinToken.encode(invitation)) == invitation)
        }
    }

    /// Other versions read these bytes, in which the role is a number.
    @Test func tokenHasFixedBytes() throws {
        #expect(
            try JoinToken.encode(Self.invitation(role: .debt, space: "studio-3"))
                == "lockstep1-cBwis2r9hsBptx15-CGKOSWaeimquy26_TVkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ent8fX5_gIGCgwpraXRjaGVuL"
                + "XBpCHN0dWRpby0zBnBpLmxhboOBwKgBBYL9dwAAAAAAAAAAAAAAAAARaEWYUA")
    }

    @Test func longestNamesFitIntoAToken() throws {
        let longest = String(repeating: "n", count: 32)
        let host = String(repeating: "h", count: 63) + ".example.org"
        let hosts = [host, "\(host.prefix(63)).local", "255.255.255.255", "2001:db8:1111:2222:3333:4444:5555:6666"]
        let token = try JoinToken.encode(try Self.invitation(hosts: hosts, space: longest, node: longest))
        #expect(token.utf8.count <= JoinToken.lengthLimit)
        // The names have no room beside the addresses.
        #expect(try JoinToken.decode(token).hosts == Array(hosts[2...]))
    }

    @Test func aNameThatIsTooLongIsLeftOutAndNotCut() throws {
        let host = Array(repeating: String(repeating: "h", count: 43), count: 3).joined(separator: ".")
        #expect(throws: ValueError.self) {
            try JoinToken.encode(try Self.invitation(hosts: [host], isEncrypted: false))
        }
    }

    @Test func namesThatFitAreKept() throws {
        let token = try JoinToken.encode(try Self.invitation(space: String(repeating: "s", count: 32)))
        #expect(token.utf8.count <= JoinToken.lengthLimit)
        #expect(try JoinToken.decode(token).hosts.count == 4)
    }

    @Test func everyTruncationIsNamed() throws {
        let token = try JoinToken.encode(try Self.invitation())
        for count in "lockstep1-".count..<token.count {
            let error = #expect(throws: ValueError.self) { try JoinToken.decode(String(token.prefix(count))) }
            #expect(error?.description.contains("is cut off: \(count) characters") == true, "\(count)")
        }
    }

    @Test func everyChangedCharacterIsRefused() throws {
        let token = Array(try JoinToken.encode(try Self.invitation()))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_ü+/")
        var random = Random(seed: 23)
        for index in token.indices {
            for _ in 0..<20 {
                var changed = token
                changed[index] = alphabet[Int(random.next() % UInt64(alphabet.count))]
                guard changed != token else { continue }
                #expect(throws: ValueError.self) { try JoinToken.decode(String(changed)) }
            }
        }
    }

    @Test func whiteSpaceOfAPasteIsIgnored() throws {
        let invitation = try Self.invitation()
        let token = try JoinToken.encode(invitation)
        #expect(try JoinToken.decode(" \(token.prefix(80))\n\(token.dropFirst(80)) \n") == invitation)
    }

    @Test func aNewerVersionIsNamed() {
        let error = #expect(throws: ValueError.self) { try JoinToken.decode("lockstep2-AAAA") }
        #expect(error?.description.contains("a newer Lockstep") == true)
    }

    @Test(arguments: ["", "lockstep", "lockstep-", "mqtt://host", "lockstepx-AAAA", "LOCKSTEP1-AAAA"])
    func otherTextsAreRefused(text: String) {
        let error = #expect(throws: ValueError.self) { try JoinToken.decode(text) }
        #expect(error?.description.contains("not an invitation: one begins with lockstep1-") == true)
        #expect(error?.description.contains("sudo lockstep invite NAME") == true)
    }

    /// No key is needed to make these. The checksum is right, and a field holds something else.
    @Test(arguments: [
        "x\nLOCKSTEP_HOOK_STARTED=id>/run/lockstep/pwned||x", "x\rLOCKSTEP_TLS_PINNED=off", "-help", "pi.-lan", "a b",
        "a,b",
        "pi/", "user@pi", "pi:1883", "\u{0}", "\u{1B}[2J", "'pi'", "\"pi", "pi\\", "$(id)", "bücher", "pi%25",
        "fe80::1%eth0\nX=y",
    ])
    func aForgedHostIsRefusedAndShownClean(host: String) throws {
        let token = try Self.forged(host: Array(host.utf8))
        let error = #expect(throws: ValueError.self) { try JoinToken.decode(token) }
        #expect(error?.description.contains("its broker is “") == true)
        let text = "\(String(describing: error))"
        #expect(LineText(line: error?.description ?? "\n") != nil, "\(text)")
        // Such a name of the broker's machine is left out, so that invite prints no token that join refuses.
        let made = try JoinToken.encode(try Self.invitation(hosts: [host, "pi.lan"]))
        #expect(try JoinToken.decode(made).hosts == ["pi.lan"])
    }

    @Test func forgedBytesPortsAndSecretsAreRefused() throws {
        for (host, port, secret) in [
            ([0xFF, 0xFE], 1_883, nil), (Array("pi".utf8), 0, nil),
            // "-_-_…" in base64url.
            (Array("pi".utf8), 1_883, (0..<6).flatMap { _ in [0xFB, 0xFF, 0xBF] }),
        ] as [([UInt8], Int, [UInt8]?)] {
            let token = try Self.forged(host: host, port: port, secret: secret)
            #expect(throws: ValueError.self) { try JoinToken.decode(token) }
        }
        #expect(try JoinToken.decode(Self.forged(host: Array("pi".utf8))).hosts == ["pi"])
    }

    /// A token whose bytes need not be those of ``JoinToken/encode(_:)``.
    static func forged(host: [UInt8], port: Int = 1_883, secret: [UInt8]? = nil) throws -> String {
        var bytes: [UInt8] = [0, 0, UInt8(port >> 8), UInt8(port & 0xFF), 0x6A, 0xFF, 0, 0]
        bytes += (secret ?? Array(repeating: 97, count: 18)) + [4] + Array("desk".utf8) + [UInt8(host.count)] + host
        bytes[0] = UInt8(bytes.count + 4)
        let hash = FNV.hash(bytes.span)
        let folded = UInt32(truncatingIfNeeded: hash ^ hash >> 32)
        bytes += (0..<4).map { UInt8(folded >> (24 - 8 * UInt32($0)) & 0xFF) }
        return "lockstep1-" + Base64URL.encode(bytes)
    }

    @Test func valuesThatDoNotFitAreRefused() throws {
        var invitation = try Self.invitation()
        invitation.secret = "short"
        #expect(throws: ValueError.self) { try JoinToken.encode(invitation) }
        invitation = try Self.invitation(hosts: [])
        #expect(throws: ValueError.self) { try JoinToken.encode(invitation) }
    }
}
