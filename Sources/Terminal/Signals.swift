// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Synchronization

/// Signals as bytes of a pipe, so that a loop can poll them with its other descriptors.
struct Signals: ~Copyable {
    /// The signal of ``BootTimer``.
    static let timer = SIGALRM
    private static let caught = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT, timer]
    private static let pipeEnd = Atomic<Int32>(-1)

    private let pipe: WakePipe
    private let former: [sigaction]

    init() throws(FileError) {
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

    var descriptor: Int32 { pipe.readEnd }

    /// Returns the signals since the last call, in order.
    func drain() -> [Int32] { pipe.drain().map(Int32.init) }

    /// Stops the process as Ctrl-Z does, and returns when it continues.
    func suspend() {
        signal(SIGTSTP, SIG_DFL)
        // To the whole process, not this thread: the shell waits for the process.
        kill(getpid(), SIGTSTP)
        // The stop takes effect a moment later, and SIGCONT ends this wait. The limit is for a stop that the kernel
        // ignores, since no other process could continue this one.
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, 200)
        var old = sigaction()
        Self.install(SIGTSTP, former: &old)
    }

    private static func install(_ signal: Int32, former: inout sigaction) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { Signals.note($0) }
        action.sa_flags = Int32(SA_RESTART)
        sigaction(signal, &action, &former)
    }

    private static func note(_ signal: Int32) {
        let savedErrno = errno
        var byte = UInt8(truncatingIfNeeded: signal)
        _ = write(pipeEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = savedErrno
    }
}
