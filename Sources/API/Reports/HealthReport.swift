// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// The answer of `/health`.
package struct HealthReport: Hashable, Sendable, Described {
    /// Whether the node saves its changes.
    package enum Status: String, CaseIterable, Sendable {
        case ok, unsaved
    }

    package var status: Status
    package var linked: Bool

    package init(status: Status, linked: Bool) {
        self.status = status
        self.linked = linked
    }

    package static let blank = HealthReport(status: .ok, linked: false)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("status", &status, .word(), "Whether all changes are on disk.")
        try coder.field("linked", &linked, .bool, "Whether the node is connected to the broker.")
    }
}

/// A reading of the node's boot clock: the answer of `/v1/clock`.
package struct BootReport: Hashable, Sendable, Described {
    package var boot: BootTime

    package init(boot: BootTime) { self.boot = boot }

    package static let blank = BootReport(boot: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("boot", &boot, .reading, "The boot clock in milliseconds.")
    }
}
