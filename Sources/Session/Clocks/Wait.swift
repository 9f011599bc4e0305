// SPDX-License-Identifier: Apache-2.0

/// A wait whose length is drawn at random or depends on what was tried before. A wait of one length is stored as its
/// beginning alone, and a limit leads to its end.
package struct Wait: Hashable, Sendable {
    package var began: BootTime
    package var length: Milliseconds

    package init(from began: BootTime, for length: Milliseconds) { (self.began, self.length) = (began, length) }

    package var end: BootTime { began + length }
}
