// SPDX-License-Identifier: Apache-2.0

/// A wait whose length is not always the same. Where the length is a constant, only the beginning is stored.
package struct Wait: Hashable, Sendable {
    package var began: BootTime
    package var length: Milliseconds

    package init(from began: BootTime, for length: Milliseconds) { (self.began, self.length) = (began, length) }

    package var end: BootTime { began + length }
}
