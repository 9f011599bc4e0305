// SPDX-License-Identifier: Apache-2.0

/// A wait from an instant on, of a length that varies. Where the length is a constant, a part stores the instant alone.
package struct Wait: Hashable, Sendable {
    package var began: BootTime
    package var length: Milliseconds

    package init(from began: BootTime, for length: Milliseconds) { (self.began, self.length) = (began, length) }

    package var end: BootTime { began + length }
}
