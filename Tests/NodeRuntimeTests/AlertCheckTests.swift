// SPDX-License-Identifier: Apache-2.0

import API
import FoundationEssentials
import Glibc
import Support
import Testing

@testable import NodeRuntime
@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct AlertCheckTests {
    /// Returns the problems on a machine with these programs and sockets in its session.
    private static func problems(
        notifies: Bool = false, sound: HookSettings.Sound = .off, programs: [String] = [], sockets: [String] = []
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        for name in programs + sockets {
            let folder = name.split(separator: "/").dropLast().joined(separator: "/")
            try FileManager.default.createDirectory(
                atPath: directory.file(folder), withIntermediateDirectories: true)
            chmod(try directory.write("", to: name), 0o755)
        }
        var settings = HookSettings()
        settings.notifies = notifies
        settings.sound = sound
        let environment = ["PATH": directory.path, "XDG_RUNTIME_DIR": directory.path]
        return AlertCheck(settings: settings, environment: environment).problems.map(\.text)
    }

    @Test func alertsThatAreOffAreNoProblem() throws { #expect(try Self.problems() == []) }

    @Test func aMissingProgramIsNamed() throws {
        let found = try Self.problems(notifies: true, sound: .chime)
        #expect(found.count == 2)
        #expect(found.first?.contains("notify-send is not installed") == true, "\(found)")
        #expect(found.last?.contains("none of pw-play, paplay and aplay is installed") == true, "\(found)")
    }

    @Test func aNodeOutsideOfASessionShowsAndPlaysNothing() throws {
        let found = try Self.problems(notifies: true, sound: .chime, programs: ["notify-send", "pw-play"])
        #expect(found.first?.contains("outside of a desktop session") == true, "\(found)")
        #expect(found.last?.contains("no sound server") == true, "\(found)")
        let desktop = try Self.problems(
            notifies: true, sound: .chime, programs: ["notify-send", "pw-play"], sockets: ["bus", "pipewire-0"])
        #expect(desktop == [])
        #expect(try Self.problems(sound: .chime, programs: ["paplay"], sockets: ["pulse/native"]) == [])
    }
}
