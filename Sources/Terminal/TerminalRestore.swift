// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Restores the terminal when the process ends: normally, by `exit`, or by the signal of a crash.
///
/// Everything here is safe within a signal handler once ``prepare()`` has run.
enum TerminalRestore {
    /// The state to restore: allocated once and never freed, since a crash can happen at any time.
    private struct Saved: @unchecked Sendable {
        let attributes: UnsafeMutablePointer<termios>
        let sequence: UnsafeMutableBufferPointer<UInt8>
        let crashActions: UnsafeMutablePointer<sigaction>
    }

    private static let saved = Saved(
        attributes: .allocate(capacity: 1),
        sequence: {
            let bytes = Array(TerminalDevice.leaveSequence.utf8)
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
    private static let isArmed = Atomic<Bool>(false)

    /// Saves the terminal's state and handles crashes and `exit`. Only the first call has an effect.
    static func prepare() {
        guard !isPrepared.exchange(true, ordering: .sequentiallyConsistent) else { return }
        // Initializes the static, which a signal handler could not do safely.
        _ = isArmed.load(ordering: .sequentiallyConsistent)
        hasAttributes.store(tcgetattr(STDIN_FILENO, saved.attributes) == 0, ordering: .sequentiallyConsistent)
        atexit { TerminalRestore.restore() }
        for signal in crashSignals {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { TerminalRestore.crash($0) }
            // On the signal stack: after a stack overflow there is no room on the thread's own.
            action.sa_flags = Int32(SA_ONSTACK)
            sigaction(signal, &action, saved.crashActions + Int(signal))
        }
    }

    static func arm() { isArmed.store(true, ordering: .sequentiallyConsistent) }

    /// Whether the terminal is to be restored. From the start of a crash it is `false`, so that no other thread draws.
    static var isDue: Bool { isArmed.load(ordering: .sequentiallyConsistent) }

    static func restore() {
        guard isArmed.exchange(false, ordering: .sequentiallyConsistent) else { return }
        _ = write(STDOUT_FILENO, saved.sequence.baseAddress, saved.sequence.count)
        if hasAttributes.load(ordering: .sequentiallyConsistent) {
            tcsetattr(STDIN_FILENO, TCSANOW, saved.attributes)
        }
    }

    /// Restores, then passes the crash on to the handler that was there before.
    private static func crash(_ signal: Int32) {
        restore()
        sigaction(signal, saved.crashActions + Int(signal), nil)
        raise(signal)
    }
}
