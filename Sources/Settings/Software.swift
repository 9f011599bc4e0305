// SPDX-License-Identifier: Apache-2.0

/// The name and the version of this software.
package enum Software {
    package static let version = "0.1.0"
    /// Name and version, as presence tells them.
    package static let name = "lockstep " + version
}
