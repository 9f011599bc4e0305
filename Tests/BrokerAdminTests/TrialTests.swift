// SPDX-License-Identifier: Apache-2.0

import Glibc
import Joining
import Settings
import Support
import TLS
import Testing

@testable import BrokerAdmin

/// The trial of a configuration with a real mosquitto. `Tests/Deploy/broker` has more, also with later ones.
@Suite(.limitedConcurrency) struct TrialTests {
    private let directory: TemporaryDirectory
    private var files: BrokerFiles { BrokerFiles(root: directory.path) }

    init() throws { directory = try TemporaryDirectory() }

    /// Tries the files of a setup, with more lines in the configuration.
    private func attempt(_ more: String) async throws {
        let names = ["acl", "passwd", "ca.crt", "server.crt", "server.key"].map { "lockstep/\($0)" }
        var new: [BrokerFile] = []
        for name in names + [MosquittoConfiguration.name] {
            let bytes = try #require(try files.bytes(name), "\(name)")
            new.append(BrokerFile(name, bytes, for: .broker))
        }
        new[names.count].bytes += Array("\(more)\n".utf8)
        let program = try PrivateBroker.program()
        try await Trial(files: files, present: try files.configuration(), new: new, program: program).run()
    }

    /// One listener is open, one asks for a password, and one has TLS.
    @Test func optionsThatWouldLimitOtherListenersAreFound() async throws {
        let users = "someone:\(Secret.hash("word"))\n"
        try files.install(BrokerFile("mine", users, for: .broker))
        let now: Int64 = 1_800_000_000
        let other = try Credential(.authority("other", validity: 0...2 * now))
        try files.install(BrokerFile("other.crt", other.certificatePEM, for: .all))
        try files.install(BrokerFile("other.key", other.keyPEM, for: .broker))
        for (name, text) in [
            ("mosquitto.conf", "per_listener_settings true\ninclude_dir /etc/mosquitto/conf.d\n"),
            ("conf.d/00.conf", "listener 1884 127.0.0.1\nallow_anonymous true\n"),
            ("conf.d/zz.conf", "listener 1885\npassword_file /etc/mosquitto/mine\nconnection a\naddress 192.0.2.1\n"),
            ("conf.d/tls.conf", "listener 1886\ncertfile /etc/mosquitto/other.crt\nkeyfile /etc/mosquitto/other.key\n"),
        ] {
            try files.install(BrokerFile(name, text, for: .all))
        }
        var options = BrokerRequest.Options()
        (options.isOnLAN, options.isEncrypted, options.host) = (true, true, "localhost")
        try await BrokerSetup(files).setUp(options)
        try await attempt("")
        let packets = await #expect(throws: SetupError.self) { try await attempt("max_packet_size 65536") }
        for name in ["00", "zz", "tls"] {
            #expect(packets?.description.contains("  conf.d/\(name).conf") == true, "\(name)")
        }
        let messages = await #expect(throws: SetupError.self) { try await attempt("message_size_limit 65536") }
        #expect(messages?.description.contains("  conf.d/00.conf") == true, "\(String(describing: messages))")
    }

    @Test func aFileThatMosquittoRefusesIsNamedWithItsPlace() async throws {
        try files.install(BrokerFile("mosquitto.conf", "listener 1884\nnonsense 3\n", for: .all))
        let error = await #expect(throws: SetupError.self) { try await BrokerSetup(files).setUp(.init()) }
        #expect(error?.description.contains("/etc/mosquitto/mosquitto.conf") == true, "\(String(describing: error))")
        #expect(error?.description.contains("nothing is changed") == true)
        #expect(!files.has("lockstep"))
    }

    @Test func anOddConfigurationIsNotChanged() async throws {
        let odd = "# caf\u{E9} \u{202E}\r\nlistener 1884 127.0.0.1\r\nallow_anonymous true\r\n"
        try files.install(BrokerFile("conf.d/odd.conf", odd, for: .all))
        await #expect(throws: SetupError.self) { try await BrokerSetup(files).setUp(.init()) }
        #expect(try files.text("conf.d/odd.conf") == odd)
    }
}
