// SPDX-License-Identifier: Apache-2.0

/// The earliest of several times.
package struct Earliest {
    /// The earliest time, on the boot clock in milliseconds; `nil` if there was none.
    package private(set) var time: Int64?

    package init() {}

    package mutating func consider(_ other: Int64?) {
        if let other, other < time ?? .max { time = other }
    }
}
