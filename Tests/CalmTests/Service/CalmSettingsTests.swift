// SPDX-License-Identifier: Apache-2.0

import Session
import Settings
import Testing

@testable import Calm

@Suite(.timeLimit(.minutes(15))) struct CalmSettingsTests {
    private static let environment = ["HOME": "/home/ada"]

    private func read(_ given: [String: String], as reader: CalmSettings.Reader = .service) throws -> CalmSettings {
        var values = SettingValues()
        try values.fill(environment: given)
        return try CalmSettings(values, for: reader, environment: Self.environment)
    }

    @Test func serviceHasDefaults() throws {
        let settings = try read([:])
        #expect("\(settings.common.node)" == "calm")
        #expect("\(settings.common.space)" == "home")
        #expect(settings.common.stateDirectory == "/home/ada/.local/state/lockstep-calm")
        #expect(settings.threshold == Threshold(level: 450))
        #expect(settings.format == PCMFormat(.s16, rate: 48_000, channels: 1))
        #expect(settings.sensor == nil)
        #expect(!settings.servesEverySpace)
    }

    @Test func thresholdIsReadInTenthsOfADecibel() throws {
        #expect(try read(["LOCKSTEP_CALM_THRESHOLD": "-42.55"]).threshold.level == -426)
        #expect(try read(["LOCKSTEP_CALM_MIXING": "average"]).threshold.mixing == .average)
    }

    @Test func onlyTheServiceServesEverySpace() throws {
        #expect(try read(["LOCKSTEP_SPACE": "+"]).servesEverySpace)
        #expect(throws: SettingError.self) { try read(["LOCKSTEP_SPACE": "+"], as: .microphone) }
        #expect(throws: SettingError.self) { try read(["LOCKSTEP_SPACE": "+", "LOCKSTEP_CALM_TOPIC": "hall/noise"]) }
    }

    @Test func sensorIsReadWithItsScale() throws {
        let settings = try read([
            "LOCKSTEP_CALM_TOPIC": "hall/noise", "LOCKSTEP_CALM_POINTER": "/level", "LOCKSTEP_CALM_SCALE": "2",
            "LOCKSTEP_CALM_OFFSET": "1", "LOCKSTEP_CALM_PERIOD": "5s",
        ])
        let sensor = try #require(settings.sensor)
        #expect(sensor.filter == "hall/noise")
        #expect(sensor.period == 5_000)
        #expect(sensor.sensor.level(in: Array(#"{"level": 20}"#.utf8)) == 410)
    }

    @Test(arguments: [
        ("LOCKSTEP_CALM_THRESHOLD", "201"), ("LOCKSTEP_CALM_THRESHOLD", "loud"), ("LOCKSTEP_CALM_MIXING", "median"),
        ("LOCKSTEP_CALM_FORMAT", "s20"), ("LOCKSTEP_CALM_RATE", "1"), ("LOCKSTEP_CALM_CHANNELS", "0"),
        ("LOCKSTEP_CALM_CALIBRATION", "nan"), ("LOCKSTEP_CALM_POINTER", "level"),
    ])
    func invalidValueIsRefusedByName(name: String, value: String) throws {
        let error = try #require(throws: SettingError.self) { try read([name: value]) }
        #expect(error.description.contains(name))
    }
}
