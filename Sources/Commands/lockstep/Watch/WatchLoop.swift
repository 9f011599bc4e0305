// SPDX-License-Identifier: Apache-2.0

import Commands
import Display
import Glibc
import Session
import Wire

/// Why a watch came to its end.
enum WatchEnd: Hashable, Sendable {
    /// A person pressed `q`.
    case quit
    /// There will be no more views, or the task was cancelled.
    case ended
    /// A signal asked for it.
    case signal(Int32)

    /// The exit code that scripts expect.
    var exitCode: Int32 {
        switch self {
        case .quit, .ended: 0
        case .signal(let number): 128 + number
        }
    }
}

/// Shows views on a terminal and hands over what is pressed there.
///
/// One thread of its own waits for everything: keys, signals, views, and the next second of the owner. It wakes only
/// for those, so an idle or paused session costs nothing.
enum WatchLoop {
    /// Runs until `q`, a signal, the end of `views`, or cancellation. The terminal is as before when it returns.
    /// - Parameters:
    ///   - views: What to show, newest last.
    ///   - options: Language, time zone, and whether keys do anything.
    ///   - act: Carries a press out; returns the text for the person when it was refused.
    static func run(
        views: some AsyncSequence<NodeView, Never> & Sendable, terminal: Terminal, face: Face,
        options: ScreenOptions = ScreenOptions(), act: @escaping @Sendable (Operation) async -> String?
    ) async throws(TerminalError) -> WatchEnd {
        let mailbox = try Mailbox()
        let (presses, presser) = AsyncStream<Operation>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let result = await withTaskGroup(of: Void.self, returning: Result<WatchEnd, TerminalError>.self) { group in
            group.addTask {
                for await view in views { mailbox.put(view) }
                mailbox.end()
            }
            group.addTask {
                for await operation in presses { mailbox.answer(await act(operation)) }
            }
            let result = await withTaskCancellationHandler {
                await BlockingThread.run {
                    WatchThread.run(
                        terminal: terminal, face: face, options: options, mailbox: mailbox,
                        press: { presser.yield($0) })
                }
            } onCancel: {
                mailbox.end()
            }
            presser.finish()
            group.cancelAll()
            return result
        }
        return try result.get()
    }
}
