// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Glibc
import Platform
import Session
import Testing

@testable import Terminal

/// The mailbox, which wakes the thread of a display.
@Suite(.serialized, .timeLimit(.minutes(15))) struct MailboxTests {
    private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
        var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, milliseconds) > 0
    }

    @Test func mailboxIsReadableUntilItIsEmptied() throws {
        let mailbox = try Mailbox()
        #expect(!isReadable(mailbox.descriptor))
        mailbox.put(NodeView(View(isLinked: false)))
        mailbox.put(NodeView(View(isLinked: true)))
        mailbox.answer("!")
        mailbox.answer(nil)
        #expect(isReadable(mailbox.descriptor))
        let mail = mailbox.take()
        #expect(mail.view?.view.isLinked == true, "the newest view")
        #expect(mail.answers == ["!", nil])
        #expect(!mail.isEnded)
        #expect(!isReadable(mailbox.descriptor))
        #expect(mailbox.take().view == nil)
    }

    @Test func endIsPermanent() throws {
        let mailbox = try Mailbox()
        mailbox.end()
        #expect(mailbox.take().isEnded)
        #expect(mailbox.take().isEnded)
    }

    @Test func fullPipeStillWakes() throws {
        let pipe = try WakePipe()
        for _ in 0..<100_000 { pipe.wake() }
        #expect(isReadable(pipe.readEnd))
        #expect(pipe.drain().count == 256)
    }

    @Test func timerSignalsAndCanBeCancelled() throws {
        let signals = try Signals()
        let timer = try BootTimer(signal: Signals.timer)
        timer.set(SystemClock.bootMilliseconds() + 60_000)
        #expect(!isReadable(signals.descriptor))
        // A time in the past fires at once.
        timer.set(SystemClock.bootMilliseconds() - 1)
        #expect(isReadable(signals.descriptor, within: 30_000))
        #expect(signals.drain() == [Signals.timer])
        timer.set(nil)
        #expect(!isReadable(signals.descriptor, within: 20))
    }
}
