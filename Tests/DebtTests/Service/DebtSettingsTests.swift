// SPDX-License-Identifier: Apache-2.0

import Session
import Settings
import Testing

@testable import Debt

@Suite(.timeLimit(.minutes(15))) struct DebtSettingsTests {
    private static let environment = ["HOME": "/home/ada"]

    private func read(_ given: [String: String]) throws -> DebtSettings {
        var values = SettingValues()
        try values.fill(environment: given)
        return try DebtSettings(values, environment: Self.environment)
    }

    @Test func serviceHasDefaults() throws {
        let settings = try read([:])
        #expect("\(settings.common.node)" == "debt")
        #expect(settings.ledger == Paths(environment: Self.environment).stateDirectory(of: .debt) + "/ledger.sqlite")
        #expect(settings.rules.goal == 420)
        #expect(settings.rules.firstWeekday == 1)
        #expect(!settings.servesEverySpace)
    }

    @Test func weekIsReadFromSettings() throws {
        let rules = try read([
            "LOCKSTEP_DEBT_GOAL": "0", "LOCKSTEP_DEBT_ZONE": "Asia/Tokyo", "LOCKSTEP_DEBT_WEEK_START": "Sunday",
            "LOCKSTEP_DEBT_DAY_START": "05:30", "LOCKSTEP_DEBT_KINDS": "focus, work", "LOCKSTEP_DEBT_LABELS": "Deep, -",
            "LOCKSTEP_DEBT_MINIMUM": "0", "LOCKSTEP_DEBT_CARRY_OVER": "on",
        ]).rules
        #expect(rules.goal == 0)
        #expect(rules.zone == Zone("Asia/Tokyo"))
        #expect(rules.firstWeekday == 7)
        #expect(rules.dayStart == 330 * 60_000)
        #expect(rules.counting.kinds == [.focus, .work])
        #expect(rules.counting.labels == ["Deep", ""])
        #expect(rules.counting.minimum == 0)
        #expect(rules.carriesOver)
    }

    @Test(arguments: [
        ("LOCKSTEP_DEBT_GOAL", "10081"), ("LOCKSTEP_DEBT_ZONE", "Mars/Base"), ("LOCKSTEP_DEBT_WEEK_START", "someday"),
        ("LOCKSTEP_DEBT_DAY_START", "24:00"), ("LOCKSTEP_DEBT_DAY_START", "5"), ("LOCKSTEP_DEBT_KINDS", "focus,play"),
        ("LOCKSTEP_DEBT_KINDS", ","), ("LOCKSTEP_DEBT_LABELS", ","), ("LOCKSTEP_DEBT_CARRY_OVER", "maybe"),
    ])
    func invalidValueIsRefusedByName(name: String, value: String) throws {
        let error = try #require(throws: SettingError.self) { try read([name: value]) }
        #expect(error.description.contains(name))
    }
}
