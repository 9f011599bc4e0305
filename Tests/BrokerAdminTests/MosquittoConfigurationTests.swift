// SPDX-License-Identifier: Apache-2.0

import Joining
import Settings
import Support
import Testing

@testable import BrokerAdmin

/// The configuration that `lockstep broker setup` writes, and the one that it tries.
@Suite(.timeLimit(.minutes(15))) struct MosquittoConfigurationTests {
    private static func made(
        isOnLAN: Bool = false, isEncrypted: Bool = false, beside files: [ConfigurationFile] = []
    ) throws -> (file: ConfigurationFile, note: String?) {
        let made = MosquittoConfiguration(
            template: try Project.read("Config/mosquitto.conf"), port: 1_900, isOnLAN: isOnLAN,
            isEncrypted: isEncrypted,
            beside: files)
        return (ConfigurationFile(name: MosquittoConfiguration.name, text: made.text), made.note)
    }

    @Test func theListenerIsAsTheOptionsSay() throws {
        #expect(try Self.made().file.value("listener") == "1900 127.0.0.1")
        let lan = try Self.made(isOnLAN: true).file
        #expect(lan.value("listener") == "1900")
        #expect(!lan.has("certfile", "keyfile"))
        let encrypted = try Self.made(isOnLAN: true, isEncrypted: true).file
        #expect(encrypted.value("certfile") == "/etc/mosquitto/lockstep/server.crt")
        #expect(encrypted.value("tls_version") == "tlsv1.2")
        for file in [lan, encrypted] {
            #expect(file.options.filter { $0[0] == "listener" }.count == 1)
            #expect(file.value("allow_anonymous") == "false")
            #expect(file.has("persistence_location"))
        }
    }

    @Test func aSecondPlaceOfTheStoreIsLeftOut() throws {
        let debian = ConfigurationFile(name: "mosquitto.conf", text: "persistence_location /var/lib/mosquitto/\n")
        let (file, note) = try Self.made(beside: [debian])
        #expect(!file.has("persistence_location"))
        #expect(note == nil)
    }

    @Test(arguments: ["listener 1884", "  port 1884", "connection away"])
    func limitsOfAllListenersAreLeftOutBesideOthers(line: String) throws {
        let others = [
            ConfigurationFile(name: "mosquitto.conf", text: "# listener 1\n"),
            ConfigurationFile(name: "conf.d/00.conf", text: "\(line)\n"),
        ]
        let (file, note) = try Self.made(beside: others)
        for limit in MosquittoConfiguration.sharedLimits {
            #expect(!file.has(limit))
            #expect(try Self.made().file.has(limit))
            #expect(note?.contains(limit) == true)
        }
        #expect(note?.contains("(conf.d/00.conf)") == true)
    }

    /// The other options apply to our listener only, or do not limit others. A new option needs a decision here.
    @Test func everyOptionIsForOurListenerOrALimitOfAll() throws {
        let names = try Self.made().file.options.map { String($0[0]) }
        #expect(
            names.filter { !MosquittoConfiguration.sharedLimits.contains($0) } == [
                "listener", "allow_anonymous", "password_file", "acl_file", "persistence", "persistence_location",
                "max_connections", "set_tcp_nodelay",
            ])
    }

    @Test func anIncludedFolderIsNoComment() {
        func includes(_ text: String) -> Bool { ConfigurationFile(name: "mosquitto.conf", text: text).includesFolder }
        #expect(includes("user x\n include_dir /etc/mosquitto/conf.d/\n"))
        for text in ["# include_dir /etc/mosquitto/conf.d", "include_dir", "include_dir /srv", ""] {
            #expect(!includes(text))
        }
    }

    // MARK: Trial

    private static func adapted(_ text: String, name: String = "conf.d/zz.conf") throws -> (TrialConfiguration, String)
    {
        var trial = TrialConfiguration(folder: "/tmp/t")
        var port = 30_000
        let text = try trial.adapt(ConfigurationFile(name: name, text: text)) { () throws(SetupError) in
            port += 1
            return port
        }
        return (trial, text)
    }

    @Test func listenersMoveToSparePortsOfLoopback() throws {
        let (trial, text) = try Self.adapted("listener 1884\nlistener 8883 192.0.2.1\nport 1883\nlistener 0 /run/s\n")
        #expect(
            trial.listeners.map(\.name) == [
                "conf.d/zz.conf 1884 *", "conf.d/zz.conf 8883 192.0.2.1", "conf.d/zz.conf 1883 *",
            ])
        #expect(
            text.hasPrefix(
                """
                listener 30001 127.0.0.1
                listener 30002 127.0.0.1
                port 30003
                bind_address 127.0.0.1
                listener 0 /tmp/t/data/socket.0
                """))
    }

    @Test func pathsAndUsersAreThoseOfTheTrial() throws {
        let (trial, text) = try Self.adapted(
            "persistence_location /var/lib/mosquitto/\npid_file /run/m.pid\nuser someone\ncafile /etc/mosquitto/ca.crt\nlog_dest file /x\n"
        )
        #expect(
            text
                == "persistence_location /tmp/t/data/\npid_file /tmp/t/data/pid\nuser someone\ncafile /tmp/t/ca.crt\n\n"
        )
        #expect(trial.user == "someone")
        #expect(trial.logins.isEmpty)
    }

    @Test func bridgesAreLeftOut() throws {
        let (_, text) = try Self.adapted(
            "connection away\naddress 192.0.2.1:1883\ntopic # both\nremote_username me\nbridge_cafile /x\nlog_type all\n"
        )
        #expect(text == "log_type all\n\n")
    }

    @Test func optionsThatDecideOnLoginsAreNamed() throws {
        let (trial, _) = try Self.adapted(
            """
            per_listener_settings true
            password_file /x
            plugin_opt_acl_file /y
            require_certificate true
            use_identity_as_username false
            """)
        #expect(trial.isPerListener)
        #expect(
            trial.logins
                == ["password_file", "plugin_opt_acl_file", "require_certificate"].map { "\($0) in conf.d/zz.conf" })
    }

    @Test func anotherFolderOfConfigurationCannotBeTried() throws {
        #expect(throws: SetupError.self) { try Self.adapted("include_dir /srv/mosquitto\n") }
        #expect(try Self.adapted("include_dir /etc/mosquitto/conf.d\n").1 == "include_dir /tmp/t/conf.d\n\n")
    }
}
