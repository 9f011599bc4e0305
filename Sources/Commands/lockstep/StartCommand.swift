// SPDX-License-Identifier: Apache-2.0

import API
import ArgumentParser
import Client
import Display
import Platform
import Session
import Settings

/// `lockstep start`: starts a session on a node.
struct StartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a session on the node of this machine; it ends the session that was live in the space.",
        discussion: """
            Without --for, --until, --plan, --preset or --count-up the session is one focus phase of 25 minutes.

            A plan is a list of phases: focus 25m, shortBreak 5m. Kinds are focus, shortBreak, longBreak, work, rest and \
            phase; a name is written in double quotes: phase "Breathe" 10m. Parentheses and xN repeat: \
            (focus 25m, shortBreak 5m) x4. A slash alternates: work 40s x8 / rest 20s.
            """
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var output: OutputOptions

    @Argument(help: "The title, such as Reading.")
    var title: String?

    @Argument(help: .hidden)
    var furtherWords: [String] = []

    @Option(help: .hidden)
    var broker: String?

    @Option(name: .customLong("for"), help: "One focus phase of this length: 25m, 40s, 1h30m.")
    var length: String?

    @Option(help: "One focus phase that ends at this time of the day, today or tomorrow: 14:30.")
    var until: String?

    @Option(help: "The phases, in the grammar above.")
    var plan: String?

    @Option(help: "A plan by its name in the node's presets.")
    var preset: String?

    @Flag(help: "Count up until stopped.")
    var countUp = false

    @Flag(help: "Go on with the session that was stopped last, with the time that it had left.")
    var again = false

    @Option(help: "The label that the time counts for.")
    var label: String?
    @OptionGroup var colouring: ColourOption

    @Option(
        help: "An emoji, or a built-in drawing: \(Icon.names).",
        completion: .list(Icon.allCases.map(\.rawValue)))
    var icon: String?

    @Flag(help: "Let the next phase start by itself.")
    var autoAdvance = false

    @Flag(
        inversion: .prefixedNo,
        help: "Ring on every device where the session waits for a person, and at its end, until lockstep ok.")
    var alarm: Bool?

    @Flag(help: "Let phases go on past their lengths, until a person ends them.")
    var overtime = false

    func validate() throws {
        if broker != nil {
            throw ValidationError(
                "--broker: a session starts on the node of this machine; leave it out, and run lockstep up or join")
        }
        if overtime, countUp { throw ValidationError("--overtime is for a countdown") }
        let plans = [length != nil, until != nil, plan != nil, preset != nil, countUp].count(where: \.self)
        if plans > 1 { throw ValidationError("--for, --until, --plan, --preset and --count-up exclude each other") }
        let hasOtherOptions =
            [title, label, colouring.typed, icon].contains { $0 != nil } || autoAdvance || alarm != nil || overtime
        if again, plans > 0 || hasOtherOptions {
            throw ValidationError("--again goes on with a session as it was; give it neither a title nor other options")
        }
        if colouring.typed.flatMap(Colour.init(typed:)) != nil, label == nil {
            throw ValidationError("--color colours a label; give one with --label")
        }
    }

    func run() async throws {
        // Not in `validate`, which runs before an unknown option is reported: its value would count as a word.
        if let title, !furtherWords.isEmpty {
            let words = ([title] + furtherWords).joined(separator: " ")
            throw UsageError("a title of several words is given in quotes: lockstep start \"\(words)\"")
        }
        let request = try request()
        try await socket.withNode { client in
            let reply = try await client.start(request)
            try await CommandOutput.end(
                reply, done: await done(reply, of: client), given: given, json: output.json)
        }
    }

    private var given: [String: GivenOption] {
        [
            "title": GivenOption("the title", title), "until": GivenOption("--until", until),
            "preset": GivenOption("--preset", preset), "label": GivenOption("--label", label),
            "colour": GivenOption("--color", colouring.typed), "icon": GivenOption("--icon", icon),
        ]
    }

    /// Returns the words for a start; with --until also when the session ends, unless another one is current by now.
    private func done(_ reply: ReplyReport, of client: ControlClient) async -> Localized {
        let started = CommandOutput.strings[.eventStarted]
        guard until != nil, let status = try? await client.status(), status.session == reply.session,
            let end = status.endsAt?.milliseconds, let start = status.startTime?.milliseconds
        else { return started }
        let (from, to) = (SystemClock.utcOffset(at: start), SystemClock.utcOffset(at: end))
        let isToday = LocalTime(at: start, offset: from).date == LocalTime(at: end, offset: to).date
        let key: Strings.Key = isToday ? .untilTime : .untilTomorrow
        let words = CommandOutput.strings.text(key, ["time": TimeText.clock(end, offset: to)])
        return [started, words].joined(separator: " · ")
    }

    private func request() throws -> StartRequest {
        if again { return StartRequest(again: true) }
        let colour = try colouring.colour()
        if let plan {
            do throws(PlanError) {
                _ = try PlanParser.phases(of: plan)
            } catch {
                throw UsageError("--plan, \(error)\n  \(plan)\n  \(String(repeating: " ", count: error.column - 1))^")
            }
        }
        let isDefault = length == nil && until == nil && plan == nil && preset == nil && !countUp
        return StartRequest(
            title: title,
            seconds: try length.map { try PlanParser.seconds(of: $0, option: "--for") }
                ?? (isDefault ? SessionDefaults().focus : nil),
            until: until, plan: plan, preset: preset, mode: countUp ? .countup : nil, label: label,
            colour: colour?.description, icon: icon, autoAdvance: autoAdvance, alarm: alarm,
            overtime: overtime ? true : nil)
    }
}

/// The option for the colour of a label.
struct ColourOption: ParsableArguments {
    @Option(
        name: .customLong("color"),
        help: ArgumentHelp(
            "The label's colour: a name, #rgb, #rrggbb or #rrggbbaa (aa is the opacity), with or without #.",
            discussion: NamedColours.names.joined(separator: " "), valueName: "colour"),
        completion: .list(NamedColours.names))
    var typed: String?

    func colour() throws -> Colour? {
        guard let typed else { return nil }
        guard let colour = Colour(typed: typed) else {
            throw UsageError("--color “\(typed)” is not a colour; a colour is \(Colour.forms)")
        }
        return colour
    }
}
