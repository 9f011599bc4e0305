// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Mosquitto
import Support
import Testing

/// `lockstep-calm listen` turns a recorder's bytes into levels only.
@Suite(.limitedConcurrency) struct ListenTests {

    /// The sound is a marker, which must not appear on disk, in the log or on the wire.
    @Test func onlyLevelsLeaveTheProcess() async throws {
        try await Broker.withBroker { broker in
            try await Peer.with(port: broker.port) { peer in
                let mark = "KEEP-THIS-SOUND-TO-YOURSELF-"
                let microphone = try CalmProgram(
                    ["listen", "--log-level", "trace", "--recorder", "exec yes \(mark)"], broker: broker.port,
                    id: "desk")
                let service = try CalmProgram(["--log-level", "trace"], broker: broker.port)
                try await service.start()
                try await microphone.start()
                try await peer.publish("session", JSON.register("s-1"))
                try await eventually("it is heard: \(microphone.log)") {
                    peer.messages(on: "sound", of: "desk").count >= 3
                }
                let pid = try #require(microphone.pid)
                for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd") {
                    let path =
                        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(descriptor)"))
                        ?? ""
                    let isFile = path.hasPrefix("/") && !path.hasPrefix("/dev/") && !path.hasSuffix(".log")
                    #expect(!isFile, "it holds \(path)")
                }
                // The wire carries levels, and no message with more fields.
                for message in peer.messages where message.topic.hasSuffix("/sound") {
                    #expect(try JSON(message.payload).keys.isSubset(of: ["v", "level", "period", "sent", "bootId"]))
                    #expect(message.payload.count < 160)
                }
                #expect(peer.messages.allSatisfy { !String(decoding: $0.payload, as: UTF8.self).contains(mark) })
                #expect(!broker.log.contains(mark))
                try await service.end()
                #expect(try await microphone.end() == 0)
                var files = 0
                for directory in [microphone.directory, service.directory] {
                    let names = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
                    for name in names {
                        files += 1
                        #expect(!directory.read(name).contains(mark), "\(name)")
                    }
                }
                #expect(files >= 3, "logs, and the state of the service")
            }
        }
    }

    /// The environment of the recorder has neither the broker nor its password.
    @Test func recorderSeesNoSettings() async throws {
        let directory = try TemporaryDirectory()
        let child = try Spawn.start(
            [
                Program.path("lockstep-calm"), "listen", "--print", "--recorder",
                "env > '\(directory.file("env"))'; exec cat /dev/zero",
            ],
            environment: Program.environment(
                home: directory.path, ["LOCKSTEP_BROKER": "mqtt://me:word@127.0.0.1:1", "ALSA_CARD": "2"]),
            output: directory.file("out"))
        try await eventually("sound is heard") { directory.read("out").contains("level") }
        let seen = directory.read("env")
        #expect(seen.contains("ALSA_CARD=2"))
        #expect(!seen.contains("LOCKSTEP"))
        #expect(!seen.contains("word"))
        kill(child, SIGTERM)
        #expect(try await Spawn.end(of: child, "its end") == 0)
    }

    @Test(.retriedAfterStall) func calibrationSuggestsAThreshold() async throws {
        let directory = try TemporaryDirectory()
        try Recording.write(Recording.wav([Double](repeating: 0.001, count: 12)), to: directory.file("room.wav"))
        let recorder = ["--recorder", "cat '\(directory.file("room.wav"))'", "--calibration", "94"]
        let report = try await CommandLine.run(["calm", "calibrate", "--seconds", "10", "--json"] + recorder).expect()
        // 60 dB below full scale is 34 dB; the threshold is 6 dB above.
        report.json.expect(["median": 34, "threshold": 40, "setting": "LOCKSTEP_CALM_THRESHOLD=40"])
    }

    @Test(.retriedAfterStall) func calibrationListensToASpace() async throws {
        try await Broker.withBroker { broker in
            let directory = try TemporaryDirectory()
            // A microphone publishes until the broker ends.
            let publish =
                "mosquitto_pub -h 127.0.0.1 -p \(broker.port) -t lockstep/1/home/node/peer/sound -m '{\"v\":1,\"level\":41}'"
            let microphone = try Spawn.start(
                ["/bin/sh", "-c", "while \(publish); do sleep 0.1; done"], output: directory.file("log"))
            defer { Spawn.end(microphone) }
            let told = try await CommandLine.run(
                ["calm", "calibrate", "--seconds", "5", "--broker", "mqtt://127.0.0.1:\(broker.port)"])
            #expect(told.code == 0, "\(told)\(directory.read("log"))\(broker.log)")
            #expect(told.output.contains("LOCKSTEP_CALM_THRESHOLD=47"), "\(told)")
        }
    }
}
