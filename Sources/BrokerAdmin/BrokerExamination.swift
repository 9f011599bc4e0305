// SPDX-License-Identifier: Apache-2.0

package import API
package import Mosquitto
import Platform
import Session
package import Settings
import Wire

/// Finds out what a broker can do, and what that means for Lockstep.
///
/// Its messages go to `ping/<a random name>` of the node, which the rights of the node include and no program reads.
/// Only the check of the rights writes topics that others read, with payloads that they ignore. Retained messages are
/// deleted at the end.
package struct BrokerExamination: Sendable {
    /// A member of the broker's cluster.
    package typealias ClusterMember = (settings: NodeSettings, configuration: MQTTConfiguration)

    let settings: NodeSettings
    let configuration: MQTTConfiguration
    let members: [ClusterMember]
    let loop: EventLoop
    let probe = "doctor-" + RandomKey.suffix()

    package init(settings: NodeSettings, configuration: MQTTConfiguration, members: [ClusterMember], loop: EventLoop) {
        self.settings = settings
        self.configuration = configuration
        self.members = members
        self.loop = loop
    }

    private var name: String { settings.broker?.description ?? "" }
    private var node: NodeID { settings.broker?.user.flatMap(NodeID.init) ?? settings.node }
    private var space: SpaceID { settings.space }
    /// The node's own topics begin with this.
    private var own: String { Topics.filter("", of: node.rawValue, in: space.rawValue) }
    private var topic: String { own + Topic.Exchange.ping.end(for: probe) }
    private func message(_ text: String, retain: Bool = false) -> MQTTMessage {
        MQTTMessage(topic: topic, payload: Array(text.utf8), retain: retain)
    }

    package func findings() async -> [Finding] {
        do {
            return try await ExaminationConnection.with(configuration, on: loop) { first in
                try await first.subscribe(own + "#")
                let found = [connection(first), await roundTrip(first)]
                guard found.last?.state == .ok else { return found }
                var more = [await rights(first), await retained(first)]
                for member in members { more.append(await shared(first, member)) }
                if members.isEmpty { more.append(Finding("members", .absent, "not tested: --member names one")) }
                more += [await wills(first), await noLocal(first), await packets(first)]
                await first.client.send(message("", retain: true))
                return found + more
            }
        } catch { return [failure("connection", name, error)] }
    }

    private func failure(_ check: String, _ name: String, _ error: any Error) -> Finding {
        let fix =
            switch (error as? MQTTError)?.code {
            case .unknownHost?: "check the name of the host in --broker"
            case .unreachable?: "start the broker; check host and port in --broker, and the firewall there"
            case .tls?: "check that the port is that of TLS, and that --tls-ca is the authority of its certificate"
            case .badCredentials?: "check the user in --broker (mqtt://USER@HOST) and the password in --password-file"
            default: "check that the port is one of MQTT, for mqtts:// that of TLS; read the broker's log"
            }
        return Finding(check, .wrong, "\(name): \(error)", fix: fix)
    }

    private func connection(_ first: ExaminationConnection) -> Finding {
        let isMQTT5 = first.state.connection?.version == .v5
        let version = isMQTT5 ? "MQTT 5" : "MQTT 3.1.1, which does not tell a node that a message was refused"
        return Finding(
            "connection", .ok, "\(name), \(configuration.tls == nil ? "in the clear" : "encrypted"), \(version)")
    }

    private func roundTrip(_ first: ExaminationConnection) async -> Finding {
        var times: [Duration] = []
        for number in 1...5 where times.count == number - 1 {
            if let time = await first.echo(message("\(number)")) { times.append(time) }
        }
        guard times.count == 5, let longest = times.max() else {
            return Finding(
                "round trip", .wrong, "messages of \(node) to itself do not return, so a node never gets ready",
                fix: "let the user \(node) write \(own)… and read \(Topics.prefix)\(space)/#: \(Self.lines)"
            )
        }
        let found = "\(times.sorted()[2].words), \(longest.words) at most; a press at another node takes twice that"
        guard longest > .seconds(1) else { return Finding("round trip", .ok, found) }
        return Finding("round trip", .wrong, "\(found), and after 2 s takes it over", fix: "use a nearer broker")
    }

    /// Returns a payload for a topic with this end that changes nothing at a node. Also returns the effect on people if
    /// the broker does not let a node write the topic. The presence is that of a connection that has ended, and an
    /// empty payload reads as deleted. Services count the payload of the other topics as malformed.
    private func harmless(_ end: String) -> (payload: String, effect: String) {
        let malformed = #"{"doctor":"\#(probe)"}"#
        return switch Topic.Leaf(rawValue: end) {
        case .presence?:
            (
                #"{"v":1,"online":false,"conn":"\#(probe)","role":"display","name":"doctor","at":0,"#
                    + #""clock":{"synced":false},"software":"lockstep doctor"}"#, "others take the node for offline"
            )
        case .session?: ("", "its sessions are seen nowhere else")
        case .notice?: ("", "what people say there is shown nowhere else")
        case .intent?:
            (
                #"{"v":1,"id":"\#(probe)","session":"\#(probe)","phase":0,"op":"pause","from":"\#(node)"}"#,
                "it cannot press sessions of others"
            )
        case .ack?: (#"{"v":1,"kind":"doctor"}"#, "it cannot answer presses")
        case .hello?: (#"{"v":1}"#, "it cannot ask others for their sessions")
        case .record?: (malformed, "its sessions are missing in the ledger")
        case .sound?: (malformed, "its microphone does not count")
        case nil where end == Topic.Exchange.ping.end(): (malformed, "it cannot compare clocks")
        case nil: (malformed, "others cannot compare clocks with it")
        }
    }

    private func rights(_ first: ExaminationConnection) async -> Finding {
        let sent = AccessList.leaves(of: settings.role).map { leaf in
            let (payload, effect) = harmless(leaf)
            let message = MQTTMessage(topic: own + leaf.replacing("+", with: probe), payload: Array(payload.utf8))
            return (words: "\(leaf) (\(effect))", message: message)
        }
        for entry in sent { await first.client.send(entry.message) }
        _ = await first.wait { state in sent.allSatisfy { state.arrival(of: $0.message) != nil } }
        let missing = sent.filter { first.state.arrival(of: $0.message) == nil }.map(\.words)
        let role = settings.role.rawValue
        if missing.isEmpty { return Finding("rights", .ok, "\(node) may write all topics of a \(role)") }
        return Finding(
            "rights", .wrong, "\(node) may not write \(missing.joined(separator: ", "))",
            fix: "let the user \(node) write below \(own): \(Self.lines); or set LOCKSTEP_ROLE to its role")
    }

    /// Where a person finds the lines of an ACL.
    private static let lines = "the file acl, in /usr/share/lockstep or in Config of the sources, has the lines"

    private static let asking = "a node that joins asks the others, and shows the session after about 1 s"

    private func retained(_ first: ExaminationConnection) async -> Finding {
        let retained = message("retained", retain: true)
        _ = await first.echo(retained)
        for filter in [Topics.filter(Topic.Exchange.ping.end(for: probe), in: space.rawValue), topic] {
            let isKept: Bool
            do {
                isKept = try await ExaminationConnection.with(configuration, on: loop) { late in
                    // A broker may end the connection at a wildcard.
                    try? await late.subscribe(filter)
                    return await late.wait { $0.arrival(of: retained) != nil }
                }
            } catch { return failure("retained", "a second connection to \(name)", error) }
            guard isKept else { continue }
            return filter == topic
                ? Finding("retained", .absent, "delivered to exact topics only: \(Self.asking)")
                : Finding("retained", .ok, "delivered to wildcards: a node that joins shows the session at once")
        }
        return Finding("retained", .absent, "not kept: \(Self.asking); while no other node is online it shows none")
    }

    private func shared(_ first: ExaminationConnection, _ member: ClusterMember) async -> Finding {
        let name = member.settings.broker?.description ?? ""
        var configuration = member.configuration
        if member.settings.broker?.user == nil { configuration.credentials = self.configuration.credentials }
        let retained = message("retained for \(name)", retain: true)
        _ = await first.echo(retained)
        do {
            return try await ExaminationConnection.with(configuration, on: loop) { other in
                try await other.subscribe(topic)
                let isShared = await other.wait { $0.arrival(of: retained) != nil }
                let there = await first.echo(message("to \(name)"), at: other)
                let back = await other.echo(message("from \(name)"), at: first)
                await other.client.send(message("", retain: true))
                guard let there, let back else {
                    return Finding(
                        "members", .wrong, "messages do not cross to \(name): its nodes and those here are apart",
                        fix: "make both one cluster, or bridge them in both directions")
                }
                let time = "messages cross to \(name) and back in \((there + back).words), "
                return isShared
                    ? Finding("members", .ok, time + "and retained ones are shared: a node can join at either")
                    : Finding("members", .absent, time + "retained ones stay where they came: there \(Self.asking)")
            }
        } catch { return failure("members", name, error) }
    }

    private func wills(_ first: ExaminationConnection) async -> Finding {
        let will = message("will", retain: true)
        do {
            try await ExaminationConnection.with(configuration, on: loop, will: will) { dying in
                await dying.client.renewConnection()
                _ = await first.wait(.seconds(5)) { $0.arrival(of: will) != nil }
            }
        } catch {
            guard first.state.arrival(of: will) == nil else {
                return Finding("wills", .ok, "published: others see at once that a node has lost its connection")
            }
            if let error = error as? MQTTError, error.code != .connectionLost {
                return Finding(
                    "wills", .wrong, "a connection with a retained will is refused (\(error)), and a node has one",
                    fix: "allow retained messages and wills at the broker")
            }
        }
        return Finding("wills", .absent, "not published: a dead node is noticed when a press gets no answer for 2 s")
    }

    private func noLocal(_ first: ExaminationConnection) async -> Finding {
        let isHeard: Bool?
        do {
            isHeard = try await ExaminationConnection.with(configuration, on: loop) { late in
                // A broker may end the connection at the option.
                guard (try? await late.subscribe(topic, noLocal: true)) != nil else { return nil }
                _ = await late.echo(message("own"), at: first)
                // It arrives after the own message would have arrived.
                _ = await first.echo(message("foreign"), at: late)
                return late.state.arrival(of: message("own")) != nil
            }
        } catch { return failure("no local", "a second connection to \(name)", error) }
        return isHeard == false
            ? Finding("no local", .ok, "granted: a node does not receive its own messages")
            : Finding("no local", .absent, "not granted: a node receives its own messages, too, and ignores them")
    }

    /// Searches for the largest message that passes, to within 256 bytes, from the protocol's limit down. A broker may
    /// end the connection at a larger one.
    private func packets(_ first: ExaminationConnection) async -> Finding {
        var (least, most, middle) = (0, 2 * Limits.payloadBytes, Limits.payloadBytes)
        while most - least > 256, least < Limits.payloadBytes {
            _ = await first.wait(.seconds(5)) { $0.connection != nil }
            let passes = await first.echo(message(String(repeating: "x", count: middle))) != nil
            if passes { least = middle } else { most = middle }
            middle = (least + most) / 2
        }
        _ = await first.wait(.seconds(5)) { $0.connection != nil }
        guard least < Limits.payloadBytes else {
            return Finding("packets", .ok, "\(least) bytes pass, the largest message of Lockstep")
        }
        return Finding(
            "packets", .wrong,
            "about \(least) bytes pass, and Lockstep needs \(Limits.payloadBytes): longer sessions are seen nowhere else",
            fix: "raise it at the broker; in mosquitto max_packet_size and message_size_limit")
    }
}

extension Duration {
    fileprivate var words: String { "\((self / .microseconds(100)).rounded() / 10) ms" }
}
