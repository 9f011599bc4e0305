// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A line on the terminal of stderr that shows progress to a person who waits.
package enum ProgressLine {
    private static let isShown = isatty(STDERR_FILENO) == 1

    /// Replaces the line; an empty text clears it.
    package static func show(_ text: String) {
        let bytes = Array("\r\u{1B}[K\(text)".utf8)
        if isShown { _ = write(STDERR_FILENO, bytes, bytes.count) }
    }
}
