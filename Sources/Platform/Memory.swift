// SPDX-License-Identifier: Apache-2.0

import CLinux

/// The memory of this process.
package enum Memory {
    /// Returns freed memory to the system, which the C library otherwise keeps for later use. It takes milliseconds.
    package static func trim() { malloc_trim(0) }
}
