// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Session
import Wire

/// The script `broker`, which sets up mosquitto and keeps its members.
package struct BrokerScript: Sendable {
    package let path: String
    /// The option for the folder that it works below, for tests; none for this machine.
    package let place: [LineText]

    /// Finds the script beside an installed program, or in the source tree that the program was built in.
    /// - Throws: ``BadValue`` if it is at neither place, or the folder has a name of several lines.
    package init(executable: String, root: String?) throws(BadValue) {
        place = try root.map { root throws(BadValue) in ["--destdir", try SettingLines.value(path: root)] } ?? []
        let folders = executable.split(separator: "/").dropLast()
        func path(up levels: Int, _ rest: String) -> String {
            "/" + (folders.dropLast(levels) + [Substring(rest)]).joined(separator: "/")
        }
        let places = [path(up: 1, "lib/lockstep/broker")] + folders.indices.map { path(up: $0, "Deploy/broker") }
        guard let found = places.first(where: { access($0, X_OK) == 0 }) else {
            throw BadValue("the script of the broker is missing: \(places[0])")
        }
        self.path = found
    }

    /// Runs a verb of the script, whose messages for people go to stderr.
    /// - Returns: The lines of its output.
    /// - Throws: ``JoinFailure``, after the script has said the reason.
    @discardableResult
    package func run(_ arguments: [LineText]) async throws(JoinFailure) -> [String] {
        let result: Child.Result
        do throws(BadValue) {
            // Setting up may install packages.
            result = try await Child.run(
                path, arguments + place, seconds: 1_800, showsErrors: true)
        } catch {
            throw JoinFailure(.refused, error.description)
        }
        guard result.code == 0 else { throw JoinFailure(result.code == 2 ? .wrong : .refused, "") }
        return result.output.split(separator: "\n").map(String.init)
    }

    /// Adds a member.
    package func invite(node: NodeID, role: MemberRole, space: SpaceID) async throws(JoinFailure) -> Invitation {
        let lines = try await run(["add", "\(node)", "--role", "\(role)", "--space", "\(space)"])
        var values: [Substring: Substring] = [:]
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        var fingerprint: [UInt8]?
        if let text = values["authority"] { fingerprint = [UInt8](hexadecimal: text) }
        guard let port = values["port"].flatMap({ Int($0) }), let secret = values["secret"],
            let hosts = values["hosts"], let expires = values["expires"].flatMap({ Int64($0) }),
            (fingerprint == nil) == (values["authority"] == nil)
        else { throw JoinFailure(.refused, "\(path) does not answer as expected") }
        return Invitation(
            hosts: hosts.split(separator: " ").map(String.init), port: port, fingerprint: fingerprint, role: role,
            space: space, node: node, secret: String(secret), expires: expires)
    }

    /// Lists the members and what the broker keeps of them.
    package func members() async throws(JoinFailure) -> [Member] {
        var members: [Member] = []
        for line in try await run(["list"]) {
            let parts = line.split(separator: " ", maxSplits: 2)
            switch parts.first {
            case "member": if let member = Member(line.split(separator: " ").dropFirst()) { members.append(member) }
            case "presence":
                guard parts.count == 3 else { continue }
                note(presence: parts[2], on: parts[1], of: &members)
            default: break
            }
        }
        return members.sorted { $0.node < $1.node }
    }

    /// Reads a payload, which the script prints in hexadecimal, so that none looks like another line.
    private static func bytes(of text: Substring) -> [UInt8] {
        var (bytes, digits) = ([UInt8](), text.utf8)
        while let high = digits.popFirst(), let low = digits.popFirst() {
            guard let byte = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16) else { return [] }
            bytes.append(byte)
        }
        return bytes
    }

    private func note(presence: Substring, on topic: Substring, of members: inout [Member]) {
        let levels = topic.split(separator: "/")
        guard levels.count == 6, let space = SpaceID(String(levels[2])), let node = NodeID(String(levels[4])),
            let index = members.firstIndex(where: { $0.node == node.rawValue })
        else { return }
        let codec = WireCodec(space: space, me: node)
        let decoded = codec.decode(topic: String(topic), payload: Self.bytes(of: presence), retained: true, now: 0)
        guard case .message(.presence(let presence), _) = decoded else { return }
        // A member may have been in several spaces; the last sign of life counts.
        if let known = members[index].lastSeen, known > presence.at.milliseconds { return }
        members[index].online = presence.online
        members[index].lastSeen = presence.at.milliseconds
        members[index].name = presence.name
        members[index].software = presence.software
    }
}

/// A member of a broker.
package struct Member: Codable, Hashable, Sendable {
    package var node: String
    package var role: String
    package var space: String
    /// `invited`, `joined`, `expired` or `revoked`.
    package var state: String
    /// The end of the invitation, or the beginning of the state, in seconds since 1970; 0 if unknown.
    package var since: Int64
    package var online = false
    /// When its last presence was written, in milliseconds since 1970.
    package var lastSeen: Int64?
    package var name: String?
    package var software: String?

    init?(_ words: ArraySlice<Substring>) {
        let words = Array(words)
        guard words.count == 5, let time = Int64(words[4]) else { return nil }
        (node, role, space, state) = (String(words[0]), String(words[1]), String(words[2]), String(words[3]))
        since = time
    }
}

extension [UInt8] {
    /// Reads pairs of hexadecimal digits; `nil` for any other text.
    init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { UInt8(String(decoding: [$0], as: UTF8.self), radix: 16) }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        self = stride(from: 0, to: digits.count, by: 2).map { (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0) }
    }
}
