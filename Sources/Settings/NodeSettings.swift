// SPDX-License-Identifier: Apache-2.0

import API
import Glibc
package import Logging
import Platform
package import Session

/// The validated settings of a node.
package struct NodeSettings: Sendable {
    /// The broker; `nil` to work alone.
    package var broker: BrokerAddress?
    /// The file of trusted certificates for the broker; `nil` for those of the operating system.
    package var tlsCA: String?
    /// Whether ``tlsCA`` signs for the broker alone, so that the names in its certificate do not matter.
    package var isAuthorityPinned: Bool
    /// The node's certificate, for a broker that requires one.
    package var tlsCertificate: String?
    /// The key of ``tlsCertificate``.
    package var tlsKey: String?
    package var space: SpaceID
    package var node: NodeID
    /// `node`, `remote` or `display`.
    package var role: MemberRole
    /// The name that people see.
    package var name: String
    package var stateDirectory: String
    /// The path of the control socket.
    package var socket: String
    /// Whether the members of the node's group may use the control socket, too.
    package var isSocketForGroup: Bool
    /// The address of the pages and the API; `nil` to serve none.
    package var http: HTTPAddress?
    /// The address of the pages and the API over HTTPS; `nil` to serve none.
    package var https: HTTPAddress?
    /// The certificate of HTTPS; `nil` for one of the node's own authority.
    package var httpsCertificate: String?
    /// The key of ``httpsCertificate``.
    package var httpsKey: String?
    /// Further host names under which browsers reach the node, in lower case.
    package var httpHosts: Set<String>
    /// Whether requests from this machine need a key as well.
    package var needsLocalKey: Bool
    package var presets: Presets
    /// The defaults of sessions that are started here.
    package var defaults: SessionDefaults
    /// Whether the node publishes the session on plain topics, and takes plain commands.
    package var hasPlainTopics: Bool
    /// Whether one of the plain topics has the progress of the phase, each minute.
    package var showsProgress: Bool
    /// Whether Home Assistant discovers the plain topics.
    package var hasHomeAssistant: Bool
    package var logLevel: Logger.Level
    /// The language of notifications: a tag or a locale; `nil` for that of the environment.
    package var language: String?
    package var hooks: HookSettings

    /// Validates values and adds the defaults.
    /// - Parameter environment: For the directories of systemd and XDG, and the home directory.
    /// - Throws: ``SettingError`` that names the origin of an invalid value.
    package init(_ values: SettingValues, environment: [String: String]) throws(SettingError) {
        broker = try values.read(.broker, BrokerAddress.init)
        if let given = values[.broker], given.isOnCommandLine, broker?.password != nil {
            throw SettingError(
                "\(given.origin): a password on a command line can be read by every user of this machine; "
                    + "put it into a file of mode 0600 and name that with --password-file")
        }
        tlsCA = try values.path(.tlsCA)
        isAuthorityPinned = try values.isOn(.tlsPinned)
        tlsCertificate = try values.path(.tlsCertificate)
        tlsKey = try values.path(.tlsKey)
        space = try values.read(.space, SpaceID.init, Self.nameRule) ?? Self.defaultSpace
        let ownNode = try values.read(.node, NodeID.init, Self.nameRule)
        if let ownNode { node = ownNode } else { node = try Self.hostNode() }
        role =
            try values.read(
                .role, { MemberRole(rawValue: $0).flatMap { $0.service == .node ? $0 : nil } },
                "node, remote or display") ?? .node
        let ownName = try values.read(
            .name, { CleanText.accepts($0, bytes: Limits.nameBytes) ? $0 : nil },
            "1 to \(Limits.nameBytes) bytes without control characters")
        name = ownName ?? node.rawValue
        let paths = Paths(environment: environment)
        stateDirectory = values[.stateDirectory]?.text ?? paths.stateDirectory
        socket = values[.socket]?.text ?? paths.socket(stateDirectory: stateDirectory)
        if let given = values[.socket], socket.utf8.count > UnixSocket.pathLimit {
            throw SettingError("\(given.origin): \(ControlError.pathTooLong(socket))")
        }
        isSocketForGroup = try values.isOn(.socketGroup)
        http = try values.read(.http) { text throws(ValueError) in try HTTPAddress(text) }
        https = try values.read(.https) { text throws(ValueError) in
            try HTTPAddress(text, port: HTTPAddress.usualSecurePort)
        }
        httpsCertificate = try values.path(.httpsCertificate)
        httpsKey = try values.path(.httpsKey)
        httpHosts =
            try values.read(
                .httpHosts, Self.hosts(in:),
                "names or addresses without scheme, port and brackets, as pi.example.org, separated by commas") ?? []
        // A proxy on this machine may hide that its clients are on other machines.
        needsLocalKey = values.isGiven(.httpLocalKey) ? try values.isOn(.httpLocalKey) : !httpHosts.isEmpty
        let ownPresets = try values.read(.presets, Presets.init(file:))
        if let ownPresets { presets = ownPresets } else { presets = try Self.presets(at: paths.presets) }
        defaults = try Self.sessionDefaults(values)
        showsProgress = try values.isOn(.plainProgress)
        hasHomeAssistant = try values.isOn(.homeAssistant)
        // Home Assistant reads the plain topics.
        hasPlainTopics = try values.isOn(.plain) || hasHomeAssistant
        logLevel =
            try values.read(
                .logLevel, { Logger.Level(rawValue: $0) },
                "one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")) ?? .info
        language = try values.read(
            .language, { CleanText.accepts($0, bytes: Limits.nameBytes) ? $0 : nil }, "a language such as de or pt-BR")
        hooks = try HookSettings(values)
        try checkTLS(values)
        try checkHTTPS(values)
        try readPassword(values)
    }

    /// Makes new files private, and starts the log on stderr. Called once in a process.
    package func prepareProcess() {
        umask(0o077)
        LoggingSystem.bootstrap { [logLevel] label in
            var handler = StreamLogHandler(label: label, stream: LogLines())
            handler.logLevel = logLevel
            return handler
        }
    }

    /// The rule for the id of a node and of a space.
    package static let nameRule = "1 to 32 characters of a-z, 0-9 and -, the first of which is not -"

    /// The space of a node whose settings name none.
    package static let defaultSpace: SpaceID = SpaceID("home") ?? { preconditionFailure("home is a space") }()

    /// The name of this machine in lower case, without its domain.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return host.prefix { $0 != "." }.lowercased()
    }

    /// Returns the id of a node that is named after this machine.
    package static func hostNode() throws(SettingError) -> NodeID {
        guard let node = node(like: hostName) else {
            throw SettingError("this machine has no host name for the node id; set one with --node")
        }
        return node
    }

    /// Returns the id of a node that is most like a name; `nil` for a name without a letter or digit of an id.
    package static func node(like name: String) -> NodeID? {
        let letters = name.lowercased().map { $0.asciiValue?.isASCIILetterOrDigit == true ? $0 : "-" }
        return NodeID(String(letters.drop { $0 == "-" }.prefix(32)))
    }

    private static func hosts(in text: String) -> Set<String>? {
        let hosts = text.split { $0 == "," || $0 == " " }.map { $0.lowercased() }
        return hosts.allSatisfy(HostText.accepts) ? Set(hosts) : nil
    }

    private static func sessionDefaults(_ values: SettingValues) throws(SettingError) -> SessionDefaults {
        var defaults = SessionDefaults()
        defaults.shortBreak = try values.duration(.shortBreak) ?? defaults.shortBreak
        defaults.longBreak = try values.duration(.longBreak) ?? defaults.longBreak
        defaults.countUpCap = try values.duration(.countUpCap) ?? defaults.countUpCap
        defaults.hasAlarm = try values.isOn(.alarm)
        defaults.longBreakEvery =
            try values.read(
                .longBreakEvery, { text in Int(text).flatMap { (0...100).contains($0) ? $0 : nil } }, "0 to 100")
            ?? defaults.longBreakEvery
        return defaults
    }

    /// Reads the presets of a person, who may have none of their own.
    private static func presets(at path: String) throws(SettingError) -> Presets {
        guard access(path, F_OK) == 0 else { return Presets() }
        do throws(ValueError) {
            return try Presets(file: path)
        } catch {
            throw SettingError(error.description)
        }
    }

    /// Refuses settings of TLS that do not fit together or the broker's address.
    private func checkTLS(_ values: SettingValues) throws(SettingError) {
        for setting in [Setting.tlsCA, .tlsCertificate, .tlsKey] {
            guard let given = values[setting], broker?.isEncrypted != true else { continue }
            throw SettingError(
                "\(given.origin): certificates are for an encrypted connection; give the broker as mqtts://…")
        }
        if let given = values[.tlsPinned], isAuthorityPinned, tlsCA == nil {
            throw SettingError("\(given.origin): the authority to pin is given with LOCKSTEP_TLS_CA")
        }
        if let given = values[.tlsKey] ?? values[.tlsCertificate], (tlsKey == nil) != (tlsCertificate == nil) {
            throw SettingError("\(given.origin): a certificate and its key are given together")
        }
    }

    private func checkHTTPS(_ values: SettingValues) throws(SettingError) {
        if let given = values[.httpsKey] ?? values[.httpsCertificate] {
            guard (httpsKey == nil) == (httpsCertificate == nil) else {
                throw SettingError("\(given.origin): a certificate and its key are given together")
            }
            guard https != nil else {
                throw SettingError("\(given.origin): a certificate without an address for it; set LOCKSTEP_HTTPS")
            }
        }
        if let given = values[.https], let http, http.port == https?.port {
            throw SettingError("\(given.origin): HTTP has port \(http.port) already; choose another one")
        }
    }

    /// Reads the password file. Without a user in the address, the user is the node, as in the broker's access rules.
    private mutating func readPassword(_ values: SettingValues) throws(SettingError) {
        guard let given = values[.passwordFile] else { return }
        guard broker != nil else {
            throw SettingError(
                "\(given.origin): a password without a broker; give that with --broker mqtts://user@host")
        }
        do throws(ValueError) {
            broker?.password = try Self.password(in: given.text)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
        if broker?.user == nil { broker?.user = node.rawValue }
    }

    /// Returns the first line of a file, which must not be readable by other users.
    package static func password(in path: String) throws(ValueError) -> String {
        let (bytes, exposure): ([UInt8], String?)
        do throws(FileError) {
            (bytes, exposure) = (try Files.read(path, limit: 4_096), try Files.exposure(of: path))
        } catch {
            throw ValueError("\(error)")
        }
        if let exposure { throw ValueError(exposure) }
        return String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }
}

