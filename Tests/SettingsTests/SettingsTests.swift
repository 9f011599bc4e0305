// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
import Logging
import Mosquitto
import Runtime
import Session
import Support
import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct SettingsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func settings(
        _ options: [Setting: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) throws -> NodeSettings {
        var values = SettingValues()
        for (setting, text) in options { values.set(setting, option: "--\(setting)", to: text) }
        try values.fill(environment: environment)
        if let file { try values.fill(file: try directory.write(file, to: "node.env")) }
        return try NodeSettings(values, environment: environment.merging(["HOME": directory.path]) { $1 })
    }

    private func complaint(_ body: () throws -> NodeSettings) -> String {
        do {
            _ = try body()
            return "no error"
        } catch {
            return "\(error)"
        }
    }

    @Test func severalAddressesAndAPinnedAuthorityReachTheLink() throws {
        let authority = try directory.write("", to: "ca.crt")
        let broker = "LOCKSTEP_BROKER=mqtts://desk@pi.lan,192.168.1.5:9\n"
        let pinned = "LOCKSTEP_TLS_PINNED=on\n"
        let link = try #require(
            try settings(file: broker + "LOCKSTEP_TLS_CA=\(authority)\n" + pinned).brokerConfiguration(clientID: "x"))
        #expect(link.host == "pi.lan")
        #expect(link.alternatives == [.init(host: "192.168.1.5", port: 9)])
        #expect(link.tls?.isPinned == true)
        #expect(complaint { try settings(file: broker + pinned) }.contains("LOCKSTEP_TLS_CA"))
    }

    @Test func theRoleOfANodeIsOneOfThree() throws {
        #expect(try settings().role == .node)
        #expect(try settings([.role: "display"]).role == .display)
        #expect(complaint { try settings([.role: "calm"]) }.contains("node, remote or display"))
    }

    @Test func hostsOfThePageAreChecked() throws {
        #expect(try settings([.httpHosts: "Pi.example.org, fd00::7"]).httpHosts == ["pi.example.org", "fd00::7"])
        for text in ["https://pi.example.org", "pi:7780", "[fd00::7]", "*.example.org"] {
            let said = complaint { try settings([.httpHosts: text]) }
            #expect(said.contains("“\(text)” is invalid; valid is names or addresses without scheme"), "\(said)")
        }
        for text in ["*:7780", "[fe80::1%eth0]:7780", "pi.:7780"] {
            #expect(complaint { try settings([.https: text]) }.contains("is no host; to listen on all"), "\(text)")
        }
        #expect(try settings([.http: "pi.local:8080"]).http?.host == "pi.local")
        #expect(try settings([.http: "127.example.org:8080"]).http?.isLoopback == false)
    }

    @Test func defaultsHoldWithoutSettings() throws {
        let settings = try settings()
        #expect(settings.broker == nil)
        #expect(settings.space.rawValue == "home")
        #expect(settings.name == settings.node.rawValue)
        #expect(settings.stateDirectory == directory.path + "/.local/state/lockstep")
        #expect(settings.socket == settings.stateDirectory + "/node.sock")
        #expect(settings.defaults == SessionDefaults())
        #expect(settings.presets.all == Presets().all)
        #expect(settings.logLevel == .info)
        #expect(settings.brokerConfiguration(clientID: "x") == nil)
    }

    @Test func presetsOfAPersonAreReadWhereThereAreAny() throws {
        let environment = ["XDG_CONFIG_HOME": directory.path]
        mkdir(directory.file("lockstep"), 0o700)
        _ = try directory.write("mine = focus 1h\n", to: "lockstep/presets")
        #expect(try settings(environment: environment).presets.all[0].plan == [Phase(kind: .focus, seconds: 3_600)])
        _ = try directory.write("mine: focus 1h\n", to: "lockstep/presets")
        #expect(complaint { try settings(environment: environment) }.contains("presets, line 1"))
    }

    @Test func optionPrecedesEnvironmentAndFile() throws {
        let file = "LOCKSTEP_SPACE=file\nLOCKSTEP_NODE=file\nLOCKSTEP_NAME=file\n"
        let environment = ["LOCKSTEP_SPACE": "environment", "LOCKSTEP_NODE": "environment"]
        let all = try settings([.space: "option"], environment: environment, file: file)
        #expect(all.space.rawValue == "option")
        #expect(all.node.rawValue == "environment")
        #expect(all.name == "file")
    }

    @Test func emptyValueIsIgnored() throws {
        let settings = try settings(environment: ["LOCKSTEP_SPACE": ""], file: "LOCKSTEP_SPACE=\nLOCKSTEP_BROKER=\n")
        #expect(settings.space.rawValue == "home")
        #expect(settings.broker == nil)
    }

    @Test func fileFollowsTheSyntaxOfSystemd() throws {
        let file = """
            # a comment
            ; another

              LOCKSTEP_SPACE = studio-3\u{20}
            LOCKSTEP_NAME="The desk = mine"
            LOCKSTEP_NODE='desk'
            """
        let settings = try settings(file: file)
        #expect(settings.space.rawValue == "studio-3")
        #expect(settings.name == "The desk = mine")
        #expect(settings.node.rawValue == "desk")
    }

    @Test func userIsTheNodeAndPasswordComesFromItsFile() throws {
        let file = try directory.write("hunter2\n", to: "password")
        chmod(file, 0o600)
        let options: [Setting: String] = [.broker: "mqtt://host", .node: "desk", .passwordFile: file]
        #expect(try settings(options).broker?.user == "desk")
        #expect(try settings(options).broker?.password == "hunter2")
        var named = options
        named[.broker] = "mqtt://other@host"
        #expect(try settings(named).broker?.user == "other")
        let link = try #require(try settings(options).brokerConfiguration(clientID: "lockstep-home-desk"))
        #expect(link.credentials == .init(user: "desk", password: "hunter2"))
        #expect(link.keepAliveSeconds == 10)
        #expect(link.clientID.hasPrefix("lockstep-home-desk-"))
        #expect(link.clientID.count > 25)
        #expect(try settings(options).brokerConfiguration(clientID: "lockstep-home-desk")?.clientID != link.clientID)
        #expect(link.tls == nil)
    }

    @Test func passwordOnTheCommandLineIsRefused() throws {
        let address = "mqtt://desk:hunter2@host"
        #expect(try settings(file: "LOCKSTEP_BROKER=\(address)").broker?.password == "hunter2")
        #expect(try settings(environment: ["LOCKSTEP_BROKER": address]).broker?.password == "hunter2")
        let said = complaint { try settings([.broker: address]) }
        #expect(said.contains("--password-file"))
        #expect(!said.contains("hunter2"))
    }

    @Test(arguments: [0o604, 0o644, 0o606] as [mode_t])
    func passwordFileReadableByOthersIsRefused(mode: mode_t) throws {
        let file = try directory.write("hunter2", to: "password")
        chmod(file, mode)
        let said = complaint { try settings([.broker: "mqtt://host", .passwordFile: file]) }
        #expect(said.contains("chmod 600 \(file)"))
    }

    @Test func certificateNeedsItsKey() throws {
        let file = try directory.write("x", to: "pem")
        let broker: [Setting: String] = [.broker: "mqtts://host"]
        for setting in [Setting.tlsCertificate, .tlsKey] {
            let said = complaint { try settings(broker.merging([setting: file]) { $1 }) }
            #expect(said.hasPrefix("--\(setting): "))
            #expect(said.contains("together"))
        }
        #expect(try settings(broker.merging([.tlsCertificate: file, .tlsKey: file]) { $1 }).tlsKey == file)
    }

    @Test(arguments: ["mqtt://host", nil])
    func certificateNeedsAnEncryptedConnection(broker: String?) throws {
        let file = try directory.write("x", to: "pem")
        var options: [Setting: String] = [.tlsCA: file]
        options[.broker] = broker
        #expect(complaint { try settings(options) }.contains("mqtts://"))
    }

    @Test func passwordNeedsABroker() throws {
        let file = try directory.write("hunter2", to: "password")
        #expect(complaint { try settings([.passwordFile: file]) }.contains("without a broker"))
    }

    @Test(arguments: [
        (Setting.broker, "http://x"), (.space, "Home"), (.space, String(repeating: "x", count: 33)), (.node, ""),
        (.node, "-desk"), (.name, "a\u{1B}b"), (.shortBreak, "0s"), (.longBreak, "25h"), (.countUpCap, "x"),
        (.longBreakEvery, "-1"), (.longBreakEvery, "101"), (.logLevel, "verbose"), (.presets, "/nonexistent/p"),
        (.tlsCA, "/nonexistent/ca"), (.tlsCertificate, "/nonexistent/c"), (.tlsKey, "/nonexistent/k"),
        (.http, "host:0"), (.https, "host:70000"), (.https, "/etc"), (.httpsCertificate, "/nonexistent/c"),
        (.httpsKey, "/nonexistent/k"), (.notify, "yes"), (.sound, "loud"), (.sound, "/nonexistent/s.wav"),
        (.httpLocalKey, "1"), (.language, "a\u{1B}b"),
    ])
    func invalidValueNamesItsPlace(setting: Setting, text: String) {
        let option = complaint { try settings([setting: text]) }
        #expect(option.hasPrefix("--\(setting): "), "\(option)")
        #expect(option.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        guard !text.isEmpty else { return }
        let file = complaint { try settings(file: "\n\n\(setting.rawValue)=\(text)") }
        #expect(file.hasPrefix("\(setting.rawValue) in \(directory.file("node.env")), line 3: "), "\(file)")
    }

    @Test func loopbackNeedsTheKeyIfConfigured() throws {
        #expect(try !settings().needsLocalKey)
        #expect(try settings(environment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"]).needsLocalKey)
        #expect(try !settings(environment: ["LOCKSTEP_HTTP_LOCAL_KEY": "off"]).needsLocalKey)
        // A proxy may hide that its clients are on other machines.
        let proxy = ["LOCKSTEP_HTTP_HOSTS": "pi.example.org"]
        #expect(try settings(environment: proxy).needsLocalKey)
        #expect(try !settings(environment: proxy.merging(["LOCKSTEP_HTTP_LOCAL_KEY": "off"]) { $1 }).needsLocalKey)
    }

    @Test(arguments: [
        ("7743", "127.0.0.1:7743"), ("0.0.0.0", "0.0.0.0:7743"), ("[::]:443", "[::]:443"),
        ("pi.local", "pi.local:7743"),
    ])
    func addressOfHTTPSHasItsOwnPort(text: String, address: String) throws {
        #expect(try settings([.https: text]).https?.description == address)
        #expect(try settings([.https: text]).http == nil)
    }

    @Test func certificateOfHTTPSNeedsItsKeyAndAnAddress() throws {
        let file = try directory.write("x", to: "pem")
        for setting in [Setting.httpsCertificate, .httpsKey] {
            let said = complaint { try settings([.https: "7743", setting: file]) }
            #expect(said.hasPrefix("--\(setting): "))
            #expect(said.contains("together"))
        }
        let both: [Setting: String] = [.httpsCertificate: file, .httpsKey: file]
        #expect(complaint { try settings(both) }.contains("set LOCKSTEP_HTTPS"))
        #expect(try settings(both.merging([.https: "7743"]) { $1 }).httpsKey == file)
    }

    @Test func portOfHTTPIsNotThatOfHTTPS() {
        let said = complaint { try settings([.http: "127.0.0.1:80", .https: "0.0.0.0:80"]) }
        #expect(said == "--https: HTTP has port 80 already; choose another one")
    }

    @Test func unknownKeyNamesItsPlaceAndSimilarKeys() {
        let file = complaint { try settings(file: "# x\nLOCKSTEP_BROKR=x") }
        #expect(file.contains("LOCKSTEP_BROKR in \(directory.file("node.env")), line 2"))
        #expect(file.hasSuffix("there is no such setting; similar: LOCKSTEP_BROKER"))
        let foreign = complaint { try settings(file: "PATH=/bin") }
        #expect(foreign.contains("PATH in "))
        let environment = complaint { try settings(environment: ["LOCKSTEP_X": "1", "PATH": "/bin"]) }
        #expect(environment.hasPrefix("LOCKSTEP_X in the environment"))
    }

    @Test func aBrokerOnTheCommandLineDoesNotGetThePasswordOfTheFile() throws {
        let file = try directory.write("LOCKSTEP_BROKER=mqtt://pi\nLOCKSTEP_PASSWORD_FILE=/p", to: "node.env")
        for (broker, isGiven) in [(nil, true), ("mqtt://other", false)] {
            var values = SettingValues()
            values.set(.broker, option: "--broker", to: broker)
            try values.fill(environment: [:], config: file, of: .node)
            #expect(values.isGiven(.passwordFile) == isGiven)
        }
    }

    @Test func duplicateKeyNamesBothLines() {
        let said = complaint { try settings(file: "LOCKSTEP_SPACE=a\nLOCKSTEP_NODE=b\nLOCKSTEP_SPACE=c") }
        #expect(said.contains("LOCKSTEP_SPACE is set twice"))
        #expect(said.contains("lines 1 and 3"))
    }

    @Test func errorNamesALineWithoutAValueAndAMissingFile() {
        #expect(complaint { try settings(file: "\nhello") }.contains("line 2: “hello”"))
        var values = SettingValues()
        #expect(throws: SettingError.self) { try values.fill(file: "/nonexistent/node.env") }
    }

    @Test func shippedFileListsEverySettingWithItsDefault() throws {
        func listed(in file: String) throws -> [String: String] {
            var listed: [String: String] = [:]
            for line in try Project.read(file).split(separator: "\n") where line.hasPrefix("#LOCKSTEP_") {
                let parts = line.dropFirst().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                #expect(listed.updateValue(String(parts[1]), forKey: String(parts[0])) == nil, "\(file): \(line) twice")
            }
            return listed
        }
        let all = Set(Setting.allCases.map(\.rawValue))
        let ofCalm = all.filter { $0.hasPrefix("LOCKSTEP_CALM_") }
        let ofDebt = all.filter { $0.hasPrefix("LOCKSTEP_DEBT_") || $0 == "LOCKSTEP_LEDGER" }
        let ofNode = try listed(in: "Config/node.env")
        #expect(Set(ofNode.keys) == all.subtracting(ofCalm).subtracting(ofDebt))
        for (file, own) in [("Config/debt.env", ofDebt), ("Config/calm.env", ofCalm)] {
            let keys = Set(try listed(in: file).keys)
            #expect(own.isSubset(of: keys), "\(file)")
            #expect(keys.subtracting(own).isSubset(of: ofNode.keys), "\(file)")
        }

        // The values in the file are the defaults.
        let given = try settings(file: ofNode.map { "\($0)=\($1)" }.joined(separator: "\n"))
        let plain = try settings()
        #expect(given.defaults == plain.defaults)
        #expect(given.space == plain.space)
        #expect(given.node == plain.node)
        #expect(given.logLevel == plain.logLevel)
        #expect(given.socket == plain.socket)
        #expect(given.stateDirectory == plain.stateDirectory)
        #expect(given.hooks == plain.hooks)
        #expect(given.language == plain.language)
        #expect(given.role == plain.role)
        #expect(given.isSocketForGroup == plain.isSocketForGroup)
        #expect(given.hasPlainTopics == plain.hasPlainTopics)
        #expect(given.showsProgress == plain.showsProgress)
        #expect(given.hasHomeAssistant == plain.hasHomeAssistant)
        #expect(given.isAuthorityPinned == plain.isAuthorityPinned)
        #expect(given.needsLocalKey == plain.needsLocalKey)
    }

    @Test func hookSettingNamesItsEvent() throws {
        #expect(try settings().hooks.isEmpty)
        let file = "LOCKSTEP_HOOK_STALE=aplay x.wav\nLOCKSTEP_HOOK_PHASE=\nLOCKSTEP_NOTIFY=on"
        let hooks = try settings(environment: ["LOCKSTEP_HOOK_STOPPED": "true"], file: file).hooks
        #expect(hooks.commands == [.stale: "aplay x.wav", .stopped: "true"])
        #expect(hooks.notifies)
        #expect(try settings(file: "LOCKSTEP_NOTIFY=off").hooks.isEmpty)
        for event in EventName.allCases {
            let name = "LOCKSTEP_HOOK_\(event.rawValue.uppercased())"
            #expect(try settings(environment: [name: "true"]).hooks.commands == [event: "true"])
        }
    }

    @Test func soundIsTheChimeOrAFile() throws {
        #expect(try settings(file: "LOCKSTEP_SOUND=off").hooks.isEmpty)
        #expect(try settings(file: "LOCKSTEP_SOUND=on").hooks.sound == .chime)
        let file = try directory.write("", to: "gong.wav")
        #expect(try settings(file: "LOCKSTEP_SOUND=\(file)").hooks.sound == .file(file))
    }

    @Test func languageIsTheOneThatIsSet() throws {
        #expect(try settings(environment: ["LANG": "de_AT.UTF-8"]).language == nil)
        #expect(try settings(environment: ["LANG": "de_AT.UTF-8", "LOCKSTEP_LANG": "ja"]).language == "ja")
    }

    @Test func hookEnvironmentIsIgnored() throws {
        let environment = ["LOCKSTEP_EVENT": "started", "LOCKSTEP_TITLE": "x", "LOCKSTEP_SPACE": "studio"]
        #expect(try settings(environment: environment).space.rawValue == "studio")
        #expect(complaint { try settings(file: "LOCKSTEP_TITLE=x") }.contains("no such setting"))
    }
}
