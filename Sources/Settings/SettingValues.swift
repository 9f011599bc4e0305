// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Session

/// The settings by name, each with its origin.
package struct SettingValues: Sendable {
    /// The text of a setting, and where it was given.
    package struct Value: Sendable {
        package var text: String
        /// “--broker”, “LOCKSTEP_BROKER in the environment”, “LOCKSTEP_BROKER in FILE, line 3” or “the default of
        /// LOCKSTEP_BROKER”.
        package var origin: String
        /// Whether it was given on a command line, which every user of the machine can read.
        package var isOnCommandLine = false
    }

    private var values: [Setting: Value] = [:]

    package init() {}

    package subscript(setting: Setting) -> Value? { values[setting] }

    package func isGiven(_ setting: Setting) -> Bool { values[setting] != nil }

    /// Sets a value of the command line; `nil` has no effect.
    package mutating func set(_ setting: Setting, option: String, to text: String?) {
        if let text { values[setting] = Value(text: text, origin: option, isOnCommandLine: true) }
    }

    /// Sets the default that a program has for a value, unless the value is given.
    package mutating func setDefault(_ setting: Setting, to text: String) {
        if !isGiven(setting) { values[setting] = Value(text: text, origin: "the default of \(setting.rawValue)") }
    }

    /// Forgets a value, in whose place ``NodeSettings`` then has its default.
    package mutating func forget(_ setting: Setting) { values[setting] = nil }

    /// Adds the values that are not set yet: of the environment, then of a settings file.
    ///
    /// The credentials in a file belong to the broker in that file. If the command line names another, they are left
    /// out, so that it does not get the password.
    /// - Parameter config: The file; `nil` for the default one of the service, if it exists.
    package mutating func fill(
        environment: [String: String], config: String?, of service: ServiceName
    ) throws(SettingError) {
        let ignored = isGiven(.broker) ? Setting.ofBroker : []
        try fill(environment: environment)
        let file = Paths(environment: environment).settings(of: service)
        if config != nil || access(file, R_OK) == 0 { try fill(file: config ?? file, except: ignored) }
    }

    /// Adds the values of the environment that are not set yet.
    /// - Throws: ``SettingError`` for a `LOCKSTEP_` variable that is no setting.
    package mutating func fill(environment: [String: String]) throws(SettingError) {
        for name in environment.keys.sorted() where name.hasPrefix("LOCKSTEP_") {
            guard let text = environment[name] else { continue }
            // `lockstep` in a hook has the environment of the hook.
            if Setting(rawValue: name) == nil, HookEnvironment.values[name] != nil { continue }
            try fill(name, Value(text: text, origin: "\(name) in the environment"))
        }
    }

    /// Adds the values of a file of `KEY=VALUE` lines that are not set yet. As in systemd, `#` and `;` begin comments,
    /// and a value can be quoted.
    package mutating func fill(file path: String, except ignored: Set<Setting> = []) throws(SettingError) {
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw SettingError(error.description)
        }
        var lines: [String: Int] = [:]
        for (index, line) in text.settingLines.enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" || line.first == ";" { continue }
            let place = "\(path), line \(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                throw SettingError("\(place): “\(LineText(showing: String(line)))” is not of the form KEY=VALUE")
            }
            let name = String(line[..<equals].trimmed)
            if let first = lines.updateValue(index + 1, forKey: name) {
                throw SettingError("\(name) is set twice in \(path), in lines \(first) and \(index + 1)")
            }
            if let setting = Setting(rawValue: name), ignored.contains(setting) { continue }
            try fill(
                name, Value(text: unquoted(line[line.index(after: equals)...].trimmed), origin: "\(name) in \(place)"))
        }
    }

    private mutating func fill(_ name: String, _ value: Value) throws(SettingError) {
        guard let setting = Setting(rawValue: name) else {
            let similar = Setting.allCases.map(\.rawValue).names(like: name)
            throw SettingError(
                "\(value.origin): there is no such setting; "
                    + (similar.map { "similar: \($0)" }
                        ?? "the files in /etc/lockstep, or in Config of the sources, list all"))
        }
        if values[setting] == nil, !value.text.isEmpty { values[setting] = value }
    }

    private func unquoted(_ text: Substring) -> String {
        guard let quote = text.first, quote == "\"" || quote == "'", text.count >= 2, text.last == quote else {
            return String(text)
        }
        return String(text.dropFirst().dropLast())
    }
}

