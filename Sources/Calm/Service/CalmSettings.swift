// SPDX-License-Identifier: Apache-2.0

import Session
package import Settings

/// The validated settings of `lockstep-calm` and its commands.
package struct CalmSettings: Sendable {
    /// The program that reads the settings.
    package enum Reader: Sendable {
        case service
        /// The command `lockstep-calm listen`, which measures with this machine's microphone.
        case microphone
        /// The command `lockstep-calm levels`, which prints the levels of others.
        case levelPrinter
    }

    /// Broker, space, id, state directory, log.
    package var common: NodeSettings
    var servesEverySpace: Bool
    var threshold: Threshold
    var sensor: SensorTopic?
    /// The command that records; `nil` for an installed recorder, `-` for standard input.
    var recorder: String?
    /// The format of sound without a header.
    var format: PCMFormat
    /// Decibels added to the level of a microphone.
    var calibration: Double

    /// The topic of a sensor, and how to read its messages.
    struct SensorTopic: Sendable {
        var filter: String
        var sensor: Sensor
        /// The interval between levels.
        var period: Milliseconds
    }

    package init(_ given: SettingValues, for reader: Reader, environment: [String: String]) throws {
        var values = given
        servesEverySpace = try values.setDefaults(of: .calm, environment: environment)
        if servesEverySpace, reader == .microphone {
            throw SettingError("a microphone belongs to one space; + is for the service")
        }
        if reader != .microphone { values.setDefault(.node, to: "calm") }
        common = try NodeSettings(values, environment: environment)
        threshold = Threshold(
            level: try values.read(.calmThreshold, Self.decibels, "decibels, −200 to 200").map {
                Int(($0 * 10).rounded())
            }
                ?? 450,
            mixing: try values.read(.calmMixing, Mixing.init, "loudest, quietest or average") ?? .loudest)
        sensor = try Self.sensor(values)
        if sensor != nil, servesEverySpace {
            throw SettingError("LOCKSTEP_CALM_TOPIC: a sensor belongs to one space; name it with LOCKSTEP_SPACE")
        }
        recorder = try values.read(.calmRecorder, { $0 }, "")
        format = PCMFormat(
            try values.read(
                .calmFormat, PCMFormat.Encoding.init,
                "one of " + PCMFormat.Encoding.allCases.map(\.rawValue).joined(separator: ", ")) ?? .s16,
            rate: try values.read(.calmRate, Self.number(in: PCMFormat.rates), "\(PCMFormat.rates)") ?? 48_000,
            channels: try values.read(
                .calmChannels, Self.number(in: PCMFormat.channelCounts), "\(PCMFormat.channelCounts)") ?? 1)
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
        return SensorTopic(filter: filter, sensor: sensor ?? plain, period: .seconds(Int64(period)))
    }

    private static func decibels(_ text: String) -> Double? { Double(text).flatMap { abs($0) <= 200 ? $0 : nil } }

    private static func number(in range: ClosedRange<Int>) -> (String) -> Int? {
        { text in Int(text).flatMap { range.contains($0) ? $0 : nil } }
    }
}
