// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Session
import Settings

/// The options of a command that sends a request: the node to ask, and the form of the printed answer.
struct AskingOptions: ParsableArguments, Sendable {
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: OutputOptions

    /// Sends a request, and prints its outcome; throws the exit code of an outcome that is no success.
    func ask(done: Localized, _ request: (ControlClient) async throws -> ReplyReport) async throws {
        try await access.withAccess { node in
            try await CommandOutput.end(try await request(node), done: done, json: output.json)
        }
    }
}

/// A command that sends one request about the current session.
protocol ActionCommand: AsyncParsableCommand {
    var node: AskingOptions { get }
    /// The options by the fields of the request.
    var given: [String: GivenOption] { get }
    func operation() throws -> IntentOperation
}

extension ActionCommand {
    var given: [String: GivenOption] { [:] }

    func run() async throws {
        let operation = try operation()
        try await node.access.withAccess { client in
            let reply = try await client.press(IntentRequest(Press(operation)))
            try await CommandOutput.end(
                reply, done: await operation.done(reply, of: client),
                refusal: await operation.refusal(reply, of: client),
                given: given, json: node.output.json)
        }
    }
}

extension IntentOperation {
    /// Returns the words for a refusal of the operation; `nil` for the usual ones.
    fileprivate func refusal(_ reply: ReplyReport, of node: ControlClient) async -> String? {
        switch reply.reason.flatMap(Refusal.init(rawValue:)) {
        case .invalid: return limit
        case .notAllowed:
            guard let status = try? await node.status(), status.session == reply.session else { return nil }
            if changesPhases, status.mode == Mode.countup.rawValue {
                return "a session that counts up has no phases to change; lockstep stop ends it"
            }
            guard status.status == Status.ready.rawValue, let kind = status.currentPhase?.phase.kind else { return nil }
            let start = PhaseKind(rawValue: kind)?.isBreak == true ? "break" : "focus"
            return "the next phase waits for you: lockstep \(start) starts it, lockstep skip leaves it out"
        default: return nil
        }
    }

    /// Whether the operation is about a countdown.
    private var changesPhases: Bool {
        switch self {
        case .extend, .startBreak, .startFocus, .skip: true
        case .pause, .resume, .stop, .correct: false
        }
    }

    /// The reason to print if an owner refuses the operation as invalid; `nil` if this program checks it in full.
    private var limit: String? {
        guard case .extend(let seconds) = self else { return nil }
        if seconds < 0 { return "\(CommandOutput.strings[.notEnoughLeft])\n  → lockstep skip or lockstep stop" }
        return
            "a phase is at most \(PlanParser.text(ofSeconds: Limits.phaseSeconds.upperBound)) long, with what is added"
    }

    /// Returns the confirmation to print when the operation has taken effect.
    fileprivate func done(_ reply: ReplyReport, of node: ControlClient) async -> Localized {
        let strings = CommandOutput.strings
        switch self {
        case .pause: return strings[.eventPaused]
        case .resume: return strings[.eventResumed]
        case .stop: return strings[.eventStopped]
        case .extend(let seconds):
            return "\(seconds < 0 ? "−" : "+")\(.userText(PlanParser.text(ofSeconds: abs(seconds))))"
        case .startBreak: return strings[.breakInProgress]
        case .startFocus: return strings[.focusInProgress]
        case .skip:
            let status = try? await node.status()
            let isOver = status?.session == reply.session && status?.status == Status.completed.rawValue
            return strings[isOver ? .eventCompleted : .eventPhase]
        case .correct(let title, let label, let colour):
            let words = [
                title.map(CleanText.trimmed).map { $0.isEmpty ? "No title" : $0 },
                label.map { $0.isEmpty ? "\(strings[.noLabel])" : $0 }, colour?.description,
            ]
            return .userText(words.compactMap(\.self).joined(separator: " · "))
        }
    }
}

/// `lockstep pause`: pauses the session.
struct PauseCommand: ActionCommand {
    static let configuration = CommandConfiguration(commandName: "pause", abstract: "Pause the current session.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .pause }
}

/// `lockstep resume`: resumes a paused session.
struct ResumeCommand: ActionCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Resume a paused session.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .resume }
}

/// `lockstep stop`: ends the session.
struct StopCommand: ActionCommand {
    static let configuration = CommandConfiguration(commandName: "stop", abstract: "End the current session.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .stop }
}

/// `lockstep extend`: changes the length of the current phase.
struct ExtendCommand: ActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend", abstract: "Make the current phase of a countdown longer, or shorter: 5m, -5m.")
    @OptionGroup var node: AskingOptions

