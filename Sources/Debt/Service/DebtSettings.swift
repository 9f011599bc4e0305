// SPDX-License-Identifier: Apache-2.0

import Session
package import Settings

/// The settings of the debt service.
package struct DebtSettings: Sendable {
    /// Broker, space, id, state directory, log.
    package var common: NodeSettings
    package var servesEverySpace: Bool
    package var rules: WeekRules

    /// The URL of a ledger on PostgreSQL; `nil` for a file in the state directory.
    package var database: String?

    /// The ledger: a path or a URL.
    package var ledger: String { database ?? common.stateDirectory + "/ledger.sqlite" }

    package init(_ given: SettingValues, environment: [String: String]) throws {
        var values = given
        servesEverySpace = try values.setDefaults(of: .debt, environment: environment)
        values.setDefault(.node, to: "debt")
        common = try NodeSettings(values, environment: environment)
        database = try Self.database(values)
        rules = try Self.rules(values)
    }

    package static func database(_ values: SettingValues) throws -> String? {
        try values[.ledger].map { try url($0.text, of: $0.origin) }
    }

    /// Checks and returns a URL. The error does not show a password.
    package static func url(_ text: String, of origin: String) throws -> String {
        guard LedgerStore.isShared(text) else {
            throw SettingError(
                "\(origin) takes a URL such as postgresql://lockstep@db.example/lockstep; a ledger in a file is in the folder "
                    + "that LOCKSTEP_STATE_DIR names")
        }
        guard !text.contains(#///[^/?]*:[^/?]*@|[?&]password=/#) else {
            throw SettingError(
                "\(origin) holds a password, which others could read: write it into ~/.pgpass, or into a file of mode 0600 in "
                    + "that form, which ?passfile=/PATH names in the URL")
        }
        return text
    }

    private static func rules(_ values: SettingValues) throws -> WeekRules {
        var rules = WeekRules()
        rules.goal =
            try values.read(
                .debtGoal, { text in Int(text).flatMap { WeekRules.goals.contains($0) ? $0 : nil } },
                "minutes, 0 to 10080") ?? rules.goal
        rules.zone = try values.read(.debtZone, { Zone($0) }, "a time zone such as Europe/Berlin") ?? rules.zone
        let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        rules.firstWeekday =
            try values.read(
                .debtWeekStart, { text in weekdays.firstIndex(of: text.lowercased()).map { $0 + 1 } },
                "a weekday such as monday") ?? rules.firstWeekday
        rules.dayStart =
            try values.read(.debtDayStart, { LocalTime.timeOfDay($0) }, "a time of day such as 05:00") ?? 0
        rules.counting.kinds =
            try values.read(.debtKinds, Self.kinds, "kinds of phase with commas between, as focus,work,phase")
            ?? rules.counting.kinds
        rules.counting.labels = try values.read(.debtLabels, Self.labels, "names of labels with commas between")
        // A duration is at least a second elsewhere, but 0 is valid here.
        if try values.read(.debtMinimum, { $0 == "0" }, "") == true {
            rules.counting.minimum = 0
        } else if let seconds = try values.duration(.debtMinimum) {
            rules.counting.minimum = .seconds(Int64(seconds))
        }
        rules.carriesOver = try values.isOn(.debtCarryOver)
        return rules
    }

    private static func kinds(_ text: String) -> Set<PhaseKind>? {
        let names = parts(text)
        let kinds = names.compactMap(PhaseKind.init)
        return kinds.count == names.count && !kinds.isEmpty ? Set(kinds) : nil
    }

    /// Reads a list of labels; `-` is the default label.
    private static func labels(_ text: String) -> Set<String>? {
        let names = parts(text).map { $0 == "-" ? "" : $0 }
        return names.isEmpty ? nil : Set(names)
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { CleanText.trimmed(String($0)) }
    }
}
