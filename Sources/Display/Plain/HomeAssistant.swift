// SPDX-License-Identifier: Apache-2.0

package import API
package import Session

/// The descriptions by which Home Assistant finds the plain topics of a space, from version 2024.3 on.
///
/// Each entity has a topic of its own, since older versions read only one entity from a topic. The entity's id is made
/// from the space, so that another node can serve the topics later.
package struct HomeAssistant: Sendable {
    /// The topic on which Home Assistant publishes `online` when it has started.
    package static let status = "homeassistant/status"

    /// The retained description of each topic.
    package private(set) var discovery: [String: [UInt8]] = [:]
    private let topics: PlainTopics
    private let id: String
    private let device: JSONText
    private let origin: JSONText

    /// The topics of all descriptions of a space.
    package static func filter(of space: SpaceID) -> String { "homeassistant/+/lockstep_\(space)/+/config" }

    package init(space: SpaceID, presets: [String], version: String) {
        topics = PlainTopics(space)
        id = "lockstep_\(space)"
        device = [
            "identifiers": [JSONText(id)], "name": JSONText("Lockstep \(space)"), "manufacturer": "Lockstep",
            "model": "Space", "sw_version": JSONText(version),
        ]
        origin = ["name": "Lockstep", "sw_version": JSONText(version)]
        addSensors()
        addButtons()
        addStarts(presets)
        add(
            "event", "event", "Event", icon: "timer-alert-outline",
            [
                ("state_topic", JSONText(topics.event)),
                ("event_types", EventName.allCases.map(\.rawValue).json),
            ])
    }

    private mutating func addSensors() {
        let states = ["idle"] + Status.allCases.map(\.rawValue) + ["stale"]
        add(
            "sensor", "state", "State", icon: "timer-sand",
            [
                ("device_class", "enum"), ("options", states.json), state(.state),
                ("json_attributes_topic", JSONText(topics[.json])),
                (
                    "json_attributes_template",
                    """
                    {{ {'alarm': value_json.alarm, 'label': value_json.label, 'session': value_json.session} | tojson if value \
                    else '{}' }}
                    """
                ),
            ])
        // These read the JSON, since they are shown without a value too: then their own topics have no message.
        for (name, title, icon) in [
            ("title", "Title", "text-short"), ("phase", "Phase", "progress-clock"), ("owner", "Owner", "monitor"),
        ] { add("sensor", name, title, icon: icon, text(name)) }
        let unit = "unit_of_measurement"
        let measured: (String, JSONText?) = ("state_class", "measurement")
        addMeasure(
            .endsAt, "Ends at",
            [("device_class", "timestamp"), ("value_template", "{{ value or '1970-01-01T00:00:00Z' }}")])
        addMeasure(.remaining, "Remaining", [("device_class", "duration"), (unit, "s")])
        addMeasure(
            .calm, "Calm", icon: "volume-low", [(unit, "%"), measured, ("suggested_display_precision", 0)])
        addMeasure(.debt, "Weekly debt", [("device_class", "duration"), (unit, "min"), measured])
        addMeasure(.streak, "Streak", icon: "fire", [(unit, "d"), measured])
        addMeasure(.nodes, "Machines online", icon: "devices", [("entity_category", "diagnostic"), measured])
    }

    private mutating func addButtons() {
        for (word, name, icon) in [
            ("pause", "Pause", "pause"), ("resume", "Resume", "play"), ("stop", "Stop", "stop"),
            ("extend", "+1 min", "timer-plus-outline"), ("break", "Start break", "coffee-outline"),
            ("focus", "Start focus", "head-lightbulb-outline"), ("skip", "Skip", "skip-next"),
            ("ok", "OK", "bell-off-outline"),
        ] {
            let isPossible = "{{ 'online' if value and '\(word)' in value_json.can else 'offline' }}"
            let seconds = word == "extend" ? #","seconds":60"# : ""
            add(
                "button", word, name, icon: icon, when: (topics[.json], isPossible),
                command(#""op":"{{ value }}"\#(seconds)"#) + [("payload_press", JSONText(word))])
        }
    }

    private mutating func addStarts(_ presets: [String]) {
        // Entities that only start a session. Without a state topic Home Assistant would assume a state for them.
        let stateless: [(String, JSONText?)] = [
            ("state_topic", JSONText(topics.available)), ("value_template", "{{ none }}"),
        ]
        add(
            "number", "minutes", "Minutes", icon: "timer-play-outline",
            stateless + command(#""op":"start","for":"{{ value | int }}m""#) + [
                ("min", 1), ("max", 1_440), ("step", 1), ("mode", "box"), ("unit_of_measurement", "min"),
            ])
        add(
            "text", "title", "Title", icon: "form-textbox",
            text("draft") + command(#""op":"title","title":{{ value | tojson }}"#)
                + [("max", JSONText(Int64(Limits.titleBytes)))])
        add(
            "select", "preset", "Preset", icon: "playlist-play",
            stateless + command(#""op":"start","preset":{{ value | tojson }}"#) + [
                ("options", JSONText(presets.map { JSONText($0) }))
            ])
    }

    // MARK: Parts

    private func state(_ topic: PlainTopic) -> (String, JSONText?) { ("state_topic", JSONText(topics[topic])) }

    /// Returns the fields of an entity that shows a text of the JSON, which may be empty.
    private func text(_ key: String) -> [(String, JSONText?)] {
        [state(.json), ("value_template", JSONText("{{ (value_json.\(key) or '') if value else '' }}"))]
    }

    /// Returns the fields of an entity that sends a command, with a new id for each press.
    private func command(_ fields: String) -> [(String, JSONText?)] {
        [
            ("command_topic", JSONText(topics.command)), ("retain", false),
            ("command_template", JSONText(#"{"id":"ha-{{ (now().timestamp() * 1000000) | int }}",\#(fields)}"#)),
        ]
    }

    /// Adds a sensor that is unavailable while its topic has no value.
    private mutating func addMeasure(
        _ topic: PlainTopic, _ name: String, icon: String? = nil, _ fields: [(String, JSONText?)]
    ) {
        let hasValue = "{{ 'online' if value else 'offline' }}"
        add("sensor", topic.rawValue, name, icon: icon, when: (topics[topic], hasValue), [state(topic)] + fields)
    }

    private mutating func add(
        _ component: String, _ object: String, _ name: String, icon: String?,
        when: (topic: String, template: String)? = nil,
        _ fields: [(String, JSONText?)]
    ) {
        let entity = "\(id)_\(object)"
        var available: [JSONText] = [["topic": JSONText(topics.available)]]
        if let when { available.append(["topic": JSONText(when.topic), "value_template": JSONText(when.template)]) }
        let common: [(String, JSONText?)] = [
            ("name", JSONText(name)), ("unique_id", JSONText(entity)),
            ("object_id", JSONText(entity)), ("default_entity_id", JSONText("\(component).\(entity)")),
            ("icon", icon.map { JSONText("mdi:\($0)") }), ("availability", JSONText(available)),
            ("availability_mode", "all"), ("qos", 1), ("device", device), ("origin", origin),
        ]
        let description = JSONText(common + fields)
        discovery["homeassistant/\(component)/\(id)/\(object)/config"] = Array(description.text.utf8)
    }
}

extension EventReport {
    /// The payload of an event entity, on `plain/event`.
    package var plain: [UInt8] {
        let content: JSONText = [
            "event_type": event.rawValue.json, "title": (session.title ?? "").json,
            "session": (session.session ?? "").json,
        ]
        return Array(content.text.utf8)
    }
}
