// SPDX-License-Identifier: Apache-2.0

/// The result of one check of `lockstep doctor`.
package struct Finding: Codable, Sendable {
    /// The state of the part that a check examines.
    package enum State: String, Codable, Sendable {
        case ok
        /// Nothing to judge: the part does not exist here, cannot be seen, or has a minor problem.
        case absent
        /// The part is faulty; ``fix`` says how to repair it.
        case wrong
    }

    package var check: String
    package var state: State
    /// The finding, as a sentence.
    package var found: String
    package var fix: String?

    package init(_ check: String, _ state: State, _ found: String, fix: String? = nil) {
        self.check = check
        self.state = state
        self.found = found
        self.fix = fix
    }
}
