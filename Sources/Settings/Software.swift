// SPDX-License-Identifier: Apache-2.0

/// The name and version of this program.
package enum Software {
    /// The version of all programs of the package.
    package static let version = "0.1.0"
    /// Name and version, as presence tells them.
    package static let name = "lockstep " + version
}