    @Argument(parsing: .allUnrecognized, help: "The time to add, or with - to take away: 1s to 24h; by default 1m.")
    var by: [String] = []

    func operation() throws -> IntentOperation {
        let by = by.filter { $0 != "--" }
        if let option = by.first(where: { $0.hasPrefix("--") }) {
            throw UsageError("extend has no option \(option); lockstep extend --help lists all")
        }
        guard by.count <= 1 else { throw UsageError("extend takes one time, such as 5m or -5m") }
        let text = by.first ?? "1m"
        let sign = text.hasPrefix("-") ? -1 : 1
        let duration = sign < 0 ? String(text.dropFirst()) : text
        return .extend(
            seconds: sign
                * (try PlanParser.seconds(
                    of: duration, option: "extend", rule: "an extension is 1s to 24h, also with a minus")))
    }
}

/// `lockstep break`: goes to a break.
struct BreakCommand: ActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "break", abstract: "Go to the break that follows, or insert one.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .startBreak }
}

/// `lockstep focus`: goes to a focus phase.
struct FocusCommand: ActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "focus", abstract: "Go to the focus phase that follows, or insert one.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .startFocus }
}

/// `lockstep skip`: goes to the next phase.
struct SkipCommand: ActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Go to the next phase; after the last one, end the session.")
    @OptionGroup var node: AskingOptions

    func operation() -> IntentOperation { .skip }
}

/// `lockstep correct`: corrects the words of the session.
struct CorrectCommand: ActionCommand {
    static let configuration = CommandConfiguration(
        commandName: "correct",
        abstract: "Correct the title or the label of the current session.",
        discussion: """
            Fields that are not given stay. The whole time of the session counts for the new label. For a session that is over \
            see lockstep debt correct.
            """
    )

    @OptionGroup var node: AskingOptions

    @Option(help: "The title; an empty one removes it.")
    var title: String?

    @Option(help: "The label that the time counts for; - is the default label.")
    var label: String?
    @OptionGroup var colouring: ColourOption

    func validate() throws {
        if title == nil, label == nil, colouring.typed == nil {
            throw ValidationError("--title, --label or --color is needed")
        }
    }

    var given: [String: GivenOption] {
        [
            "title": GivenOption("--title", title), "label": GivenOption("--label", label),
            "colour": GivenOption("--color", colouring.typed),
        ]
    }

    func operation() throws -> IntentOperation {
        .correct(title: title, label: label == "-" ? "" : label, colour: try colouring.colour())
    }
}

/// `lockstep take`: moves the session to a node.
struct TakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "take",
        abstract: "Move the current session to the node of this machine.",
        discussion: """
            The session continues here unchanged, whether its owner is online or not; the time does not jump. It needs a \
            node on this machine that may own sessions.
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await socket.withNode { node in
            let words = CommandOutput.strings[.movedHere]
            try await CommandOutput.end(try await node.take(), done: words, json: output.json)
        }
    }
}

/// `lockstep ok`: ends the alarm everywhere.
struct OKCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ok", abstract: "End the alarm of the session, on every device.")

    @OptionGroup var node: AskingOptions

    func run() async throws {
        try await node.ask(done: CommandOutput.strings[.alarmEnded]) { try await $0.acknowledge() }
    }
}

/// `lockstep say`: shows a text on every screen.
struct SayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "say", abstract: "Show a text on every screen of the space.",
        discussion: "The latest text replaces the one before. Without a text, the present one is taken back.")

    @OptionGroup var node: AskingOptions

    @Argument(help: "The text: at most \(Limits.titleBytes) bytes, without control characters.")
    var text: [String] = []

    @Option(name: .customLong("for"), help: "How long it is shown: 1s to 24h (default: 10m).")
    var life: String?

    func run() async throws {
        // A variable of a script may be empty by mistake.
        guard text.isEmpty || text.contains(where: { !CleanText.trimmed($0).isEmpty }) else {
            throw UsageError("say: the text is empty; lockstep say without an argument takes the present one back")
        }
        let rule = "a message is shown from 1s to 24h"
        let message = MessageRequest(
            text: text.joined(separator: " "),
            seconds: try life.map { try PlanParser.seconds(of: $0, option: "--for", rule: rule) })
        let shown: String
        do throws(RequestError) { shown = try message.checked().text } catch {
            throw UsageError("say: \(error.message)")
        }
        try await node.access.withAccess { client in
            let isMissing = shown.isEmpty ? try await client.status().message == nil : false
            let done = CommandOutput.strings[shown.isEmpty ? .messageTakenBack : .messageShown]
            try await CommandOutput.end(
                try await client.say(message), done: isMissing ? .userText("No message is shown") : done,
                json: node.output.json)
        }
    }
}