extension SettingValues {
    fileprivate func read<Value>(
        _ setting: Setting, _ convert: (String) throws(ValueError) -> Value
    ) throws(SettingError) -> Value? {
        guard let given = self[setting] else { return nil }
        do throws(ValueError) {
            return try convert(given.text)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
    }

    /// Returns the converted value of a setting; `nil` if it is not set. If `convert` returns `nil`, the error names
    /// the origin and what is expected.
    package func read<Value>(
        _ setting: Setting, _ convert: (String) -> Value?, _ expected: String
    ) throws(SettingError) -> Value? {
        guard let given = self[setting] else { return nil }
        guard let value = convert(given.text) else {
            throw SettingError("\(given.origin): “\(LineText(showing: given.text))” is invalid; valid is \(expected)")
        }
        return value
    }

    /// Sets the state directory of a service, and returns whether it serves every space, as `+` says.
    package mutating func setDefaults(of service: ServiceName, environment: [String: String]) throws(SettingError)
        -> Bool
    {
        if environment["STATE_DIRECTORY"] == nil {
            setDefault(.stateDirectory, to: Paths(environment: environment).stateDirectory(of: service))
        }
        guard try read(.space, { $0 == SpaceID.every }, "") == true else { return false }
        // `NodeSettings` takes one space, which nothing uses then.
        forget(.space)
        return true
    }

    /// Returns whether a setting is on; by default it is off.
    package func isOn(_ setting: Setting) throws(SettingError) -> Bool {
        try read(setting, { ["on": true, "off": false][$0] }, "on or off") ?? false
    }

    fileprivate func path(_ setting: Setting) throws(SettingError) -> String? {
        guard let given = self[setting] else { return nil }
        guard access(given.text, R_OK) == 0 else {
            throw SettingError("\(given.origin): cannot read \(given.text): \(String(cString: strerror(errno)))")
        }
        return given.text
    }

    /// Returns a setting in seconds; `nil` if it is not set.
    package func duration(_ setting: Setting) throws(SettingError) -> Int? {
        guard let given = self[setting] else { return nil }
        do throws(PlanError) {
            return try PlanParser.seconds(of: given.text)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
    }
}

/// Writes log lines to stderr, without the control characters by which text from outside could begin another line.
private struct LogLines: TextOutputStream {
    func write(_ line: String) {
        let text = line.last == "\n" ? String(line.dropLast()) : line
        let bytes = Array("\(LineText(showing: text))\n".utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
