// SPDX-License-Identifier: Apache-2.0

import Glibc
public import Logging
public import Session

/// The settings of a node, checked.
public struct Settings: Sendable {
    /// The broker; `nil` to work alone.
    public var broker: BrokerAddress?
    /// The certificates that the broker is checked against; `nil` for those of the operating system.
    public var tlsCA: String?
    /// The node's own certificate, for a broker that asks for one.
    public var tlsCertificate: String?
    /// The key that goes with it.
    public var tlsKey: String?
    /// The space.
    public var space: SpaceID
    /// The node's id.
    public var node: NodeID
    /// Its name for people.
    public var name: String
    /// Where it keeps its journal.
    public var stateDirectory: String
    /// The socket of its local control.
    public var socket: String
    /// Where the kiosk page is served; `nil` for nowhere.
    public var http: HTTPAddress?
    /// Names, besides its own, by which browsers reach the node; in lower case.
    public var httpHosts: Set<String>
    /// Whether requests from this machine need a key, too.
    public var needsLocalKey: Bool
    /// The presets, by name.
    public var presets: Presets
    /// Lengths of phases that a plan does not hold.
    public var defaults: PhaseDefaults
    /// What goes into the log.
    public var logLevel: Logger.Level
    /// The language of what the node itself shows a person: a tag or a locale; `nil` where none is set.
    public var language: String?
    /// What happens at session events.
    public var hooks: HookSettings

    /// Checks what was given and fills in the defaults.
    /// - Parameter environment: For the directories of systemd and XDG, and the home directory.
    /// - Throws: ``SettingError`` that names where a bad value was given.
    public init(_ values: SettingValues, environment: [String: String]) throws(SettingError) {
        broker = try values.read(.broker, BrokerAddress.init)
        if let given = values[.broker], given.isOnCommandLine, broker?.password != nil {
            throw SettingError(
                "\(given.origin): a password on a command line can be read by every user of this machine; "
                    + "put it into a file of mode 0600 and name that with --password-file")
        }
        tlsCA = try values.path(.tlsCA)
        tlsCertificate = try values.path(.tlsCertificate)
        tlsKey = try values.path(.tlsKey)
        space = try values.read(.space, SpaceID.init, "1 to 32 characters of a-z, 0-9 and -") ?? Self.home
        let ownNode = try values.read(.node, NodeID.init, "1 to 32 characters of a-z, 0-9 and -")
        if let ownNode { node = ownNode } else { node = try Self.hostNode() }
        let ownName = try values.read(
            .name, { CleanText.accepts($0, bytes: Limits.nameBytes) ? $0 : nil },
            "1 to \(Limits.nameBytes) bytes without control characters")
        name = ownName ?? node.rawValue
        let paths = Paths(environment: environment)
        stateDirectory = values[.stateDirectory]?.text ?? paths.stateDirectory
        socket = values[.socket]?.text ?? paths.socket(stateDirectory: stateDirectory)
        http = try values.read(.http, HTTPAddress.init)
        httpHosts = Set((values[.httpHosts]?.text ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() })
        needsLocalKey = try values.isOn(.httpLocalKey)
        let ownPresets = try values.read(.presets, Presets.init(file:))
        presets = ownPresets ?? Presets()
        defaults = PhaseDefaults()
        defaults.shortBreak = try values.duration(.shortBreak) ?? defaults.shortBreak
        defaults.longBreak = try values.duration(.longBreak) ?? defaults.longBreak
        defaults.countUpCap = try values.duration(.countUpCap) ?? defaults.countUpCap
        defaults.longBreakEvery =
            try values.read(
                .longBreakEvery, { text in Int(text).flatMap { (0...100).contains($0) ? $0 : nil } }, "0 to 100")
            ?? defaults.longBreakEvery
        logLevel =
            try values.read(
                .logLevel, { Logger.Level(rawValue: $0) },
                "one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")) ?? .info
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        language =
            try values.read(
                .language, { CleanText.accepts($0, bytes: Limits.nameBytes) ? $0 : nil },
                "a language such as de or pt-BR")
            ?? locale
        hooks = try HookSettings(values)
        try checkTLS(values)
        try readPassword(values)
    }

    private static let home: SpaceID = SpaceID("home") ?? { preconditionFailure("home is a space") }()

    /// The name of this machine in lower case, without its domain.
    public static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let host = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return host.prefix { $0 != "." }.lowercased()
    }

    private static func hostNode() throws(SettingError) -> NodeID {
        let short = hostName
        let reduced = String(short.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(32))
        guard let node = NodeID(String(reduced.drop { $0 == "-" })) else {
            throw SettingError("this machine has no host name to call the node by; give one with --node")
        }
        return node
    }

    /// Certificates for a connection that would not be encrypted are a mistake that nobody should find out late.
    private func checkTLS(_ values: SettingValues) throws(SettingError) {
        for setting in [Setting.tlsCA, .tlsCertificate, .tlsKey] {
            guard let given = values[setting], broker?.isEncrypted != true else { continue }
            throw SettingError(
                "\(given.origin): certificates are for an encrypted connection; give the broker as mqtts://…")
        }
        if let given = values[.tlsKey] ?? values[.tlsCertificate], (tlsKey == nil) != (tlsCertificate == nil) {
            throw SettingError("\(given.origin): a certificate and its key are given together")
        }
    }

    /// The password is taken from its file, which must not be readable by everybody; the user is the node, as the
    /// broker's access rules have it, unless the address names another.
    private mutating func readPassword(_ values: SettingValues) throws(SettingError) {
        guard let given = values[.passwordFile] else { return }
        guard broker != nil else { throw SettingError("\(given.origin): a password without a broker") }
        let mode: UInt32
        do throws(FileError) {
            mode = try Files.mode(of: given.text)
            let bytes = try Files.read(given.text, limit: 4_096)
            broker?.password = String(decoding: bytes.prefix { $0 != 10 && $0 != 13 }, as: UTF8.self)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
        guard mode & 0o007 == 0 else {
            throw SettingError("\(given.origin): \(given.text) can be read by everybody; say chmod 600 \(given.text)")
        }
        if broker?.user == nil { broker?.user = node.rawValue }
    }
}

