// SPDX-License-Identifier: Apache-2.0

/// How calm the room is said to have been while a session ran.
public struct Calm: Hashable, Sendable {
    /// Where the calm goes.
    public enum Trend: String, CaseIterable, Sendable {
        case rising, falling, steady

        /// The sign for it, which every font has.
        public var sign: String {
            switch self {
            case .rising: "↗"
            case .falling: "↘"
            case .steady: "→"
            }
        }

        var text: Strings.Key {
            switch self {
            case .rising: .calmRising
            case .falling: .calmFalling
            case .steady: .calmSteady
            }
        }
    }

    /// Percent of the running time, 0 to 100; `nil` while too little of it was heard.
    public var percent: Int?
    /// `nil` while there is none to tell.
    public var trend: Trend?

    /// Makes a reading.
    public init(percent: Int?, trend: Trend? = nil) {
        self.percent = percent
        self.trend = trend
    }

    /// What stands in place of an unknown number.
    public static let unknown = "–"
}
