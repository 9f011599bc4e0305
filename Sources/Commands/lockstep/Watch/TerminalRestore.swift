// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Gives the terminal back as it was, on every way out of the process that leaves a chance to: a normal end, `exit`, and
/// the signals of a crash. Everything here is safe within a signal handler once ``prepare()`` has run.
enum TerminalRestore {
    /// Allocated once and never freed: a crash may come at any time.
    private struct Saved: @unchecked Sendable {
        let attributes: UnsafeMutablePointer<termios>
        let sequence: UnsafeMutableBufferPointer<UInt8>
        let crashActions: UnsafeMutablePointer<sigaction>
    }

    private static let saved = Saved(
        attributes: .allocate(capacity: 1),
        sequence: {
            let bytes = Array(Terminal.leaveSequence.utf8)
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            return copy
        }(),
        crashActions: .allocate(capacity: crashSignalLimit)
    )
    private static let crashSignalLimit = 64
    private static let crashSignals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT]
    private static let isPrepared = Atomic<Bool>(false)
    private static let hasAttributes = Atomic<Bool>(false)
    private static let isTaken = Atomic<Bool>(false)

    /// Remembers how the terminal is and takes care of crashes and of `exit`. Once in the life of a process.
    static func prepare() {
        guard !isPrepared.exchange(true, ordering: .sequentiallyConsistent) else { return }
        _ = isTaken.load(ordering: .sequentiallyConsistent)
        hasAttributes.store(tcgetattr(STDIN_FILENO, saved.attributes) == 0, ordering: .sequentiallyConsistent)
        atexit { TerminalRestore.restore() }
        for signal in crashSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { TerminalRestore.crash($0) }
            // A stack that has overflowed holds no handler.
            action.sa_flags = Int32(SA_ONSTACK)
            sigaction(signal, &action, saved.crashActions + Int(signal))
        }
    }

    /// Says that from now on there is something to restore.
    static func take() { isTaken.store(true, ordering: .sequentiallyConsistent) }

    /// Whether there is something to restore. Not any more, on other threads, while a crash is being reported.
    static var isDue: Bool { isTaken.load(ordering: .sequentiallyConsistent) }

    /// Restores once per ``take()``.
    static func restore() {
        guard isTaken.exchange(false, ordering: .sequentiallyConsistent) else { return }
        _ = write(STDOUT_FILENO, saved.sequence.baseAddress, saved.sequence.count)
        if hasAttributes.load(ordering: .sequentiallyConsistent) {
            tcsetattr(STDIN_FILENO, TCSANOW, saved.attributes)
        }
    }

    /// Restores, then lets whoever was in charge of the crash before go on with it.
    private static func crash(_ signal: Int32) {
        restore()
        sigaction(signal, saved.crashActions + Int(signal), nil)
        raise(signal)
    }
}
