// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// A session to start, from a person or a program on this machine.
///
/// A node keeps the requests of earlier sessions in a file, so it is `Codable`.
package struct StartRequest: Codable, Hashable, Sendable, Alternatives {
    package var title: String?
    package var seconds: Int?
    package var until: String?
    package var plan: String?
    package var phases: [PhaseRequest]?
    package var preset: String?
    package var again: Bool?
    package var mode: Mode?
    package var label: String?
    package var colour: String?
    package var icon: String?
    package var autoAdvance: Bool?
    package var alarm: Bool?
    package var overtime: Bool?

    package init(
        title: String? = nil, seconds: Int? = nil, until: String? = nil, plan: String? = nil,
        phases: [PhaseRequest]? = nil, preset: String? = nil, again: Bool? = nil, mode: Mode? = nil,
        label: String? = nil, colour: String? = nil, icon: String? = nil, autoAdvance: Bool? = nil,
        alarm: Bool? = nil, overtime: Bool? = nil
    ) {
        self.title = title
        self.seconds = seconds
        self.until = until
        self.plan = plan
        self.phases = phases
        self.preset = preset
        self.again = again
        self.mode = mode
        self.label = label
        self.colour = colour
        self.icon = icon
        self.autoAdvance = autoAdvance
        self.alarm = alarm
        self.overtime = overtime
    }

    package static let blank = StartRequest()

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("title", optional: &title, .clean(0...Limits.titleBytes), "At most 160 bytes of UTF-8.")
        try coder.field("seconds", optional: &seconds, .whole(Limits.phaseSeconds), "One phase of that length.")
        try coder.field(
            "until", optional: &until, .timeOfDay,
            "One phase until that local time of the node: today, or tomorrow if it is not later than now.")
        try coder.field(
            "plan", optional: &plan, .oneLinePlan,
            "A plan in one line. The pattern is incomplete; for the syntax see lockstep start --help.")
        try coder.field("phases", optional: &phases, .list(of: .object(), 1...Limits.phases), "The phases one by one.")
        try coder.field("preset", optional: &preset, .string, "One of the node's presets.")
        try coder.field(
            "again", optional: &again, .bool,
            "Goes on with the session that was stopped last, with the time that it had left.")
        try coder.field("mode", optional: &mode, .word(), "By default countdown; countup takes no phases.")
        try coder.field("label", optional: &label, .clean(1...Limits.nameBytes), "1 to 48 bytes of UTF-8.")
        try coder.field("colour", optional: &colour, .typedColour, "The label's colour; allowed only with label.")
        try coder.field(
            "icon", optional: &icon, .icon, "One emoji of at most 32 bytes, or the name of a built-in drawing.")
        try coder.field("autoAdvance", optional: &autoAdvance, .bool, "Whether the next phase starts by itself.")
        try coder.field(
            "alarm", optional: &alarm, .bool,
            "Whether an alarm rings on every device where the session waits for a person, and at its end. By default that of the preset, or LOCKSTEP_ALARM."
        )
        try coder.field(
            "overtime", optional: &overtime, .bool,
            "Whether phases of a countdown go on past their lengths, until a person ends them. By default that of the preset."
        )
    }

    private static let plans = ["seconds", "until", "plan", "phases", "preset"]

    /// Returns one form for each of ``plans``, one for a count-up without a plan, and one for `again`. That excludes
    /// all other fields.
    static func schema(of fields: [Schemas.Field]) -> JSONText {
        var again = fields.filter { $0.key == "again" }
        for index in again.indices {
            again[index].require()
            again[index].schema = ["enum": [true]]
        }
        return [
            "oneOf": JSONText(
                (plans + ["mode"]).map { form in
                    var own = fields.filter { !(plans + ["again"]).contains($0.key) || $0.key == form }
                    for index in own.indices where own[index].key == form { own[index].require() }
                    let modes: [JSONText] = form == "mode" ? ["countup"] : ["countdown", .null]
                    for index in own.indices where own[index].key == "mode" {
                        own[index].schema = ["enum": JSONText(modes)]
                    }
                    let noLabel: JSONText = ["properties": ["label": ["type": "null"]]]
                    let colour = Schemas.requiring("colour", ["type": "string"])
                    return Schemas.object(own, further: [("not", ["allOf": [colour, noLabel]])])
                } + [Schemas.object(again)])
        ]
    }

    /// Returns the request for the engine. Its own alarm and overtime override those of the preset.
    package func start(preset found: Preset? = nil) throws(RequestError) -> Start {
        let title = CleanText.trimmed(title ?? "")
        try Self.check(title, .title)
        if let icon {
            try Self.check(icon, .icon)
            guard Icon.canDraw(icon) else {
                throw RequestError("icon", "must be an emoji or a built-in drawing: \(Icon.names)")
            }
        }
        let mode = mode ?? .countdown
        var plan = try planned(found?.plan)
        if mode == .countup {
            guard planCount == 0 else { throw RequestError("mode", "countup goes with none of \(Self.planWords)") }
            plan = [Phase(kind: .focus, seconds: SessionDefaults().countUpCap)]
        }
        guard !plan.isEmpty else {
            throw RequestError(
                "plan", #"one of \#(Self.planWords) is needed, or "mode": "countup", or "again": true"#)
        }
        return Start(
            title: title, icon: icon, label: try labelled(), mode: mode, plan: plan, autoAdvance: autoAdvance ?? false,
            hasAlarm: alarm ?? (found?.hasAlarm == true ? true : nil),
            hasOvertime: overtime ?? found?.hasOvertime ?? false)
    }

    /// Returns the request with a length instead of ``until``, and with the rest of a session instead of ``again``.
    /// Without such a session ``again`` stays.
    package func resolved(
        at groupTime: GroupTime, recent: [RecentSession], utcOffset: (Int64) -> Int
    ) throws(RequestError) -> StartRequest {
        if again == true {
            guard self == StartRequest(again: true) else {
                throw RequestError("again", "goes on with a session as it was, so no other field may be given")
            }
            return recent.lastStopped?.remainder ?? self
        }
        guard let until else { return self }
        try checkPlans()
        guard let time = LocalTime.timeOfDay(until) else {
            throw RequestError("until", "must be a time of day, as 14:30")
        }
        let now = groupTime.milliseconds
        let today = LocalTime(at: now, offset: utcOffset(now)).date
        let instants = [today, today.adding(days: 1)].flatMap {
            LocalTime.instants(of: $0, time: time, offset: utcOffset)
        }
        // Rounded up, so that the session does not end in the minute before.
        let left = instants.first { $0 > now }.map { Int(($0 - now + 999) / 1_000) } ?? 0
        guard Limits.phaseSeconds.contains(left) else {
            throw RequestError(
                "until", "is more than \(Limits.phaseHours) hours away, since the clocks are set back before it")
        }
        var request = self
        (request.seconds, request.until) = (left, nil)
        return request
    }

    /// The number of ``plans`` that are given.
    private var planCount: Int {
        [seconds != nil, until != nil, plan != nil, phases != nil, preset != nil].count(where: \.self)
    }

    private func checkPlans() throws(RequestError) {
        guard planCount <= 1 else { throw RequestError("plan", "only one of \(Self.planWords)") }
    }

    private static let planWords = "\(plans.dropLast().joined(separator: ", ")) and \(plans[plans.count - 1])"

    private func planned(_ presetPlan: [Phase]?) throws(RequestError) -> [Phase] {
        try checkPlans()
        if preset != nil, let presetPlan { return presetPlan }
        if let seconds { return [Phase(kind: .focus, seconds: seconds)] }
        if let plan {
            do throws(PlanError) {
                return try PlanParser.phases(of: plan)
            } catch {
                throw RequestError("plan", "\(error)")
            }
        }
        guard let phases else { return [] }
        var plan: [Phase] = []
        for (index, phase) in phases.enumerated() { plan.append(try phase.phase(at: "phases.\(index)")) }
        return plan
    }

    private func labelled() throws(RequestError) -> Label? {
        guard let label = label.map(CleanText.trimmed) else {
            if colour != nil { throw RequestError("colour", "is the colour of a label, and there is none") }
            return nil
        }
        try Self.check(label, .label)
        guard let colour else { return Label(name: label) }
        return Label(name: label, colour: try Self.colour(colour))
    }

    static func colour(_ text: String) throws(RequestError) -> Colour {
        guard let colour = Colour(typed: text) else { throw RequestError("colour", "must be \(Colour.forms)") }
        return colour
    }

    package static func check(_ text: String, _ kind: SessionText) throws(RequestError) {
        guard kind.accepts(text) else {
            let size =
                kind == .title ? "at most \(kind.bytes) bytes" : "1 to \(kind.bytes) bytes that are not all blanks"
            throw RequestError(kind.rawValue, "must have \(size), and no control characters")
        }
    }
}

