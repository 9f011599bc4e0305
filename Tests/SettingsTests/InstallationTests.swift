// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Support
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct InstallationTests {
    /// A machine with these files, on which Ada is at home.
    private static func installation(_ files: String...) throws -> Installation {
        let root = try TemporaryDirectory()
        for file in files {
            let folder = file.split(separator: "/").dropLast().joined(separator: "/")
            try FileManager.default.createDirectory(
                atPath: root.file(folder), withIntermediateDirectories: true)
            try root.write("", to: file)
        }
        return Installation(environment: ["HOME": "/home/ada"], root: root.path)
    }

    private static let joined = "etc/lockstep/joined.env"
    private static let personal = "home/ada/.config/lockstep/joined.env"
    private static let broker = "etc/mosquitto/conf.d/lockstep.conf"

    @Test func aMachineWithoutAGroupMayStartOne() throws {
        let empty = try Self.installation("etc/lockstep/node.env")
        #expect(empty.reasonAgainstUp(node: nil) == nil)
        #expect(empty.adviceWithoutNode.contains("lockstep up"))
        #expect(empty.adviceWithoutNode.contains("sudo lockstep join"))
        let reason = try #require(empty.reasonAgainstUp(node: "/run/lockstep/node.sock"))
        #expect(reason.contains("a node listens on /run/lockstep/node.sock"))
    }

    @Test func aMachineOfAGroupStartsNoSecondOne() throws {
        let cases = [
            (Self.joined, "sudo systemctl start lockstep-node"),
            (Self.personal, "systemctl --user start lockstep-node"),
            (Self.broker, "sudo lockstep invite NAME"),
        ]
        for (file, command) in cases {
            let installation = try Self.installation(file)
            let reason = try #require(installation.reasonAgainstUp(node: nil), "\(file)")
            #expect(reason.contains(command), "\(reason)")
            #expect(reason.contains("lockstep up --separate"), "\(reason)")
            #expect(installation.adviceWithoutNode.contains(command), "\(installation.adviceWithoutNode)")
            #expect(!installation.adviceWithoutNode.contains("lockstep up"))
        }
        let both = try Self.installation(Self.joined, Self.broker)
        #expect(!both.adviceWithoutNode.contains("invite"), "the machine of the broker has joined it")
    }

    @Test func theFileWithTheBrokerIsNamed() throws {
        let (own, machine) = ("/run/user/7/lockstep/node.sock", Installation.machineSocket)
        let joined = try Self.installation(Self.joined)
        #expect(joined.brokerSettings(ofNodeAt: machine).hasSuffix("/etc/lockstep/joined.env"))
        #expect(joined.brokerSettings(ofNodeAt: own).hasSuffix("/home/ada/.config/lockstep/node.env"))
        #expect(joined.leaveCommand(ofNodeAt: machine) == "sudo lockstep leave")
        #expect(joined.logCommand(of: "lockstep-debt", ofNodeAt: machine) == "sudo journalctl -u lockstep-debt")
        #expect(joined.logCommand(of: "lockstep-debt", ofNodeAt: own).contains("the terminal of lockstep up"))
        #expect(joined.restartCommand(ofNodeAt: machine) == "sudo systemctl restart lockstep-node")
        #expect(joined.restartCommand(ofNodeAt: own).contains("lockstep up"))
        let root = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: root.file("etc/lockstep"), withIntermediateDirectories: true)
        try root.write("LOCKSTEP_BROKER=mqtt://pi", to: Self.joined)
        try root.write("LOCKSTEP_BROKER=mqtt://attic", to: "etc/lockstep/node.env")
        let changed = Installation(environment: ["HOME": "/home/ada"], root: root.path)
        #expect(changed.brokerSettings(ofNodeAt: machine).hasSuffix("/etc/lockstep/node.env"))
        let personal = try Self.installation(Self.personal)
        #expect(personal.brokerSettings(ofNodeAt: machine).hasSuffix("/etc/lockstep/node.env"))
        #expect(personal.brokerSettings(ofNodeAt: own).hasSuffix("/home/ada/.config/lockstep/joined.env"))
        #expect(personal.leaveCommand(ofNodeAt: own) == "lockstep leave --user")
    }

    @Test func theMachineWithTheLedgerIsNamed() throws {
        #expect(try Self.installation("etc/lockstep/joined-debt.env").keepsLedger)
        let member = try Self.installation(Self.joined)
        #expect(!member.keepsLedger)
        #expect(member.adviceWithoutLedger.contains("lockstep nodes names that machine"))
        #expect(try Self.installation().adviceWithoutLedger.contains("lockstep up"))
    }
}
