// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Support

/// A `lockstep-calm` process, as service or microphone.
typealias CalmProgram = ServiceProgram<CalmKind>

enum CalmKind: ServiceKind {
    static let name = "calm"
    static let environment: [String: String] = [:]
}

extension Peer {
    /// The messages of the calm service, oldest first.
    var calm: [JSON] { serviceMessages(on: "feed/calm") }

    /// Publishes a sound level as this peer.
    func say(level: Int64, _ more: JSON = [:]) async throws {
        var sound: JSON = ["v": 1]
        sound.level = .number(level)
        for key in more.keys { sound[key] = more[key] }
        try await publish("sound", sound, retain: false)
    }
}

/// Sound in the format of a recorder.
enum Recording {
    /// A WAV file with a sine of 1 kHz: one second for each amplitude, where 1 is full scale.
    static func wav(_ amplitudes: [Double], rate: Int = 16_000) -> [UInt8] {
        var data: [UInt8] = []
        for (second, amplitude) in amplitudes.enumerated() {
            for sample in second * rate..<(second + 1) * rate {
                let value = Int16((32_767 * amplitude * sin(2 * .pi * 1_000 * Double(sample) / Double(rate))).rounded())
                data += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
            }
        }
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return Array("RIFF".utf8) + little(data.count + 36, 4) + Array("WAVEfmt ".utf8) + little(16, 4) + little(1, 2)
            + little(1, 2) + little(rate, 4) + little(2 * rate, 4) + little(2, 2) + little(16, 2) + Array("data".utf8)
            + little(data.count, 4) + data
    }

    static func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }
}