extension SettingValues {
    fileprivate func read<Value>(
        _ setting: Setting, _ convert: (String) throws(BadValue) -> Value
    ) throws(SettingError) -> Value? {
        guard let given = self[setting] else { return nil }
        do throws(BadValue) {
            return try convert(given.text)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
    }

    /// What was given for a setting, converted; `nil` where nothing was.
    /// - Parameters:
    ///   - convert: `nil` for a text that does not fit.
    ///   - expected: What would fit, in words.
    /// - Throws: ``SettingError`` that names where a bad value was given.
    public func read<Value>(
        _ setting: Setting, _ convert: (String) -> Value?, _ expected: String
    ) throws(SettingError) -> Value? {
        guard let given = self[setting] else { return nil }
        guard let value = convert(given.text) else {
            throw SettingError("\(given.origin): “\(given.shownText)” does not fit; it takes \(expected)")
        }
        return value
    }

    /// What was given for a setting that is on or off; off where nothing was.
    func isOn(_ setting: Setting) throws(SettingError) -> Bool {
        try read(setting, { ["on": true, "off": false][$0] }, "on or off") ?? false
    }

    fileprivate func path(_ setting: Setting) throws(SettingError) -> String? {
        guard let given = self[setting] else { return nil }
        guard access(given.text, R_OK) == 0 else {
            throw SettingError("\(given.origin): cannot read \(given.text): \(String(cString: strerror(errno)))")
        }
        return given.text
    }

    /// What was given for a setting, in seconds; `nil` where nothing was.
    /// - Throws: ``SettingError`` that names where a bad value was given.
    public func duration(_ setting: Setting) throws(SettingError) -> Int? {
        guard let given = self[setting] else { return nil }
        do throws(PlanError) {
            return try PlanGrammar.seconds(of: given.text)
        } catch {
            throw SettingError("\(given.origin): \(error)")
        }
    }
}
