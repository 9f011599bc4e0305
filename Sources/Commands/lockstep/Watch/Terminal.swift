// SPDX-License-Identifier: Apache-2.0

import Display
import Glibc

/// Why a terminal display cannot be shown.
enum TerminalError: Error, CustomStringConvertible {
    /// Standard output goes into a file or a pipe.
    case noTerminal
    /// A call of the system failed.
    case system(call: String, code: Int32)

    var description: String {
        switch self {
        case .noTerminal:
            "“lockstep watch” draws on a terminal, and standard output is none; “lockstep status” prints one line"
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}

/// The terminal that standard output is, as a canvas: the alternate screen, no cursor, keys one by one.
struct Terminal {
    let depth: ColourDepth
    /// Where keys come from; `nil` when standard input is no terminal.
    let input: Int32?
    private let output = STDOUT_FILENO

    /// - Throws: ``TerminalError/noTerminal``.
    init(depth: ColourDepth) throws(TerminalError) {
        guard isatty(STDOUT_FILENO) == 1 else { throw .noTerminal }
        self.depth = depth
        input = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : nil
    }

    /// What the environment of this process says of its terminal.
    static func depthOfEnvironment() -> ColourDepth {
        ColourDepth { name in getenv(name).map { String(cString: $0) } }
    }

    /// Columns and rows; 80 × 24 where the terminal does not know.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Takes the terminal over. ``TerminalRestore`` gives it back, whatever happens.
    /// - Parameter withMouse: Whether clicks are wanted; a terminal that sends them selects no text meanwhile.
    func enter(withMouse: Bool) {
        if let input {
            var attributes = termios()
            if tcgetattr(input, &attributes) == 0 {
                // Signals stay on: Ctrl-C, Ctrl-\ and Ctrl-Z are the kernel's to translate.
                attributes.c_lflag &= ~tcflag_t(ICANON | ECHO)
                attributes.c_iflag &= ~tcflag_t(IXON | ICRNL)
                tcsetattr(input, TCSADRAIN, &attributes)
            }
        }
        write(Self.enterSequence + (withMouse ? Self.mouseSequence : ""))
    }

    /// Sends one picture, marked as belonging together.
    func draw(_ text: String) {
        guard !text.isEmpty else { return }
        write("\u{1B}[?2026h" + text + "\u{1B}[?2026l")
    }

    /// The alternate screen, no cursor, no wrapping.
    private static let enterSequence = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    /// Presses and releases of the mouse's buttons, their places in decimal numbers.
    private static let mouseSequence = "\u{1B}[?1000h\u{1B}[?1006h"
    /// Undoes it and everything that a picture sets.
    static let leaveSequence = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// A terminal that is gone swallows what is written; the hangup comes as a signal.
    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.write(output, rest.baseAddress, rest.count)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                    guard poll(&ready, 1, 1_000) > 0 else { return }
                } else if errno != EINTR {
                    return
                }
            }
        }
    }
}
