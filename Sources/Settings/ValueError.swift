// SPDX-License-Identifier: Apache-2.0

/// An invalid value: the message says what is wrong and what is valid.
package struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
