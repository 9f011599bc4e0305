// SPDX-License-Identifier: Apache-2.0

/// A test cannot go on; says why.
package struct Failed: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
