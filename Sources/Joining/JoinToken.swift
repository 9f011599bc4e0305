// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Platform
import Session
package import Settings

/// The text form of an ``Invitation``: a prefix with the version, and bytes in base64url. Numbers are big-endian.
///
/// | bytes | content |
/// |---|---|
/// | 1 | the number of all bytes |
/// | 1 | the role: its place in ``MemberRole``; flags: whether there are a fingerprint and a space |
/// | 2 | the port |
/// | 4 | the expiry, in seconds since 1970 |
/// | 18 | the secret, decoded from base64url |
/// | 32 | the fingerprint, if there is one |
/// | 1 + n | the length of the node's id, and the id; then those of the space, unless it is `home` |
/// | 1 + n | each host: the length of a name, and the name; or a kind, and an address or nothing |
/// | 4 | the checksum of all bytes before it |
package enum JoinToken {
    /// The most characters of a token, prefix included.
    package static let lengthLimit = 250
    private static let name = "lockstep"
    private static let prefix = "lockstep1-"
    private static let bytesLimit = (lengthLimit - prefix.utf8.count) * 3 / 4
    private static let checksumBytes = 4

    // The bits of the second byte: the role, and two flags above it.
    private static let roleBits: UInt8 = 0b0000_0111
    private static let encrypted: UInt8 = 0b0000_1000
    private static let hasSpace: UInt8 = 0b0001_0000

    // The first byte of a host: a kind, or the length of a name.
    private static let nameLimit = 127
    private static let ipv4: UInt8 = 0x81
    private static let ipv6: UInt8 = 0x82
    /// The `.local` name of the host before it.
    private static let local: UInt8 = 0x83

    /// Encodes an invitation. It leaves out invalid hosts, and then the longest ones until the rest fits.
    /// - Throws: ``ValueError`` if a value cannot be encoded, or no address fits.
    package static func encode(_ invitation: Invitation) throws(ValueError) -> String {
        let head = try self.head(of: invitation)
        var hosts = invitation.hosts.filter {
            $0.utf8.count <= nameLimit && (try? Endpoint(host: $0, port: invitation.port)) != nil
        }
        while !hosts.isEmpty {
            let bytes = head + hosts.indices.flatMap { encoded(hosts[$0], after: $0 > 0 ? hosts[$0 - 1] : nil) }
            if bytes.count + checksumBytes <= bytesLimit { return prefix + Base64URL.encode(sealed(bytes)) }
            let longestIndex = hosts.indices.max { hosts[$0].utf8.count < hosts[$1].utf8.count }
            hosts.remove(at: longestIndex ?? 0)
        }
        throw ValueError("the invitation has no address that fits into \(Self.lengthLimit) characters")
    }

    private static func head(of invitation: Invitation) throws(ValueError) -> [UInt8] {
        guard isSecret(invitation.secret), let secret = Base64URL.decode(invitation.secret) else {
            throw ValueError("the secret of an invitation has 24 letters and digits")
        }
        guard let port = UInt16(exactly: invitation.port), port > 0,
            let expires = UInt32(exactly: invitation.expires.wholeSeconds),
            invitation.fingerprint.map({ $0.count == 32 }) ?? true,
            let role = MemberRole.allCases.firstIndex(of: invitation.role)
        else { throw ValueError("the port, the expiry or the fingerprint of the invitation is out of range") }
        let isHome = invitation.space == NodeSettings.defaultSpace
        var bytes: [UInt8] = [0, UInt8(role)]
        if invitation.fingerprint != nil { bytes[1] |= encrypted }
        if !isHome { bytes[1] |= hasSpace }
        bytes += [UInt8(port >> 8), UInt8(port & 0xFF)]
        bytes += (0..<4).map { UInt8(expires >> (24 - 8 * UInt32($0)) & 0xFF) }
        bytes += secret + (invitation.fingerprint ?? [])
        for text in [invitation.node.rawValue] + (isHome ? [] : [invitation.space.rawValue]) {
            bytes.append(UInt8(text.utf8.count))
            bytes += text.utf8
        }
        return bytes
    }

    /// Whether a text has the form of the secrets of `lockstep invite`: 24 letters and digits.
    private static func isSecret(_ text: String) -> Bool {
        text.utf8.count == 24 && text.utf8.allSatisfy(\.isASCIILetterOrDigit)
    }

    /// Adds the length and the checksum.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[0] = UInt8(bytes.count + checksumBytes)
        return bytes + checksum(of: bytes)
    }

    /// Returns the two halves of the FNV hash, folded into one.
    private static func checksum(of bytes: [UInt8]) -> [UInt8] {
        let hash = FNV.hash(bytes.span)
        let folded = UInt32(truncatingIfNeeded: hash ^ hash >> 32)
        return (0..<4).map { UInt8(folded >> (24 - 8 * UInt32($0)) & 0xFF) }
    }

    private static func encoded(_ host: String, after name: String?) -> [UInt8] {
        if let bytes = HostText.address(host) { return [bytes.count == 4 ? ipv4 : ipv6] + bytes }
        if let name, host == localName(of: name) { return [local] }
        return [UInt8(host.utf8.count)] + host.utf8
    }

    private static func localName(of name: String) -> String { name.prefix { $0 != "." } + ".local" }

    /// Decodes a token; whitespace in it is ignored.
    /// - Throws: ``ValueError`` if it is not a whole token, or names what `lockstep invite` does not make.
    package static func decode(_ text: String) throws(ValueError) -> Invitation {
        let text = text.filter { !$0.isWhitespace }
        guard text.hasPrefix(name), let dash = text.firstIndex(of: "-") else { throw .foreign }
        let version = text[text.index(text.startIndex, offsetBy: name.count)..<dash]
        guard let number = Int(version), number > 0 else { throw .foreign }
        guard number == 1 else {
            throw ValueError("the invitation was made by a newer Lockstep; install that version here first")
        }
        let letters = text[text.index(after: dash)...]
        guard letters.utf8.allSatisfy(Base64URL.accepts) else { throw .damaged }
        guard let length = Base64URL.decode(String(letters.prefix(4)))?.first else {
            throw .truncated(text.count, of: nil)
        }
        let expected = prefix.utf8.count + (Int(length) * 4 + 2) / 3
        guard text.utf8.count >= expected else { throw .truncated(text.count, of: expected) }
        guard let bytes = Base64URL.decode(String(letters)), bytes.count == Int(length), bytes.count > checksumBytes,
            Base64URL.encode(bytes) == letters,
            checksum(of: Array(bytes.dropLast(checksumBytes))) == Array(bytes.suffix(checksumBytes)),
            let invitation = invitation(bytes.dropLast(checksumBytes))
        else { throw .damaged }
        // A checksum does not prove who made the token, so secret and hosts are checked too.
        guard isSecret(invitation.secret) else { throw .forged("secret", LineText(showing: invitation.secret)) }
        for host in invitation.hosts {
            do throws(ValueError) {
                _ = try Endpoint(host: host, port: invitation.port)
            } catch {
                throw .forged("broker", LineText(showing: "\(host), port \(invitation.port)"))
            }
        }
        return invitation
    }

    /// Reads the bytes before the checksum; `nil` if they have another form. Secret and hosts are not checked.
    private static func invitation(_ bytes: ArraySlice<UInt8>) -> Invitation? {
        var rest = bytes
        // Removes the next bytes; `nil` if there are fewer.
        func take(_ count: Int) -> [UInt8]? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        func takeText() -> String? {
            take(1).flatMap { take(Int($0[0])) }.map { String(decoding: $0, as: UTF8.self) }
        }
        func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
        guard let head = take(8), let secret = take(18) else { return nil }
        let roles = MemberRole.allCases
        guard Int(head[1] & roleBits) < roles.count else { return nil }
        var fingerprint: [UInt8]?
        if head[1] & encrypted != 0 {
            guard let bytes = take(32) else { return nil }
            fingerprint = bytes
        }
        guard let node = takeText().flatMap(NodeID.init) else { return nil }
        var space = NodeSettings.defaultSpace
        if head[1] & hasSpace != 0 {
            guard let own = takeText().flatMap(SpaceID.init) else { return nil }
            space = own
        }
        var hosts: [String] = []
        while let kind = take(1)?[0] {
            switch kind {
            case ipv4, ipv6:
                guard let host = take(kind == ipv4 ? 4 : 16).flatMap(HostText.text) else { return nil }
                hosts.append(host)
            case local:
                guard let name = hosts.last else { return nil }
                hosts.append(localName(of: name))
            case 1...127:
                guard let bytes = take(Int(kind)) else { return nil }
                hosts.append(String(decoding: bytes, as: UTF8.self))
            default: return nil
            }
        }
        guard !hosts.isEmpty else { return nil }
        return Invitation(
            hosts: hosts, port: Int(number(head[2...3])), fingerprint: fingerprint,
            role: roles[Int(head[1] & roleBits)], space: space, node: node, secret: Base64URL.encode(secret),
            expires: WallTime(seconds: number(head[4...7])))
    }
}

