// SPDX-License-Identifier: Apache-2.0

import Session

/// The settings of a node by name, each with where it was given.
public struct SettingValues: Sendable {
    /// A value and the place to mend it.
    public struct Value: Sendable {
        /// What was given.
        public var text: String
        /// “--broker”, “LOCKSTEP_BROKER in the environment” or “LOCKSTEP_BROKER in FILE, line 3”.
        public var origin: String
        /// Whether it stood on a command line, which every user of the machine can read.
        public var isOnCommandLine = false

        /// The text as a terminal may have it.
        var shownText: String {
            var shown = String.UnicodeScalarView()
            for scalar in text.unicodeScalars { shown.append(CleanText.isClean(scalar) ? scalar : "\u{FFFD}") }
            return String(shown)
        }
    }

    private var values: [Setting: Value] = [:]

    /// No settings.
    public init() {}

    subscript(setting: Setting) -> Value? { values[setting] }

    /// Whether a value was given.
    public func isGiven(_ setting: Setting) -> Bool { values[setting] != nil }

    /// Sets what the command line gave; `nil` leaves the setting alone.
    public mutating func set(_ setting: Setting, option: String, to text: String?) {
        if let text { values[setting] = Value(text: text, origin: option, isOnCommandLine: true) }
    }

    /// Fills in what is not yet set from the environment.
    /// - Throws: ``SettingError`` for a `LOCKSTEP_` variable that is no setting.
    public mutating func fill(environment: [String: String]) throws(SettingError) {
        for name in environment.keys.sorted() where name.hasPrefix("LOCKSTEP_") {
            guard let text = environment[name] else { continue }
            // A hook runs `lockstep` in the environment that it was given itself.
            if Setting(rawValue: name) == nil, HookVariable(rawValue: name) != nil { continue }
            try fill(name, Value(text: text, origin: "\(name) in the environment"))
        }
    }

    /// Fills in what is not yet set from a file of `KEY=VALUE` lines, as systemd reads them: `#` and `;` begin comments,
    /// a value may stand in single or double quotes.
    /// - Parameter passedOver: Settings that the file is not asked for.
    /// - Throws: ``SettingError`` that names file, line and key.
    public mutating func fill(file path: String, except passedOver: Set<Setting> = []) throws(SettingError) {
        let text: String
        do throws(FileError) {
            text = String(decoding: try Files.read(path, limit: 1 << 16), as: UTF8.self)
        } catch {
            throw SettingError(error.description)
        }
        var lines: [String: Int] = [:]
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.first == "#" || line.first == ";" { continue }
            let place = "\(path), line \(index + 1)"
            guard let equals = line.firstIndex(of: "=") else {
                throw SettingError("\(place): “\(line)” is not of the form KEY=VALUE")
            }
            let name = String(line[..<equals].trimmed)
            if let first = lines.updateValue(index + 1, forKey: name) {
                throw SettingError("\(name) stands twice in \(path), in lines \(first) and \(index + 1)")
            }
            if let setting = Setting(rawValue: name), passedOver.contains(setting) { continue }
            try fill(
                name, Value(text: unquoted(line[line.index(after: equals)...].trimmed), origin: "\(name) in \(place)"))
        }
    }

    private mutating func fill(_ name: String, _ value: Value) throws(SettingError) {
        guard let setting = Setting(rawValue: name) else {
            throw SettingError("\(value.origin): there is no such setting; settings are \(Setting.names)")
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

/// Every setting of a node and of the calm service, by its name in the environment and in files.
public enum Setting: String, CaseIterable, Sendable {
    case broker = "LOCKSTEP_BROKER"
    case passwordFile = "LOCKSTEP_PASSWORD_FILE"
    case tlsCA = "LOCKSTEP_TLS_CA"
    case tlsCertificate = "LOCKSTEP_TLS_CERT"
    case tlsKey = "LOCKSTEP_TLS_KEY"
    case space = "LOCKSTEP_SPACE"
    case node = "LOCKSTEP_NODE"
    case name = "LOCKSTEP_NAME"
    case stateDirectory = "LOCKSTEP_STATE_DIR"
    case socket = "LOCKSTEP_SOCKET"
    case http = "LOCKSTEP_HTTP"
    case httpHosts = "LOCKSTEP_HTTP_HOSTS"
    case httpLocalKey = "LOCKSTEP_HTTP_LOCAL_KEY"
    case presets = "LOCKSTEP_PRESETS"
    case shortBreak = "LOCKSTEP_SHORT_BREAK"
    case longBreak = "LOCKSTEP_LONG_BREAK"
    case longBreakEvery = "LOCKSTEP_LONG_BREAK_EVERY"
    case countUpCap = "LOCKSTEP_COUNT_UP_CAP"
    case logLevel = "LOCKSTEP_LOG_LEVEL"
    case language = "LOCKSTEP_LANG"
    case notify = "LOCKSTEP_NOTIFY"
    case hookStarted = "LOCKSTEP_HOOK_STARTED"
    case hookPaused = "LOCKSTEP_HOOK_PAUSED"
    case hookResumed = "LOCKSTEP_HOOK_RESUMED"
    case hookPhase = "LOCKSTEP_HOOK_PHASE"
    case hookCompleted = "LOCKSTEP_HOOK_COMPLETED"
    case hookStopped = "LOCKSTEP_HOOK_STOPPED"
    case hookSuperseded = "LOCKSTEP_HOOK_SUPERSEDED"
    case hookStale = "LOCKSTEP_HOOK_STALE"
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
    case debtGoal = "LOCKSTEP_DEBT_GOAL"
    case debtZone = "LOCKSTEP_DEBT_ZONE"
    case debtWeekStart = "LOCKSTEP_DEBT_WEEK_START"
    case debtDayStart = "LOCKSTEP_DEBT_DAY_START"
    case debtKinds = "LOCKSTEP_DEBT_KINDS"
    case debtLabels = "LOCKSTEP_DEBT_LABELS"
    case debtMinimum = "LOCKSTEP_DEBT_MINIMUM"
    case debtCarryOver = "LOCKSTEP_DEBT_CARRY_OVER"

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// A setting that cannot be used: names where it was given and what would be right.
public struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    public var description: String

    /// Makes an error.
    public init(_ description: String) { self.description = description }
}

extension Substring {
    var trimmed: Substring {
        var text = self
        while let first = text.first, first.isWhitespace { text = text.dropFirst() }
        while let last = text.last, last.isWhitespace { text = text.dropLast() }
        return text
    }
}