/// The settings of all programs, by their names in the environment and in files.
package enum Setting: String, CaseIterable, Sendable {
    case broker = "LOCKSTEP_BROKER"
    case passwordFile = "LOCKSTEP_PASSWORD_FILE"
    case tlsCA = "LOCKSTEP_TLS_CA"
    case tlsPinned = "LOCKSTEP_TLS_PINNED"
    case tlsCertificate = "LOCKSTEP_TLS_CERT"
    case tlsKey = "LOCKSTEP_TLS_KEY"
    case space = "LOCKSTEP_SPACE"
    case node = "LOCKSTEP_NODE"
    case role = "LOCKSTEP_ROLE"
    case name = "LOCKSTEP_NAME"
    case stateDirectory = "LOCKSTEP_STATE_DIR"
    case socket = "LOCKSTEP_SOCKET"
    case socketGroup = "LOCKSTEP_SOCKET_GROUP"
    case http = "LOCKSTEP_HTTP"
    case https = "LOCKSTEP_HTTPS"
    case httpsCertificate = "LOCKSTEP_HTTPS_CERT"
    case httpsKey = "LOCKSTEP_HTTPS_KEY"
    case httpHosts = "LOCKSTEP_HTTP_HOSTS"
    case httpLocalKey = "LOCKSTEP_HTTP_LOCAL_KEY"
    case presets = "LOCKSTEP_PRESETS"
    case shortBreak = "LOCKSTEP_SHORT_BREAK"
    case longBreak = "LOCKSTEP_LONG_BREAK"
    case longBreakEvery = "LOCKSTEP_LONG_BREAK_EVERY"
    case countUpCap = "LOCKSTEP_COUNT_UP_CAP"
    case alarm = "LOCKSTEP_ALARM"
    case plain = "LOCKSTEP_PLAIN"
    case plainProgress = "LOCKSTEP_PLAIN_PROGRESS"
    case homeAssistant = "LOCKSTEP_HOME_ASSISTANT"
    case logLevel = "LOCKSTEP_LOG_LEVEL"
    case language = "LOCKSTEP_LANG"
    case notify = "LOCKSTEP_NOTIFY"
    case sound = "LOCKSTEP_SOUND"
    case hookStarted = "LOCKSTEP_HOOK_STARTED"
    case hookPaused = "LOCKSTEP_HOOK_PAUSED"
    case hookResumed = "LOCKSTEP_HOOK_RESUMED"
    case hookPhase = "LOCKSTEP_HOOK_PHASE"
    case hookCompleted = "LOCKSTEP_HOOK_COMPLETED"
    case hookStopped = "LOCKSTEP_HOOK_STOPPED"
    case hookSuperseded = "LOCKSTEP_HOOK_SUPERSEDED"
    case hookStale = "LOCKSTEP_HOOK_STALE"
    case hookAlarm = "LOCKSTEP_HOOK_ALARM"
    case calmThreshold = "LOCKSTEP_CALM_THRESHOLD"
    case calmMixing = "LOCKSTEP_CALM_MIXING"
    case calmTopic = "LOCKSTEP_CALM_TOPIC"
    case calmPointer = "LOCKSTEP_CALM_POINTER"
    case calmScale = "LOCKSTEP_CALM_SCALE"
    case calmOffset = "LOCKSTEP_CALM_OFFSET"
    case calmPeriod = "LOCKSTEP_CALM_PERIOD"
    case calmRecorder = "LOCKSTEP_CALM_RECORDER"
    case calmFormat = "LOCKSTEP_CALM_FORMAT"
    case calmRate = "LOCKSTEP_CALM_RATE"
    case calmChannels = "LOCKSTEP_CALM_CHANNELS"
    case calmCalibration = "LOCKSTEP_CALM_CALIBRATION"
    case ledger = "LOCKSTEP_LEDGER"
    case debtGoal = "LOCKSTEP_DEBT_GOAL"
    case debtZone = "LOCKSTEP_DEBT_ZONE"
    case debtWeekStart = "LOCKSTEP_DEBT_WEEK_START"
    case debtDayStart = "LOCKSTEP_DEBT_DAY_START"
    case debtKinds = "LOCKSTEP_DEBT_KINDS"
    case debtLabels = "LOCKSTEP_DEBT_LABELS"
    case debtMinimum = "LOCKSTEP_DEBT_MINIMUM"
    case debtCarryOver = "LOCKSTEP_DEBT_CARRY_OVER"

    /// The settings that are valid for one broker alone.
    package static let ofBroker: Set<Setting> = [.broker, .passwordFile, .tlsCA, .tlsPinned, .tlsCertificate, .tlsKey]
}

/// An invalid setting: the message names its origin and what is valid.
package struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}

extension String {
    /// The lines of a settings file. As for systemd, a carriage return ends one too.
    var settingLines: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
    }
}
