// SPDX-License-Identifier: Apache-2.0

/// The result of one check of `lockstep doctor`.
package struct Finding: Codable, Sendable {
    /// The result of a check.
    package enum State: String, Codable, Sendable {
        /// The checked part works.
        case ok
        /// The part does not exist here, and is not needed.
        case absent
        /// The part is faulty; ``fix`` says how to repair it.
        case wrong
    }

    /// The checked thing.
    package var check: String
    /// Whether it is right.
    package var state: State
    /// The finding, as a sentence.
    package var found: String
    /// How to repair it; `nil` if there is nothing to repair.
    package var fix: String?

    package init(_ check: String, _ state: State, _ found: String, fix: String? = nil) {
        self.check = check
        self.state = state
        self.found = found
        self.fix = fix
    }
}
