// SPDX-License-Identifier: Apache-2.0

package import API
import Display
import Glibc
package import Platform
import Session

/// The loop that prints a line for each change of a status bar.
package enum StatusLoop {
    /// Runs until a signal, cancellation, or the end of `views` or of standard output; returns the exit code.
    /// - Parameter line: Returns the line for a view at a time of the boot clock in milliseconds; `nil` prints nothing.
    package static func run(
        views: some AsyncSequence<NodeView, Never> & Sendable, line: @escaping @Sendable (NodeView, Int64) -> String?
    ) async throws(FileError) -> Int32 {
        let mailbox = try Mailbox()
        return try await mailbox.receive(views, onThread: "status") {
            Result { () throws(FileError) in
                var thread = StatusThread(
                    mailbox: mailbox, signals: try Signals(), timer: try BootTimer(signal: Signals.timer), line: line)
                return thread.follow()
            }
        }.get()
    }
}

/// The state of ``StatusLoop`` on its thread, which may block. It wakes for signals, for views, and when the line
/// changes by time alone. The timer continues during suspend, so a machine that wakes up has the right line at once.
private struct StatusThread: ~Copyable {
    let mailbox: Mailbox
    let signals: Signals
    let timer: BootTimer
    let line: (NodeView, Int64) -> String?
    /// `nil` until the first view: before it there is nothing true to print.
    var view: NodeView?
    var printed: String?

    mutating func follow() -> Int32 {
        while true {
            let now = SystemClock.bootMilliseconds()
            let line = view.flatMap { self.line($0, now) }
            timer.set(view?.view.nextScreenChange(after: BootTime(now))?.milliseconds)
            // A bar that does not read gets the newest line when it does; signals are handled meanwhile.
            let wanted = line == printed ? nil : line
            var waited = [
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: Int16(wanted == nil ? 0 : POLLOUT), revents: 0),
            ]
            guard poll(&waited, nfds_t(waited.count), -1) > 0 else { continue }
            if waited[0].revents != 0, let code = handleSignals() { return code }
            if waited[2].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return 0 }
            if waited[2].revents != 0, let wanted {
                guard TerminalDevice.write(wanted + "\n", timeout: -1) else { return 0 }
                printed = wanted
            }
            if waited[1].revents != 0 {
                let mail = mailbox.take()
                if mail.isEnded { return 0 }
                view = mail.view ?? view
            }
        }
    }

    /// - Returns: The exit code, if a signal asks for the end.
    private func handleSignals() -> Int32? {
        for signal in signals.drain() {
            switch signal {
            case SIGINT, SIGTERM, SIGHUP: return 0
            case SIGQUIT: return 128 + signal
            case SIGTSTP: signals.suspend()
            default: break
            }
        }
        return nil
    }
}
