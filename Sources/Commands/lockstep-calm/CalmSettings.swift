// SPDX-License-Identifier: Apache-2.0

import Calm
import FoundationEssentials
import Shell

/// The settings of the service and of a microphone, checked.
struct CalmSettings: Sendable {
    enum Part {
        case service, microphone, onlooker
    }

    /// Broker, space, id, state directory, log.
    var node: Settings
    /// Whether the service serves every space of the broker.
    var isEverySpace: Bool
    /// From which level on it is not quiet.
    var threshold: Threshold
    /// A sensor that knows nothing of Lockstep; `nil` for none.
    var sensor: SensorTopic?
    /// What records; `nil` for whatever is there, `-` for standard input.
    var recorder: String?
    /// How the recorder writes, where it does not say so itself.
    var format: PCMFormat
    /// What is added to the level of a microphone, in decibels.
    var calibration: Double

    struct SensorTopic: Sendable {
        var filter: String
        var sensor: Sensor
        /// How long it is until the next level, in milliseconds.
        var period: Int64
    }

    init(_ given: SettingValues, part: Part, environment: [String: String]) throws {
        var values = given
        isEverySpace = try values.read(.space, { $0 == "+" }, "") ?? false
        if isEverySpace {
            guard part != .microphone else { throw SettingError("a microphone hears one space; + is for the service") }
            values.set(.space, option: "+", to: "home")
        }
        if part != .microphone, !values.isGiven(.node) { values.set(.node, option: "--node", to: "calm") }
        if !values.isGiven(.stateDirectory), environment["STATE_DIRECTORY"] == nil {
            let directory = Paths(environment: environment).stateDirectory
            values.set(.stateDirectory, option: "--state-dir", to: directory + "-calm")
        }
        node = try Settings(values, environment: environment)
        threshold = Threshold(
            level: try values.read(.calmThreshold, Self.decibels, "decibels, −200 to 200").map {
                Int(($0 * 10).rounded())
            }
                ?? 450,
            mixing: try values.read(.calmMixing, Mixing.init, "loudest, quietest or average") ?? .loudest)
        sensor = try Self.sensor(values)
        if sensor != nil, isEverySpace {
            throw SettingError("LOCKSTEP_CALM_TOPIC: a sensor hears one space; name it with LOCKSTEP_SPACE")
        }
        recorder = try values.read(.calmRecorder, { $0 }, "")
        format = PCMFormat(
            try values.read(
                .calmFormat, PCMFormat.Encoding.init,
                "one of " + PCMFormat.Encoding.allCases.map(\.rawValue).joined(separator: ", ")) ?? .s16,
            rate: try values.read(.calmRate, Self.number(in: PCMFormat.rates), "\(PCMFormat.rates)") ?? 48_000,
            channels: try values.read(
                .calmChannels, Self.number(in: PCMFormat.channelsLimit), "\(PCMFormat.channelsLimit)") ?? 1)
        calibration = try values.read(.calmCalibration, Self.decibels, "decibels, −200 to 200") ?? 110
    }

    private static func sensor(_ values: SettingValues) throws -> SensorTopic? {
        let scale = try values.read(.calmScale, { Double($0).flatMap { $0.isFinite ? $0 : nil } }, "a number") ?? 1
        let offset = try values.read(.calmOffset, decibels, "decibels, −200 to 200") ?? 0
        let sensor = try values.read(
            .calmPointer, { Sensor(pointer: $0, scale: scale, offset: offset) }, "a JSON pointer such as /noise")
        let period = try values.duration(.calmPeriod) ?? 60
        guard let filter = try values.read(.calmTopic, { $0 }, "") else { return nil }
        guard let plain = Sensor(pointer: "", scale: scale, offset: offset) else { return nil }
        return SensorTopic(filter: filter, sensor: sensor ?? plain, period: Int64(period) * 1_000)
    }

    private static func decibels(_ text: String) -> Double? { Double(text).flatMap { abs($0) <= 200 ? $0 : nil } }

    private static func number(in range: ClosedRange<Int>) -> (String) -> Int? {
        { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}
