// SPDX-License-Identifier: Apache-2.0

/// The earliest of several times at which something is due.
package struct Deadline {
    /// The earliest time, on the boot clock in milliseconds; `nil` if nothing is due at any time.
    package private(set) var time: Int64?

    package init() {}

    package mutating func consider(_ other: Int64?) {
        if let other, other < time ?? .max { time = other }
    }
}
