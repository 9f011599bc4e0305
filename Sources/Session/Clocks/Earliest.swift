// SPDX-License-Identifier: Apache-2.0

/// The earliest of several times.
package struct Earliest {
    package private(set) var time: BootTime?

    package init() {}

    package mutating func consider(_ other: BootTime?) {
        if let other, other < time ?? .distantFuture { time = other }
    }
}
