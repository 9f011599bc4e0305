// SPDX-License-Identifier: Apache-2.0

import Display
import Glibc
import Session
import Wire

/// Prints lines, on a thread that may block. It wakes for signals, for views, and when the picture changes by time alone;
/// the timer goes on in suspend, so a machine that wakes up has the right line at once.
struct StatusThread: ~Copyable {
    private let mailbox: Mailbox
    private let signals: Signals
    private let timer: BootTimer
    private let line: (NodeView, Int64) -> String
    private let output = STDOUT_FILENO
    /// `nil` until there is something true to say.
    private var view: NodeView?
    private var printed: String?

    /// - Parameter line: What is shown of a view when the boot clock reads so many milliseconds.
    /// - Returns: The exit code.
    static func run(mailbox: Mailbox, line: @escaping (NodeView, Int64) -> String) -> Result<Int32, TerminalError> {
        do throws(TerminalError) {
            let signals = try Signals()
            let timer = try BootTimer(signal: Signals.timer)
            var thread = StatusThread(mailbox: mailbox, signals: signals, timer: timer, line: line)
            return .success(thread.follow())
        } catch {
            return .failure(error)
        }
    }

    private init(
        mailbox: Mailbox, signals: consuming Signals, timer: consuming BootTimer,
        line: @escaping (NodeView, Int64) -> String
    ) {
        self.mailbox = mailbox
        self.signals = signals
        self.timer = timer
        self.line = line
    }

    private mutating func follow() -> Int32 {
        while true {
            let now = BootTimer.now
            let line = view.map { self.line($0, now) }
            timer.set(view?.view.nextScreen(after: now))
            // A bar that does not read gets the newest line when it does; meanwhile signals are still heard.
            let wanted = line == printed ? nil : line
            var waited = [
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: output, events: Int16(wanted == nil ? 0 : POLLOUT), revents: 0),
            ]
            guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
            if waited[0].revents != 0, let code = takeSignals() { return code }
            if waited[2].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return 0 }
            if waited[2].revents != 0, let wanted {
                guard write(wanted + "\n") else { return 0 }
                printed = wanted
            }
            if waited[1].revents != 0 {
                let mail = mailbox.take()
                if mail.isEnded { return 0 }
                view = mail.view ?? view
            }
        }
    }

    /// - Returns: The exit code, where a signal asks for the end.
    private func takeSignals() -> Int32? {
        for signal in signals.drain() {
            switch signal {
            case SIGINT, SIGTERM, SIGHUP: return 0
            case SIGQUIT: return WatchEnd.signal(signal).exitCode
            case SIGTSTP: signals.suspend()
            default: break
            }
        }
        return nil
    }

    /// - Returns: Whether there is still somebody who reads.
    private func write(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.write(output, rest.baseAddress, rest.count)
                if count > 0 {
                    sent += count
                } else if errno == EAGAIN {
                    var ready = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                    guard poll(&ready, 1, -1) > 0 || errno == EINTR else { return false }
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}
