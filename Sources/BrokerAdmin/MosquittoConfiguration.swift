// SPDX-License-Identifier: Apache-2.0

import Joining

/// A file of mosquitto's configuration, as text and as options.
struct ConfigurationFile {
    /// The path of the file below `/etc/mosquitto`.
    var name: String
    var text: String

    var lines: [Substring] { text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) }
    /// The options, each as its words, without comments.
    var options: [[Substring]] { lines.map(Self.words).filter { !$0.isEmpty && !$0[0].hasPrefix("#") } }

    func has(_ names: String...) -> Bool { options.contains { names.contains(String($0[0])) } }

    /// The value of an option, from the last line that has it.
    func value(_ name: String) -> String? {
        options.last { $0[0] == name && $0.count > 1 }.map { $0.dropFirst().joined(separator: " ") }
    }

    /// Whether it includes `/etc/mosquitto/conf.d`.
    var includesFolder: Bool { options.contains { $0[0] == "include_dir" && $0.count > 1 && Self.isFolder($0[1]) } }

    static func isFolder(_ path: some StringProtocol) -> Bool {
        ["/etc/mosquitto/conf.d", "/etc/mosquitto/conf.d/"].contains { $0 == path }
    }

    static func words(_ line: Substring) -> [Substring] { line.split { $0 == " " || $0 == "\t" } }
}

/// The part of mosquitto's configuration that `lockstep broker setup` writes.
struct MosquittoConfiguration {
    static let name = "conf.d/lockstep.conf"
    /// The line with which `mosquitto.conf` includes the folder of this file.
    static let include = "include_dir /etc/mosquitto/conf.d"
    /// The options of `Config/mosquitto.conf` that mosquitto applies to all listeners, even with
    /// `per_listener_settings`.
    static let sharedLimits = [
        "max_packet_size", "memory_limit", "persistent_client_expiration", "max_queued_messages", "max_keepalive",
        "autosave_on_changes", "autosave_interval",
    ]

    let text: String
    /// The other files that have listeners or bridges. If there are any, limits that would bound these are left out.
    let others: [String]

    init(
        template: String, port: Int, isOnLAN: Bool, isEncrypted: Bool, beside files: [ConfigurationFile]
    ) {
        let others = files.filter { $0.has("listener", "port", "connection") }.map(\.name)
        // mosquitto refuses a second persistence_location, and Debian's own mosquitto.conf has one.
        let hasLocation = files.contains { $0.has("persistence_location") }
        var lines: [Substring] = []
        for line in ConfigurationFile(name: Self.name, text: template).lines {
            switch String(ConfigurationFile.words(line).first ?? "") {
            case "listener":
                lines.append("listener \(port)\(isOnLAN ? "" : " 127.0.0.1")")
                guard isEncrypted else { continue }
                lines += [
                    "certfile /etc/mosquitto/lockstep/server.crt", "keyfile /etc/mosquitto/lockstep/server.key",
                    "tls_version tlsv1.2",
                ]
            case "persistence_location" where hasLocation: continue
            case let option where !others.isEmpty && Self.sharedLimits.contains(option):
                lines.append("# Left out beside other listeners: \(line)")
            default: lines.append(line)
            }
        }
        text = lines.joined(separator: "\n")
        self.others = others
    }

    /// Names the limits that are left out; `nil` if there are none.
    var note: String? {
        guard !others.isEmpty else { return nil }
        return """
            Left out, since they would hold for the other listeners (\(others.joined(separator: ", "))) as well:
            \(Self.sharedLimits.joined(separator: ", "));
            to have one for all, copy its line, a comment in \(Self.name), into a file of your own in /etc/mosquitto/conf.d.
            """
    }
}

/// A copy of mosquitto's configuration with other paths and ports, and without bridges, to try it beside the running
/// broker.
struct TrialConfiguration {
    /// A listener of the configuration, and its port in the trial.
    struct Listener: Equatable {
        var file: String
        var port: String
        /// The address that it is bound to; `*` if none is given.
        var address: String
        /// The port in the trial.
        var spare: Int

        var name: String { "\(file) \(port) \(address)" }
    }

    /// The folder of the trial, which stands for `/etc/mosquitto`.
    let folder: String
    private(set) var listeners: [Listener] = []
    /// The options that say which clients may log in and do what, as `password_file in mosquitto.conf`.
    private(set) var logins: [String] = []
    private(set) var isPerListener = false
    private(set) var user: String?
    private var sockets = 0

    init(folder: String) { self.folder = folder }

    /// Whether an option belongs to a bridge. The trial has none: it would disconnect the running one, which has the
    /// same client id.
    private static func isBridgeOption(_ option: String) -> Bool {
        [
            "connection", "address", "addresses", "topic", "cleansession", "clientid", "idle_timeout",
            "keepalive_interval", "restart_timeout", "round_robin", "start_type", "threshold", "try_private",
            "username",
            "password",
        ].contains(option) || ["bridge_", "remote_", "local_", "notification"].contains(where: option.hasPrefix)
    }

    /// Returns the text of a file for the trial; throws for one that cannot be tried.
    mutating func adapt(
        _ file: ConfigurationFile, sparePort: () throws -> Int
    ) throws -> String {
        var lines: [String] = []
        for line in file.lines {
            let words = ConfigurationFile.words(line)
            let (option, value) = (String(words.first ?? ""), words.count > 1 ? String(words[1]) : "")
            var adapted = String(line)
            switch option {
            case "listener" where value == "0":
                adapted = "listener 0 \(folder)/data/socket.\(sockets)"
                sockets += 1
            case "listener", "port":
                let spare = try sparePort()
                let address = words.count > 2 ? String(words[2]) : "*"
                listeners.append(Listener(file: file.name, port: value, address: address, spare: spare))
                adapted = option == "port" ? "port \(spare)\nbind_address 127.0.0.1" : "listener \(spare) 127.0.0.1"
            case "persistence_location": adapted = "persistence_location \(folder)/data/"
            case "pid_file": adapted = "pid_file \(folder)/data/pid"
            case "user": user = value
            case "per_listener_settings": isPerListener = value == "true"
            case "require_certificate", "use_identity_as_username", "use_subject_as_username":
                if value == "true" { logins.append("\(option) in \(file.name)") }
            // The options of plugins that do the same have a prefix.
            case _ where ["password_file", "acl_file", "psk_file"].contains(where: option.hasSuffix):
                logins.append("\(option) in \(file.name)")
            case "log_dest", "bind_address", "bind_interface", "socket_domain": continue
            case _ where Self.isBridgeOption(option): continue
            case "include_dir" where !ConfigurationFile.isFolder(value):
                throw SetupError("\(file.name) includes \(value), which cannot be tried")
            default: break
            }
            lines.append(adapted.replacing("/etc/mosquitto", with: folder))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
