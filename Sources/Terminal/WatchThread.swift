// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Glibc
import Platform
import Session

/// The state of ``WatchLoop`` on its thread, which may block: it draws, and handles keys and signals.
struct WatchThread: ~Copyable {
    /// How long an answer to a press stays on the screen, in milliseconds.
    private static let answerShown: Int64 = 4_000
    /// The longest wait until the hours of ``blank`` are checked again, in milliseconds.
    private static let longestBlankWait: Int64 = 60_000

    let terminal: TerminalDevice
    let face: Face
    var options: ScreenOptions
    /// When a terminal without a session is dark; `nil` for never.
    let blank: BlankHours?
    let mailbox: Mailbox
    let press: (Button.Action) -> Void
    let signals: Signals
    let timer: BootTimer
    var isInputOpen: Bool
    var keys = KeyReader()
    /// `nil` until the first view: before it there is nothing true to show.
    var view: View?
    var answerEnds: Int64?
    var shown: Canvas?

    mutating func watch() -> Int32 {
        TerminalRestore.prepare()
        enter()
        defer { TerminalRestore.restore() }
        while true {
            draw()
            if let end = wait() { return end }
        }
    }

    private mutating func enter() {
        TerminalRestore.arm()
        terminal.enter(withMouse: canPress)
        shown = nil
    }

    private mutating func draw() {
        let now = SystemClock.bootMilliseconds()
        if let answerEnds, now >= answerEnds {
            options.answer = nil
            self.answerEnds = nil
        }
        let local = localTime
        options.wallClock = WallTime(SystemClock.wallMilliseconds())
        var screen = view.map { Screen($0, at: BootTime(now), face: face, options: options) } ?? Screen(face: face)
        // The boring face shows nothing without a session.
        if screen.isIdle, blank?.contains(local) == true { screen = Screen(face: .boring) }
        let minuteChange = screen.times.isEmpty || !screen.isIdle ? nil : now + 60_000 - local % 60_000
        let (columns, rows) = terminal.size
        let canvas = TerminalPicture.canvas(of: screen, columns: columns, rows: rows, depth: terminal.depth)
        if TerminalRestore.isDue {
            terminal.draw(AnsiRenderer.text(from: shown, to: canvas, depth: terminal.depth))
        }
        shown = canvas
        // The wall clock may be set meanwhile, as by NTP after a start.
        let blankChange = blank.map { now + min($0.untilChange(local), Self.longestBlankWait) }
        timer.set(
            [view?.nextScreenChange(after: BootTime(now))?.milliseconds, answerEnds, blankChange, minuteChange]
                .compactMap { $0 }.min())
    }

    private var localTime: Int64 {
        let wall = SystemClock.wallMilliseconds()
        return wall + Int64(options.utcOffset(wall)) * 1_000
    }

    /// Waits for the next event and handles it.
    /// - Returns: The exit code, if the watch ends.
    private mutating func wait() -> Int32? {
        var waited = [signals.descriptor, mailbox.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        if isInputOpen, let input = terminal.input {
            waited.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&waited, nfds_t(waited.count), -1) > 0 else { return nil }
        if waited[0].revents != 0, let end = handleSignals() { return end }
        if waited[1].revents != 0, readMail() { return 0 }
        if waited.count > 2, waited[2].revents != 0 { return readKeys() }
        return nil
    }

    private mutating func handleSignals() -> Int32? {
        for signal in signals.drain() {
            switch signal {
            case SIGWINCH, Signals.timer: break
            case SIGCONT: enter()
            case SIGTSTP:
                TerminalRestore.restore()
                signals.suspend()
                enter()
            default: return 128 + signal
            }
        }
        return nil
    }

    /// - Returns: Whether there will be no more views.
    private mutating func readMail() -> Bool {
        let mail = mailbox.take()
        if let shown = mail.view {
            view = shown.view
            options.take(shown)
        }
        for refusal in mail.answers {
            options.pending = nil
            options.answer = refusal
            answerEnds = refusal == nil ? nil : SystemClock.bootMilliseconds() + Self.answerShown
        }
        return mail.isEnded
    }

    private mutating func readKeys() -> Int32? {
        guard let input = terminal.input else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(input, &bytes, bytes.count)
        guard count > 0 else {
            // The input has ended; a hangup also sends a signal.
            isInputOpen = count < 0 && (errno == EINTR || errno == EAGAIN)
            return nil
        }
        for pressed in keys.inputs(in: bytes.prefix(count)) {
            switch pressed {
            case .key("q"): return 0
            case .key(let key):
                request(Buttons.action(for: key, of: moment, canContinue: options.canContinue))
            case .click(let column, let row): request(button(column: column, row: row))
            }
        }
        return nil
    }

    private var moment: Moment? { view?.moment(at: BootTime(SystemClock.bootMilliseconds())) }

    /// Returns the action of the button at a place, unless the button is outdated.
    private func button(column: Int, row: Int) -> Button.Action? {
        guard let action = shown?.action(column: column, row: row) else { return nil }
        let actions = Buttons.actions(of: moment, face: face, canContinue: options.canContinue)
        return actions.contains(action) ? action : nil
    }

    private var canPress: Bool { face.hasButtons && !options.isReadOnly }

    /// Sends one press at a time: the next one must refer to what the screen then shows.
    private mutating func request(_ action: Button.Action?) {
        guard let action, canPress, options.pending == nil else { return }
        options.pending = action
        options.answer = nil
        answerEnds = nil
        press(action)
    }
}
