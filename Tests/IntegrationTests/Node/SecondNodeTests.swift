// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Joining
import Session
import Settings
import Support
import Testing

/// A second node on a machine is refused or named, since people's commands would use one of the two.
@Suite(.limitedConcurrency, .retriedAfterStall) struct SecondNodeTests {
    /// An invitation to a broker that does not run.
    private func invitation() throws -> String {
        try JoinToken.encode(
            Invitation(
                hosts: ["127.0.0.1"], port: Port.free(), fingerprint: nil, role: .node,
                space: NodeSettings.defaultSpace,
                node: NodeID.desk, secret: "abcdefghijklmnopqrstuvwx", expires: 1_900_000_000_000))
    }

    /// Puts the socket of a node where commands look for one.
    private func link(_ node: NodeProcess, in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/node.sock", withDestinationPath: node.socket.path)
    }

    @Test func aPersonDoesNotJoinBesideANodeThatRuns() async throws {
        let home = try TemporaryDirectory()
        let other = try NodeProcess("other")
        try await other.start()
        let state = home.file(".local/state/lockstep")
        try link(other, in: state)
        try await CommandLine.run(["join", invitation(), "--user"], environment: ["HOME": home.path]).expect(
            2, errors: "a node listens on \(state)/node.sock; end it first")
        #expect(!FileManager.default.fileExists(atPath: home.file(".config")))
        try await other.end()
    }

    @Test func aMachineThatJoinsWarnsOfThePersonsNode() async throws {
        let broker = try await BrokerMachine()
        let machine = try JoiningMachine()
        let other = try NodeProcess("other")
        try await other.start()
        let folder = machine.directory.file("run/user/1000/lockstep")
        try link(other, in: folder)
        try await machine.lockstep("join", broker.invite("desk")).expect(
            errors: "Warning: a node of another group listens on \(folder)/node.sock")
        try await other.end()
    }

    @Test func doctorNamesASecondNode() async throws {
        let home = try TemporaryDirectory()
        let (own, other) = (try NodeProcess("own"), try NodeProcess("other"))
        try await own.start()
        try link(own, in: home.file("run/lockstep"))
        let environment = ["HOME": home.path, "XDG_RUNTIME_DIR": home.file("run")]
        func finding() async throws -> JSON {
            let doctor = try await CommandLine.run(["doctor", "--json"], environment: environment)
            return doctor.json.items.first { $0.check == "second node" } ?? .null
        }
        #expect(try await finding() == .null)
        try await other.start()
        try link(other, in: home.file(".local/state/lockstep"))
        let found = try await finding()
        #expect(found.state == "wrong", "\(found)")
        #expect(found.found.text?.contains(home.file(".local/state/lockstep/node.sock")) == true, "\(found)")
        #expect(found.fix.text?.contains("lockstep leave") == true, "\(found)")
        try await other.end()
        try await own.end()
    }
}
