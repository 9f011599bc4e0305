// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Signals as bytes of a pipe, so that the loop finds them where it waits for everything else.
struct Signals: ~Copyable {
    /// What the timer of the loop sends.
    static let timer = SIGALRM
    private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, timer]
    private static let pipeEnd = Atomic<Int32>(-1)

    private let pipe: WakePipe
    private let former: [sigaction]

    init() throws(TerminalError) {
        pipe = try WakePipe()
        Self.pipeEnd.store(pipe.writeEnd, ordering: .sequentiallyConsistent)
        former = Self.caught.map { signal in
            var old = sigaction()
            Self.install(signal, former: &old)
            return old
        }
    }

    deinit {
        for (signal, action) in zip(Self.caught, former) {
            var action = action
            sigaction(signal, &action, nil)
        }
        Self.pipeEnd.store(-1, ordering: .sequentiallyConsistent)
    }

    /// Readable when a signal came.
    var descriptor: Int32 { pipe.readEnd }

    /// The signals that came since the last call, in order.
    func drain() -> [Int32] { pipe.drain().map(Int32.init) }

    /// Stops the process as Ctrl-Z does everywhere, and returns when it goes on.
    func suspend() {
        signal(SIGTSTP, SIG_DFL)
        // To the process, not this thread: the shell waits for all of it.
        kill(getpid(), SIGTSTP)
        waitForContinue()
        var old = sigaction()
        Self.install(SIGTSTP, former: &old)
    }

    /// A stop takes effect at a thread's next way out of the kernel, which may be a moment later; its end is a SIGCONT.
    /// Where nobody could continue the process the kernel ignores the stop, hence the limit.
    private func waitForContinue() {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, 200)
    }

    private static func install(_ signal: Int32, former: inout sigaction) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { Signals.note($0) }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(signal, &action, &former)
    }

    private static func note(_ signal: Int32) {
        let code = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(pipeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = code
    }
}
