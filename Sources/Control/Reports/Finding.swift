// SPDX-License-Identifier: Apache-2.0

/// The result of one check of `lockstep doctor`.
public struct Finding: Codable, Sendable {
    /// The result of a check.
    public enum State: String, Codable, Sendable {
        /// The checked part works.
        case ok
        /// The part does not exist here, and is not needed.
        case absent
        /// The part is faulty; ``fix`` says how to repair it.
        case wrong
    }

    /// The checked thing.
    public var check: String
    /// Whether it is right.
    public var state: State
    /// The finding, as a sentence.
    public var found: String
    /// How to repair it; `nil` if there is nothing to repair.
    public var fix: String?

    /// Creates a finding.
    public init(_ check: String, _ state: State, _ found: String, fix: String? = nil) {
        self.check = check
        self.state = state
        self.found = found
        self.fix = fix
    }
}
