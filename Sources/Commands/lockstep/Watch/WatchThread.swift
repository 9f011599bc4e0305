// SPDX-License-Identifier: Apache-2.0

import Display
import Glibc
import Session
import Web
import Wire

/// The loop itself, on the thread that may block.
struct WatchThread: ~Copyable {
    private static let messageShown: Int64 = 4_000

    private let terminal: Terminal
    private let face: Face
    private var options: ScreenOptions
    private let mailbox: Mailbox
    private let press: (Operation) -> Void
    private let signals: Signals
    private let timer: BootTimer
    private var keys = KeyReader()
    /// `nil` until the first view has come: there is nothing true to say before.
    private var view: View?
    private var messageEnds: Int64?
    private var shown: Canvas?
    private var isInputOpen: Bool

    static func run(
        terminal: Terminal, face: Face, options: ScreenOptions, mailbox: Mailbox, press: @escaping (Operation) -> Void
    ) -> Result<WatchEnd, TerminalError> {
        do throws(TerminalError) {
            let signals = try Signals()
            let timer = try BootTimer(signal: Signals.timer)
            var thread = WatchThread(
                terminal: terminal, face: face, options: options, mailbox: mailbox, press: press, signals: signals,
                timer: timer)
            return .success(thread.watch())
        } catch {
            return .failure(error)
        }
    }

    private init(
        terminal: Terminal, face: Face, options: ScreenOptions, mailbox: Mailbox, press: @escaping (Operation) -> Void,
        signals: consuming Signals, timer: consuming BootTimer
    ) {
        self.terminal = terminal
        self.face = face
        self.options = options
        self.mailbox = mailbox
        self.press = press
        self.signals = signals
        self.timer = timer
        isInputOpen = terminal.input != nil
    }

    private mutating func watch() -> WatchEnd {
        TerminalRestore.prepare()
        enter()
        defer { TerminalRestore.restore() }
        while true {
            draw()
            if let end = wait() { return end }
        }
    }

    private mutating func enter() {
        TerminalRestore.take()
        terminal.enter(withMouse: canPress)
        shown = nil
    }

    private mutating func draw() {
        let now = BootTimer.now
        if let messageEnds, now >= messageEnds {
            options.message = nil
            self.messageEnds = nil
        }
        let screen = view.map { Screen($0, at: now, face: face, options: options) } ?? Screen(face: face)
        let (columns, rows) = terminal.size
        let canvas = TerminalPicture.canvas(of: screen, columns: columns, rows: rows, depth: terminal.depth)
        if TerminalRestore.isDue {
            terminal.draw(AnsiRenderer.text(from: shown, to: canvas, depth: terminal.depth))
        }
        shown = canvas
        timer.set([view?.nextScreen(after: now), messageEnds].compactMap { $0 }.min())
    }

    /// Sleeps until something happened and deals with it.
    /// - Returns: The end, when that is what happened.
    private mutating func wait() -> WatchEnd? {
        var waited = [signals.descriptor, mailbox.descriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        if isInputOpen, let input = terminal.input {
            waited.append(pollfd(fd: input, events: Int16(POLLIN), revents: 0))
        }
        guard poll(&waited, nfds_t(waited.count), -1) > 0 else { return nil }
        if waited[0].revents != 0, let end = takeSignals() { return end }
        if waited[1].revents != 0, takeMail() { return .ended }
        if waited.count > 2, waited[2].revents != 0 { return takeKeys() }
        return nil
    }

    private mutating func takeSignals() -> WatchEnd? {
        for signal in signals.drain() {
            switch signal {
            case SIGWINCH, Signals.timer: break
            case SIGCONT: enter()
            case SIGTSTP:
                TerminalRestore.restore()
                signals.suspend()
                enter()
            default: return .signal(signal)
            }
        }
        return nil
    }

    /// - Returns: Whether there will be no more.
    private mutating func takeMail() -> Bool {
        let mail = mailbox.take()
        if let shown = mail.view {
            view = shown.view
            options.take(shown)
        }
        for refusal in mail.answers {
            options.pending = nil
            options.message = refusal
            messageEnds = refusal == nil ? nil : BootTimer.now + Self.messageShown
        }
        return mail.isEnded
    }

    private mutating func takeKeys() -> WatchEnd? {
        guard let input = terminal.input else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(input, &bytes, bytes.count)
        guard count > 0 else {
            // Nothing more will come; a hangup follows as a signal where there is one.
            isInputOpen = count < 0 && (errno == EINTR || errno == EAGAIN)
            return nil
        }
        for input in keys.inputs(in: bytes.prefix(count)) {
            switch input {
            case .key("q"): return .quit
            case .key(let key): take(Buttons.operation(for: key, of: view?.moment(at: BootTimer.now)))
            case .click(let column, let row): take(button(column: column, row: row))
            }
        }
        return nil
    }

    /// What the button at a place asks for, unless it is about to go.
    private func button(column: Int, row: Int) -> Operation? {
        guard let operation = shown?.operation(column: column, row: row) else { return nil }
        let moment = view?.moment(at: BootTimer.now)
        return Buttons.operations(of: moment, face: face).contains(operation) ? operation : nil
    }

    private var canPress: Bool { face.hasButtons && !options.isReadOnly }

    /// One press at a time: what a person sees changes before the next one can be meant.
    private mutating func take(_ operation: Operation?) {
        guard let operation, canPress, options.pending == nil else { return }
        options.pending = operation
        options.message = nil
        messageEnds = nil
        press(operation)
    }
}
