// SPDX-License-Identifier: Apache-2.0

import Glibc
import Mosquitto
import Support
import Testing

/// The calm service with a real broker and a real node.
@Suite(.limitedConcurrency) struct CalmProgramTests {
    @Test func percentFallsWhenAQuietRoomGetsLoud() async throws {
        try await Space.with("desk") { space in
            try await CalmProgram.withService(broker: space.broker.port) { _ in
                let desk = space["desk"]
                try await space.peer.say(level: 30)
                let session = try desk.begin()
                var level = 30 as Int64
                // Samples cover seconds but are sent more often, since a busy machine may delay the next one.
                // After a gap the service needs four times as long to reach the required coverage.
                func speak(until isRight: () async throws -> Bool) async throws {
                    try await eventually("calm is \(space.peer.calm.last ?? .null)", within: .seconds(300)) {
                        try await space.peer.say(level: level, ["period": 3000])
                        return try await isRight()
                    }
                }
                try await speak {
                    space.peer.calm.last?.session.text == session && space.peer.calm.last?.percent == 100
                }
                try await speak { (desk.status.calmPercent.int ?? 0) == 100 }
                level = 60
                try await speak { (desk.status.calmPercent.int ?? 100) < 100 }
                try await speak { space.peer.calm.last?.level == 60 }
                var told = JSON.null
                try await speak {
                    told = try await desk.lockstep("calm", "--json").json
                    return (told.percent.int ?? 100) < 100
                }
                told.expect(["session": .string(session), "threshold": 45])
                try await desk.lockstep("calm").expect(says: "Calm ", "quiet below 45")
                #expect(try await desk.lockstep("stop").code == 0)
                #expect(try await desk.lockstep("calm", "--json").code == 5)
            }
        }
    }

    @Test func aMissingServiceOrMicrophoneIsNamed() async throws {
        try await Space.with("desk") { space in
            try space["desk"].begin()
            let none = try await space["desk"].lockstep("calm")
            #expect(none.output.contains("no calm service is known"), "\(none)")
            let service = try CalmProgram([], broker: space.broker.port)
            try await service.start()
            try await eventually("the service is online") { space["desk"].row(of: "calm").online == true }
            #expect(space["desk"].row(of: "calm").name.text != "calm", "its name is that of its machine")
            let deaf = try await space["desk"].lockstep("calm")
            #expect(deaf.output.contains("hears no microphone and no sensor"), "\(deaf)")
            #expect(!deaf.output.contains("start lockstep-calm"), "\(deaf)")
            try await service.end()
            try await space.peer.waitFor("presence", of: "calm", "its goodbye") { $0.online == false }
        }
    }

    /// The percent survives a `kill -9`.
    @Test func killedServiceContinuesItsPercent() async throws {
        try await Space.with("desk") { space in
            let service = try CalmProgram([], broker: space.broker.port)
            try await service.start()
            try await space.peer.say(level: 30)
            try space["desk"].begin()
            func speak(_ level: Int64, until isRight: (JSON) -> Bool) async throws -> JSON {
                try await eventually("calm is \(space.peer.calm.last ?? .null): \(service.log)") {
                    try await space.peer.say(level: level, ["period": 3000])
                    return isRight(space.peer.calm.last ?? .null)
                }
                return space.peer.calm.last ?? .null
            }
            _ = try await speak(30) { $0.percent == 100 }
            let before = try await speak(70) { ($0.percent.int ?? 100) < 100 }
            try await service.kill()
            // The will follows the last message.
            try await space.peer.waitFor("presence", of: "calm", "its will") { $0.online == false }
            let count = space.peer.calm.count
            try await service.start()
            let after = try await speak(30) { space.peer.calm.count > count && $0.percent.int != nil }
            #expect(after.session == before.session)
            #expect((after.percent.int ?? 100) < 100, "it remembers the noise: \(before), then \(after)")
            try await service.end()
        }
    }

    /// A sensor of another system, with its further fields.
    @Test func levelsOfASensorAreRead() async throws {
        func payload(_ noise: Int) -> [UInt8] {
            Array(#"{"battery":87,"linkquality":120,"noise":\#(noise).25,"occupancy":false,"update":null}"#.utf8)
        }
        let topic = "zigbee2mqtt/office"
        try await Space.with("desk") { space in
            // A retained level is not a present one.
            try await space.peer.publishAll([MQTTMessage(topic: topic, payload: payload(90), retain: true)])
            let service = try CalmProgram(
                ["--topic", topic], broker: space.broker.port, environment: ["LOCKSTEP_CALM_POINTER": "/noise"])
            try await service.start()
            try space["desk"].begin()
            var heard = JSON.null
            try await eventually("the sensor is heard: \(space.peer.calm.last ?? .null) \(service.log)") {
                try await space.peer.publishAll([MQTTMessage(topic: topic, payload: payload(38))])
                // A later message may say that no sample arrives any more.
                heard = space.peer.calm.last ?? .null
                return heard.level != .null
            }
            heard.expect(["level": .fraction(38.3), "percent": 100])
            try await eventually("it is loud: \(space.peer.calm.last ?? .null)") {
                try await space.peer.publishAll([MQTTMessage(topic: topic, payload: payload(70))])
                return (space.peer.calm.last?.percent.int ?? 100) < 100
            }
            try await service.end()
        }
    }

    /// The shipped access rules let the service write its feed.
    @Test func theShippedRulesAllowTheService() async throws {
        try await Broker.withBroker(Broker.Options(users: ["calm": "c-word", "desk": "d-word"], isShipped: true)) {
            broker in
            let desk = try NodeProcess("desk", broker: "mqtt://127.0.0.1:\(broker.port)", password: "d-word")
            try await desk.start()
            try await CalmProgram.withService(broker: broker.port, password: "c-word") { service in
                try desk.begin()
                try await eventually("calm comes to the node: \(service.log) \(desk.log)", within: .seconds(300)) {
                    let body: JSON = ["level": 30, "period": 5]
                    _ = desk.socket.request("POST", "/v1/sound", body: body.bytes)
                    return desk.status.calmPercent == 100
                }
                try await eventually("it is there for all to see") { desk.row(of: "calm").online == true }
                #expect(!service.log.contains("c-word"))
                #expect(!service.log.contains("does not let"), "\(service.log)")
            }
            try await desk.end()
        }
    }

    /// One service for every space of a broker.
    @Test func oneServiceServesEverySpace() async throws {
        try await Broker.withBroker { broker in
            try await CalmProgram.withService(["--space", "+"], broker: broker.port) { _ in
                for name in ["home", "studio-3"] {
                    try await Peer.with(port: broker.port, space: name) { peer in
                        try await peer.publish("session", JSON.register("s-\(name)"))
                        try await eventually("calm in \(name)") {
                            try await peer.say(level: 50)
                            return peer.calm.last?.session.text == "s-\(name)"
                        }
                        #expect(peer.latest("presence", of: "calm").online == true)
                    }
                }
            }
        }
    }

    @Test func theShippedSettingsFileIsAccepted() async throws {
        let directory = try TemporaryDirectory()
        let text = try Project.read("Config/calm.env").split(separator: "\n").map { line in
            line.hasPrefix("#LOCKSTEP_") ? line.dropFirst() : line[...]
        }
        let file = try directory.write(text.joined(separator: "\n"), to: "calm.env")
        let result = try await CommandLine.run(["--config", file], program: "lockstep-calm")
        // The file is valid; only the missing broker is reported.
        result.expect(2, errors: "needs a broker")
    }
}
