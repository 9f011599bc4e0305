// SPDX-License-Identifier: Apache-2.0

/// What `lockstep doctor` has found of one thing.
public struct Finding: Codable, Sendable {
    /// How it stands.
    public enum State: String, Codable, Sendable {
        /// As it should be.
        case ok
        /// It is not there, and nobody needs it.
        case absent
        /// It is not as it should be.
        case wrong
    }

    /// The thing.
    public var check: String
    /// How it stands.
    public var state: State
    /// The same in a sentence.
    public var found: String
    /// How it is mended; `nil` where nothing is to be.
    public var mend: String?

    /// Makes a finding.
    public init(_ check: String, _ state: State, _ found: String, mend: String? = nil) {
        self.check = check
        self.state = state
        self.found = found
        self.mend = mend
    }
}
