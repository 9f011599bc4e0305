// SPDX-License-Identifier: Apache-2.0

/// An error of joining, or of a command on the broker's machine.
package struct SetupError: Error, Sendable, CustomStringConvertible {
    /// The reason for a failure, which decides the exit code.
    package enum Kind: Sendable {
        /// The command or a value is wrong.
        case wrong
        /// The broker, or the state of this machine, does not allow it.
        case refused
        /// No broker was reached.
        case unreachable
        /// The node did not connect in time.
        case noAnswer
        /// A signal ended it.
        case interrupted
    }

    package var kind: Kind
    /// The problem and its remedy.
    package var description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Creates a refusal.
    package init(_ description: String) { self.init(.refused, description) }
}
