// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Joining
import Session
import Settings
import Support
import Testing
import Wire

@testable import BrokerAdmin

/// The members of a broker, their passwords and their rights.
@Suite(.timeLimit(.minutes(15))) struct MemberListTests {
    private static let members = """
        desk node home joined 1700000000
        wall display studio-3 invited 1700086400
        gone remote + revoked 1700000001

        """
    private static let passwords = """
        _local:$7$101$a$b
        desk:$7$101$c$d
        # written by a person
        Living Room:$7$101$e$f
        wall:$7$101$g$h

        """

    static func list(_ members: String = members, _ passwords: String = passwords) throws -> MemberList {
        try MemberList(members: members, at: "/etc/members", passwords: passwords)
    }

    @Test func filesAreWrittenAsTheyWereRead() throws {
        let list = try Self.list()
        #expect(list.membersText == Self.members)
        #expect(list.passwordsText == Self.passwords)
        #expect(try Self.list("", "").passwordsText.isEmpty)
        // The last line may lack its end.
        #expect(try Self.list("", "desk:x").passwordsText == "desk:x\n")
    }

    @Test func aChangeOfOneMemberKeepsAllOthers() throws {
        var list = try Self.list()
        list.setPassword("new", of: "desk")
        list.setPassword(nil, of: "wall")
        list.set(Member(node: "desk", role: .remote, space: "+", state: .revoked, stateTime: 5_000))
        #expect(list.users == ["_local", "Living Room", "desk"])
        #expect(list.passwordsText.contains("# written by a person\n"))
        #expect(list.passwordsText.hasSuffix("desk:new\n"))
        #expect(list.membersText.hasSuffix("gone remote + revoked 1700000001\ndesk remote + revoked 5\n"))
        // A name that another one begins with is no other one.
        list.setPassword("x", of: "de")
        #expect(list.users.contains("desk"))
    }

    @Test(arguments: [
        "desk", "desk node home joined", "desk node home joined soon", "Desk node home joined 1",
        "desk king home joined 1",
        "desk node a/b joined 1", "desk node home lost 1", "desk node home joined 1 2", "+ node home joined 1",
        "desk node home joined +1",
    ])
    func aLineThatIsNoMemberIsNamed(line: String) {
        let error = #expect(throws: SetupError.self) { try Self.list("hall node home joined 1\n\(line)\n") }
        #expect(error?.description.contains("/etc/members, line 2 is no member: “\(line)”") == true)
    }

    @Test func theJSONOfAMemberHasTheTimeInSecondsAndLastSeenInMilliseconds() throws {
        struct Times: Decodable { let time, lastSeen: Int }
        var member = try #require(try Self.list()["desk"])
        member.lastSeen = 7
        let json = try JSONEncoder().encode(member)
        let times = try JSONDecoder().decode(Times.self, from: json)
        #expect(times.time == 1_700_000_000)
        #expect(times.lastSeen == 7)
        #expect(try JSONDecoder().decode(Member.self, from: json) == member)
    }

    @Test func aUserWithoutALineIsANodeOfAllSpaces() throws {
        let list = try Self.list("", "bare:x\ncalm:x\ndebt:x\n_local:x\nLiving Room:x\n+:x\n")
        #expect(list.all.map(\.node) == ["bare", "calm", "debt"])
        #expect(list.all.map(\.role) == [.node, .calm, .debt])
        #expect(list.all.allSatisfy { $0.space == "+" && $0.state == .joined && $0.stateTime == 0 })
    }

    @Test func aFeedHasAnotherPublisherInTheSameSpaceOnly() throws {
        let list = try Self.list(
            "a calm home joined 1\nb calm home joined 1\nc calm hall expired 1\nd debt + invited 1\n",
            "calm:$7$101$a$b\n")
        #expect(list.hasOther(than: "a", role: .calm, in: "home"))
        #expect(list.hasOther(than: "c", role: .calm, in: "hall"), "the user calm of no member may publish too")
        #expect(!list.hasOther(than: "calm", role: .calm, in: "hall"))
        #expect(list.hasOther(than: "x", role: .debt, in: "hall"))
        #expect(!list.hasOther(than: "d", role: .debt, in: "+"))
    }

    // MARK: Rights

    private static func sections(_ text: String) -> [String: [String]] {
        var (sections, user): ([String: [String]], String) = ([:], "")
        for line in text.split(separator: "\n").map(String.init) where !line.hasPrefix("#") {
            if line.hasPrefix("user ") {
                user = String(line.dropFirst(5))
            } else {
                sections[user, default: []].append(line)
            }
        }
        return sections
    }

    @Test func eachMemberWritesItsOwnTopicsOnly() throws {
        let list = try Self.list(
            "wall display home joined 1\nhand remote home joined 1\n", "desk:x\nwall:x\nhand:x\ncalm:x\n")
        let sections = Self.sections(AccessList.text(of: list, keepsSpacesApart: false))
        #expect(sections[""] == ["pattern read lockstep/1/#"])
        #expect(sections["_local"] == ["topic readwrite lockstep/1/#"])
        #expect(sections["wall"] == ["presence", "hello", "ping/+"].map { "topic write lockstep/1/+/node/wall/\($0)" })
        #expect(sections["hand"]?.contains("topic write lockstep/1/+/node/hand/intent") == true)
        let command = "topic write lockstep/1/+/plain/command"
        #expect(
            sections["hand"]?.suffix(3) == [command, "topic read homeassistant/#", "topic write homeassistant/status"])
        #expect(sections["desk"]?.last == "topic write lockstep/1/+/plain/+")
        #expect(sections["calm"]?.last == "topic write lockstep/1/+/feed/calm")
        for (user, lines) in sections where !["", "_local"].contains(user) {
            let others = lines.filter { !$0.contains("/plain/") && !$0.contains("homeassistant/") }
            #expect(others.allSatisfy { $0.contains("/node/\(user)/") || $0.hasSuffix("/feed/\(user)") }, "\(user)")
        }
    }

    @Test func separateSpacesBoundReadingAndWriting() throws {
        let list = try Self.list("a node hall joined 1\nb debt + joined 1\n", "a:x\nb:x\nc:x\n")
        let sections = Self.sections(AccessList.text(of: list, keepsSpacesApart: true))
        #expect(sections[""] == nil)
        #expect(sections["a"]?.first == "topic read lockstep/1/hall/#")
        let own = sections["a"]?.dropFirst().dropLast(3)
        #expect(own?.allSatisfy { $0.hasPrefix("topic write lockstep/1/hall/node/a/") } == true)
        #expect(
            sections["a"]?.suffix(3) == [
                "topic write lockstep/1/hall/plain/+", "topic read homeassistant/status",
                "topic readwrite homeassistant/+/lockstep_hall/+/config",
            ])
        #expect(sections["b"]?.first == "topic read lockstep/1/#")
        #expect(sections["b"]?.last == "topic write lockstep/1/+/feed/debt/ack")
        #expect(sections["c"]?.first == "topic read lockstep/1/#")
    }

    /// Their names would be wildcards, or several levels of a topic.
    @Test func aUserThatIsNoNodeMayWriteNothing() throws {
        let list = try Self.list("", "+:x\n#:x\na/b:x\nLiving Room:x\nÄ:x\n")
        #expect(Self.sections(AccessList.text(of: list, keepsSpacesApart: false)).keys.sorted() == ["", "_local"])
    }

    @Test func theShippedListGivesNodesAndServicesTheSameRights() throws {
        let shipped = Self.sections(try Project.read("Config/acl"))
        let patterns = shipped[""]?.filter { $0.hasPrefix("pattern write ") }
        #expect(patterns == AccessList.leaves(of: .node).map { "pattern write lockstep/1/+/node/%u/\($0)" })
        for role in [MemberRole.calm, .debt] {
            #expect(
                shipped[role.rawValue] == AccessList.feeds(of: role).map { "topic write lockstep/1/+/\($0.rawValue)" })
        }
        for role in MemberRole.allCases {
            #expect(Set(AccessList.leaves(of: role)).isSubset(of: AccessList.leaves(of: .node)), "\(role)")
        }
    }

    // MARK: Passwords

    /// `mosquitto_passwd` of Debian 12 made this hash.
    @Test func aHashIsThatOfMosquitto() throws {
        let salt: [UInt8] = [0x25, 0xD2, 0xA8, 0xD0, 0x79, 0x26, 0x7E, 0xDD, 0xFD, 0x03, 0x36, 0x2C]
        let known =
            "$7$101$JdKo0Hkmft39AzYs$dZ5GrHyMubq1JQ3JdmkwpZ3COd+pf//YhVff4/oASOk8hKQsNq509d8hPuVlOi8ogEo8CmXFrAroqs8Ps4h"
            + "PfA=="
        #expect(Secret.hash("secret", salt: salt) == known)
        #expect(Secret.hash("secret") != Secret.hash("secret"))
    }

    @Test func aSecretFitsIntoAnInvitation() throws {
        let secrets = (0..<200).map { _ in Secret.make() }
        #expect(Set(secrets).count == 200)
        for secret in secrets {
            let node = NodeID.desk
            let invitation = Invitation(
                hosts: ["pi.lan"], port: 1_883, fingerprint: nil, role: .node, space: NodeSettings.defaultSpace,
                node: node,
                secret: secret, expires: 1_795_000_000_000)
            #expect(try JoinToken.decode(JoinToken.encode(invitation)).secret == secret)
        }
    }
}
