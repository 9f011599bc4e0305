// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The terminal of standard output: the alternate screen, no cursor, keys one by one.
package struct TerminalDevice: Sendable {
    let depth: ColourDepth
    /// Where keys come from; `nil` when standard input is no terminal.
    let input: Int32?

    /// - Returns: `nil` if standard output is a file or a pipe.
    package init?() {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        depth = ColourDepth { name in getenv(name).map { String(cString: $0) } }
        input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil
    }

    /// Columns and rows; 80 × 24 if the terminal does not report them.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Prepares the terminal for pictures and single keys. ``TerminalRestore`` undoes this when the process ends.
    /// - Parameter withMouse: Whether the terminal reports clicks; it then does not select text.
    func enter(withMouse: Bool) {
        if let input {
            var attributes = termios()
            if tcgetattr(input, &attributes) == 0 {
                // The kernel still turns Ctrl-C, Ctrl-\ and Ctrl-Z into signals.
                attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
                attributes.c_iflag &= ~tcflag_t(IXON | ICRNL)
                tcsetattr(input, TCSADRAIN, &attributes)
            }
        }
        Self.write(Self.enterSequence + (withMouse ? Self.mouseSequence : ""))
    }

    /// Sends one picture as a synchronized update.
    func draw(_ text: String) {
        guard !text.isEmpty else { return }
        Self.write("\u{1B}[?2026h" + text + "\u{1B}[?2026l")
    }

    /// The alternate screen, no cursor, no wrapping.
    private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    /// Reports mouse buttons, with positions as decimal numbers.
    private static let mouseSequence = "\u{1B}[?1000h\u{1B}[?1006h"
    /// Undoes both sequences and every style of a picture.
    static let leaveSequence = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Writes a text to standard output.
    /// - Parameter timeout: Milliseconds to wait for a reader that is slow; -1 for no limit.
    /// - Returns: Whether all of it was written. A terminal that is gone sends a signal as well.
    @discardableResult
    static func write(_ text: String, timeout: Int32 = 1_000) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                    guard poll(&ready, 1, timeout) > 0 || errno == EINTR else { return false }
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
