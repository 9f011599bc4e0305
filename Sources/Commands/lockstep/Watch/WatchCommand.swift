// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Commands
public import Display
import Session
import Shell
import Synchronization
import Wire

struct Watch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the session full-screen on this terminal, until q.",
        discussion: """
            Faces: boring shows the time and nothing else; focus shows label, state and time; calm a ring and how calm \
            the room was; phases which phase of how many. All but boring have buttons for the mouse, and take keys: \
            p pause, r resume, s stop, + extend by a minute, b break, f focus, n next phase.
            """
    )

    @OptionGroup var access: AccessOptions

    @OptionGroup var language: LanguageOptions

    @Option(help: "How to draw: \(Face.allCases.map(\.rawValue).joined(separator: ", ")).")
    var face = Face.focus

    @Flag(help: "Take no clicks, and no keys but q.")
    var readOnly = false

    func run() async throws {
        let terminal: Terminal
        do throws(TerminalError) {
            terminal = try Terminal(depth: Terminal.depthOfEnvironment())
        } catch {
            throw UsageError("\(error)")
        }
        let strings = language.strings
        try await access.withAccess { access in
            let shown = Shown()
            let node = NodeID(try await access.status().node)
            let (views, feeder) = AsyncStream.makeStream(of: NodeView.self, bufferingPolicy: .bufferingNewest(1))
            let end = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await Self.follow(access) { view in
                        shown.view.withLock { $0 = view.view }
                        feeder.yield(view)
                    }
                }
                defer { group.cancelAll() }
                return try await WatchLoop.run(
                    views: views, terminal: terminal, face: face,
                    options: ScreenOptions(
                        strings: strings, node: node, isReadOnly: readOnly, utcOffset: LocalTime.utcOffset)
                ) { operation in
                    let refusal = await Self.press(operation, seeing: shown.view.withLock(\.self), on: access)
                    return refusal.map { strings[$0] }
                }
            }
            if end.exitCode != 0 { throw ExitCode(end.exitCode) }
        }
    }

    /// Hands views on. When the node ends, the time goes on by date and the display says that contact is lost, until
    /// a node is there again.
    private static func follow(_ access: any SessionAccess, show: (NodeView) -> Void) async {
        var last = NodeView(View())
        while !Task.isCancelled {
            try? await access.views { view in
                last = view
                show(view)
            }
            last.view.isLinked = false
            last.worksAlone = false
            last.view.contactLostAt = last.view.contactLostAt ?? Clocks.now().boot
            show(last)
            try? await Task.sleep(for: .seconds(1))
        }
    }

    /// A press is meant for what stood on the screen, not for what has come since.
    /// - Returns: Why it came to nothing; `nil` when it did not.
    private static func press(
        _ operation: Operation, seeing view: View, on access: any SessionAccess
    ) async -> Strings.Key? {
        let moment = view.moment(at: Clocks.now().boot)
        let press = Press(operation, session: moment?.register.id, phase: moment?.register.phase)
        guard let reply = try? await access.press(press) else { return .linkLost }
        return switch reply.outcome {
        case .applied, .duplicate, .noop: nil
        case .refused: RefusalText.key(of: reply.reason.flatMap(Refusal.init(rawValue:)))
        case .noAnswer: .noAnswer
        case .noSession: .noSession
        case .invalid: .refusedInvalid
        }
    }
}

/// The view that stands on the screen.
private final class Shown: Sendable {
    let view = Mutex(View())
}

extension Face: ExpressibleByArgument {}
