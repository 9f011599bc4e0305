// SPDX-License-Identifier: Apache-2.0

/// What this program calls itself.
public enum Software {
    /// The version of all programs of the package.
    public static let version = "0.1.0"
    /// Name and version, as presence tells them.
    public static let name = "lockstep " + version
}
