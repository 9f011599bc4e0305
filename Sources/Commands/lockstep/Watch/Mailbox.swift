// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Wire

/// Where tasks leave what the loop's thread should see; its descriptor is readable when something is there.
final class Mailbox: Sendable {
    /// What has been left since the last look.
    struct Mail {
        var view: NodeView?
        /// The answers to presses: the text of a refusal, or `nil` where it was applied.
        var answers: [String?] = []
        var isEnded = false
    }

    private let pipe: WakePipe
    private let mail = Mutex(Mail())

    init() throws(TerminalError) { pipe = try WakePipe() }

    var descriptor: Int32 { pipe.readEnd }

    func put(_ view: NodeView) { leave { $0.view = view } }
    func answer(_ refusal: String?) { leave { $0.answers.append(refusal) } }
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

    private func leave(_ change: (inout sending Mail) -> Void) {
        mail.withLock { change(&$0) }
        pipe.wake()
    }
}
