// SPDX-License-Identifier: Apache-2.0

package import API
package import Display
package import Platform

/// The loop that shows views on a terminal and passes on presses.
///
/// One thread waits for keys, signals, views, and the next change of the picture. It wakes only for those, so an idle
/// or paused session costs nothing.
package enum WatchLoop {
    /// Runs until `q`, a signal, the end of `views`, or cancellation; restores the terminal and returns the exit code.
    /// - Parameter act: Sends a press; returns the text for the person if it was refused.
    package static func run(
        views: some AsyncSequence<NodeView, Never> & Sendable, terminal: TerminalDevice, face: Face,
        options: ScreenOptions = ScreenOptions(), blank: BlankHours? = nil,
        act: @escaping @Sendable (Button.Action) async -> Localized?
    ) async throws(FileError) -> Int32 {
        let mailbox = try Mailbox()
        let (presses, presser) = AsyncStream<Button.Action>.makeStream(bufferingPolicy: .bufferingOldest(1))
        async let _: Void = {
            for await action in presses { mailbox.answer(await act(action)) }
        }()
        defer { presser.finish() }
        return try await mailbox.receive(views, onThread: "watch") {
            Result { () throws(FileError) in
                var thread = WatchThread(
                    terminal: terminal, face: face, options: options, blank: blank, mailbox: mailbox,
                    press: { presser.yield($0) },
                    signals: try Signals(), timer: try BootTimer(signal: Signals.timer),
                    isInputOpen: terminal.input != nil)
                return thread.watch()
            }
        }.get()
    }
}
