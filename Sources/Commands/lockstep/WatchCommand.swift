// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Session
import Settings
import Synchronization
import Terminal

/// `lockstep watch`: shows the session full-screen on a terminal.
struct WatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show the session full-screen on this terminal, until q.",
        discussion: """
            Faces: boring shows the time only; focus shows label, state and time; calm shows a bar and how calm the room \
            was; phases shows the phase and their number. All but boring have buttons for the mouse, and keys: \
            p pause, r resume, s stop, + and - a minute more or less, b break, f focus, n next phase, o end the alarm. While \
            the owner of the session is gone: c continue here, s stop.
            """
    )

    @OptionGroup var access: AccessOptions
    @OptionGroup var language: LanguageOptions

    @OptionGroup var display: DisplayOptions

    @Flag(help: "Ignore clicks, and all keys but q.")
    var readOnly = false

    func run() async throws {
        guard let terminal = TerminalDevice() else {
            throw UsageError(
                "“lockstep watch” needs a terminal as standard output; “lockstep status” prints the session as text")
        }
        var options = ScreenOptions(
            strings: language.strings, isReadOnly: readOnly, utcOffset: SystemClock.utcOffset)
        (options.idle, options.near) = (display.idle ?? .clock, display.near)
        try await access.withAccess { [options] node in
            let shown = Shown()
            let (views, feeder) = AsyncStream.makeStream(of: NodeView.self, bufferingPolicy: .bufferingNewest(1))
            let code = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await ReconnectingViews.follow(show: { view in
                        shown.view.withLock { $0 = view }
                        feeder.yield(view)
                    }) { take in try await node.views(take) }
                }
                defer { group.cancelAll() }
                return try await WatchLoop.run(
                    views: views, terminal: terminal, face: display.face ?? .focus, options: options,
                    blank: display.blank
                ) { action in
                    await Self.press(action, seeing: shown.view.withLock(\.self), on: node, options.strings)
                }
            }
            if code != 0 { throw ExitCode(code) }
        }
    }

    /// Sends a press. An operation names the session and phase on the screen, and has no effect on later ones.
    /// - Returns: The reason why the press had no effect; `nil` if it had one.
    private static func press(
        _ action: Button.Action, seeing shown: NodeView, on node: ControlClient, _ strings: Strings
    ) async -> Localized? {
        let reply: ReplyReport
        do {
            switch action {
            case .take: reply = try await node.take()
            case .acknowledge: reply = try await node.acknowledge()
            case .press(let operation):
                let moment = shown.view.moment(at: BootTime(SystemClock.bootMilliseconds()))
                let press = Press(operation, session: moment?.register.id, phase: moment?.register.phase)
                reply = try await node.press(IntentRequest(press))
            }
        } catch {
            return strings.text(.pageLost, ["node": .userText(shown.node?.rawValue ?? "")])
        }
        return CommandOutput.words(reply, strings)
    }
}

/// The view that is on the screen.
private final class Shown: Sendable {
    let view = Mutex(NodeView(View()))
}