extension ValueError {
    fileprivate static let foreign = ValueError(
        "this is not an invitation: one begins with lockstep1-, and sudo lockstep invite NAME on the broker's machine "
            + "prints it; without one, give the address of a broker, as mqtts://user@host")
    fileprivate static let damaged = ValueError("a character of the invitation is wrong; copy the whole line again")

    /// A token with fewer characters than it should have; `whole` is `nil` if it ends before it says how many.
    fileprivate static func truncated(_ count: Int, of whole: Int?) -> ValueError {
        ValueError(
            "the invitation is cut off: \(count) characters\(whole.map { " of \($0)" } ?? "") are here; copy the whole line"
        )
    }

    /// A field that holds something else than `lockstep invite` writes.
    fileprivate static func forged(_ field: String, _ value: LineText) -> ValueError {
        ValueError(
            "no broker of Lockstep made this invitation: its \(field) is “\(value)”. Nothing is changed; make another one "
                + "on the broker's machine: sudo lockstep invite NAME")
    }
}

/// Base64 with `-` and `_`, without padding (RFC 4648, section 5).
enum Base64URL {
    static func encode(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
    }

    static func accepts(_ letter: UInt8) -> Bool {
        letter.isASCIILetterOrDigit || "-_".utf8.contains(letter)
    }

    /// Returns the bytes; `nil` for a text with another character or of an impossible length.
    static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.allSatisfy(accepts) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = text.replacing("-", with: "+").replacing("_", with: "/") + padding
        return Data(base64Encoded: standard).map { [UInt8]($0) }
    }
}
