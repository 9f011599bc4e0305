// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Platform
import Synchronization

/// A queue of events from tasks to a thread that polls. Its descriptor is readable when an event waits.
final class Mailbox: Sendable {
    /// The events since the last read.
    struct Mail {
        var view: NodeView?
        /// The answers to presses: the text of a refusal, or `nil` where it was applied.
        var answers: [Localized?] = []
        var isEnded = false
    }

    private let pipe: WakePipe
    private let mail = Mutex(Mail())

    init() throws(FileError) { pipe = try WakePipe() }

    var descriptor: Int32 { pipe.readEnd }
    func put(_ view: NodeView) { leave { $0.view = view } }
    func answer(_ refusal: Localized?) { leave { $0.answers.append(refusal) } }
    func end() { leave { $0.isEnded = true } }

    func take() -> Mail {
        _ = pipe.drain()
        return mail.withLock { mail in
            let taken = mail
            mail = Mail()
            mail.isEnded = taken.isEnded
            return taken
        }
    }

    /// Runs `body` on a thread of its own and passes it views, until it returns. The end of the views and cancellation
    /// end the mail.
    func receive<Value: Sendable>(
        _ views: some AsyncSequence<NodeView, Never> & Sendable, onThread name: String,
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await view in views { self.put(view) }
                self.end()
            }
            defer { group.cancelAll() }
            return await withTaskCancellationHandler {
                await Thread.run(name: name, body)
            } onCancel: {
                self.end()
            }
        }
    }

    private func leave(_ change: (inout sending Mail) -> Void) {
        mail.withLock { change(&$0) }
        pipe.wake()
    }
}