/// A phase of the plan to start.
package struct PhaseRequest: Codable, Hashable, Sendable, Described {
    package var kind: String?
    package var name: String?
    package var seconds: Int

    package init(kind: String? = nil, name: String? = nil, seconds: Int) {
        self.kind = kind
        self.name = name
        self.seconds = seconds
    }

    package static let blank = PhaseRequest(seconds: 0)

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("kind", optional: &kind, .oneOf(PhaseKind.self), "By default focus, or phase if it has a name.")
        try coder.field(
            "name", optional: &name, .clean(1...Limits.nameBytes, without: #""\\"#),
            "1 to 48 bytes of UTF-8 without quotes and backslashes.")
        try coder.field("seconds", &seconds, .whole(Limits.phaseSeconds))
    }

    fileprivate func phase(at path: String) throws(RequestError) -> Phase {
        // As in the one-line grammar, the default kind is phase for a phase with a name, else focus.
        let word = kind ?? (name == nil ? PhaseKind.focus : .phase).rawValue
        guard let kind = PhaseKind(rawValue: word) else {
            let kinds = PhaseKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError("\(path).kind", "must be one of \(kinds)")
        }
        let phase = Phase(kind: kind, name: name, seconds: seconds)
        guard phase.isValid else {
            throw RequestError(
                "\(path).name",
                "must have 1 to \(Limits.nameBytes) bytes, no control characters, quotes or backslashes")
        }
        return phase
    }
}
