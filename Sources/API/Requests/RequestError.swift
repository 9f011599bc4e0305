// SPDX-License-Identifier: Apache-2.0

/// The mistake in a request that is not valid.
package struct RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, as `phases.2.seconds`; empty for the request as a whole.
    package var field: String
    /// The mistake, and a valid value.
    package var message: String

    package init(_ field: String, _ message: String) {
        self.field = field
        self.message = message
    }

    package var description: String { field.isEmpty ? message : "\(field): \(message)" }
}
