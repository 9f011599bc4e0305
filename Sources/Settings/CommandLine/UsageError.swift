// SPDX-License-Identifier: Apache-2.0

/// A wrong value on the command line.
package struct UsageError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
