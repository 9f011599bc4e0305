// SPDX-License-Identifier: Apache-2.0

import Session
package import Wire

/// A sound level from a program on this machine, as JSON.
package struct SoundRequest: Codable, Hashable, Sendable {
    /// The level in decibels, −200 to 200.
    package var level: Double
    /// How many seconds it was measured, and the interval between levels: 1 to 60; 1 when absent.
    package var period: Int?
    /// The microphone, if the machine has several.
    package var source: String?

    package init(level: Double, period: Int? = nil, source: String? = nil) {
        self.level = level
        self.period = period
        self.source = source
    }

    /// Seconds of a period: the bounds of the protocol, in whole seconds.
    private static let periods = 1...60

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case level, period, source
    }

    /// Reads a request; an unknown field is an error.
    package init(from decoder: any Decoder) throws {
        try decoder.refuseKeys(otherThan: CodingKeys.allCases.map(\.rawValue))
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        level = try fields.decode(Double.self, forKey: .level)
        period = try fields.wholeIfPresent(.period, in: Self.periods)
        source = try fields.decodeIfPresent(String.self, forKey: .source)
    }

    /// The level as it is published.
    /// - Throws: ``RequestError`` for the first field that is out of bounds.
    package func sound() throws(RequestError) -> SoundLevel {
        guard abs(level) <= SoundLevel.limit else { throw RequestError("level", "must be −200 to 200") }
        guard Self.periods.contains(period ?? 1) else { throw RequestError.whole("period", in: Self.periods) }
        var named: Token<SoundSourceKind>?
        if let source {
            named = Token(source)
            if named == nil { throw RequestError("source", "must be 1 to 36 letters, digits, “-” and “_”") }
        }
        return SoundLevel(
            source: named, level: Int((level * 10).rounded()), period: .seconds(Int64(period ?? 1)))
    }
}

/// A level as `lockstep-calm` prints it for another program: a line of JSON.
package struct LevelLine: Codable, Hashable, Sendable {
    /// The node, with its microphone after a slash if it has several, or a sensor's topic.
    package var source: String
    /// The level in decibels.
    package var level: Double

    package init(source: String, level: Double) {
        self.source = source
        self.level = level
    }
}
