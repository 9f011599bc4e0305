// SPDX-License-Identifier: Apache-2.0

import Glibc
import Support
import Testing

private enum Python {
    /// Whether Debian's python3-icalendar is installed.
    static let hasCalendar = access("/usr/lib/python3/dist-packages/icalendar/__init__.py", R_OK) == 0
}

/// `/calendar.ics`: the ledger as a calendar, by a program that checks it.
@Suite(.limitedConcurrency, .retriedAfterStall, .requires("python3-icalendar", Python.hasCalendar))
struct CalendarTests {
    /// Prints the beginning, the end and the title of each event, in seconds since 1970.
    private static let reader = """
        import icalendar, sys
        read = icalendar.Calendar.from_ical(open(sys.argv[1], "rb").read())
        assert not read.errors and read["VERSION"] == "2.0" and read["PRODID"]
        for event in read.walk("VEVENT"):
            assert not event.errors and event["UID"] and event["DTSTAMP"]
            print(*(int(event.decoded(name).timestamp()) for name in ("DTSTART", "DTEND")), event["SUMMARY"])
        """

    private func events(_ text: String) async throws -> [String] {
        let directory = try TemporaryDirectory()
        let result = try await CommandLine.run(
            ["-c", Self.reader, try directory.write(text, to: "calendar.ics")], program: "/usr/bin/python3"
        ).expect()
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func aCalendarProgramReadsTheLedgerByALinkOfItsOwn() async throws {
        try await Space.with { space in
            try await DebtProgram.withService(["--zone", "UTC"], broker: space.broker.port) { service in
                let (port, home) = (Port.free(), try TemporaryDirectory())
                #expect(symlink(service.directory.file("state"), home.file("lockstep-debt")) == 0)
                let node = try NodeProcess(
                    "desk", broker: "mqtt://127.0.0.1:\(space.broker.port)", options: ["--http", "127.0.0.1:\(port)"],
                    environment: ["XDG_STATE_HOME": home.path, "LOCKSTEP_HTTP_LOCAL_KEY": "on"])
                try await node.startServing()
                let link = try await node.lockstep("kiosk", "link", "--calendar").output.split(separator: "\n").first
                #expect(try await Curl.answer(String(link ?? ""), trusting: "/dev/null", ["-f", "--head"]).code == 0)
                try node.begin(["title": "Reading, aloud", "seconds": 1_500])
                var text = ""
                try await eventually("the session is in the calendar") {
                    let said = try await Curl.answer(String(link ?? ""), trusting: "/dev/null").text
                    text = said.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
                    return text.contains("Reading")
                }
                let words = try #require(try await events(text).first).split(separator: " ", maxSplits: 2)
                #expect(words.last == "Reading, aloud")
                let (begin, end) = (try #require(Int64(words[0])), try #require(Int64(words[1])))
                #expect(end - begin == 1_500, "it ends as planned")
                let bare = (link ?? "").prefix { $0 != "?" }
                #expect(try await Curl.answer(String(bare), trusting: "/dev/null").text.contains(" 401 "))
                try await node.kill()
            }
        }
    }

    @Test func withoutALedgerTheCalendarSaysWhy() async throws {
        let port = Port.free()
        let node = try NodeProcess("desk", options: ["--http", "127.0.0.1:\(port)"])
        try await node.startServing()
        let answer = try await Curl.answer("http://127.0.0.1:\(port)/calendar.ics", trusting: "/dev/null").text
        #expect(answer.contains(" 404 "))
        #expect(answer.contains("this machine has no ledger"))
        try await node.kill()
    }
}
