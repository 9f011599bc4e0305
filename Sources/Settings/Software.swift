// SPDX-License-Identifier: Apache-2.0

package enum Software {
    package static let version = "0.1.0"
    /// Name and version, as presence tells them.
    package static let name = "lockstep " + version
}
