// SPDX-License-Identifier: Apache-2.0

import Foundation
import Session
import Testing

@testable import Debt

@Suite("Time zones", .timeLimit(.minutes(15)))
struct ZoneTests {
    /// Zones whose rules have not changed for years, so that every database agrees. They have offsets of
    /// half and quarter hours, daylight saving of 30 minutes and of two hours, in both hemispheres, none, and one that
    /// begins before midnight.
    static let names = [
        "Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "America/Los_Angeles", "Asia/Tokyo",
        "Asia/Kathmandu", "Asia/Kolkata", "Australia/Lord_Howe", "Australia/Sydney", "Pacific/Chatham",
        "Pacific/Kiritimati", "Antarctica/Troll", "America/Santiago", "Europe/Dublin", "Etc/UTC", "Etc/GMT+5",
    ]

    @Test(arguments: names)
    func offsetsAreThoseOfFoundation(name: String) throws {
        let zone = try #require(Zone(name))
        let reference = try #require(TimeZone(identifier: name))
        var second: Int64 = 0
        // To 2100 in steps of 11 hours and some seconds.
        while second < 4_102_444_800 {
            let expected = reference.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            try #require(zone.offset(at: GroupTime(second * 1_000)) == expected, "\(name) at \(second)")
            second += 39_617
        }
    }

    @Test func offsetsChangeInTheSecondOfTheJump() throws {
        let berlin = try #require(Zone("Europe/Berlin"))
        // 2026-03-29T01:00Z, and the same in 2099 (March 29 is a Sunday as well), by the rule for all years to come.
        for jump: GroupTime in [1_774_746_000_000, 4_078_429_200_000] {
            #expect(berlin.offset(at: jump - 1) == 3_600)
            #expect(berlin.offset(at: jump) == 7_200)
        }
        #expect(berlin.offset(at: -1) == 3_600)
        #expect(berlin.offset(at: 0 - .days(10_000 * 365)) == 3_208, "local mean time")
        #expect([3_600, 7_200].contains(berlin.offset(at: .distantFuture)))
    }

    @Test(arguments: [
        ("EST5EDT,M3.2.0,M11.1.0", 1_767_225_600, -18_000), ("EST5EDT,M3.2.0,M11.1.0", 1_782_864_000, -14_400),
        ("<-03>3", 1_782_864_000, -10_800), ("IST-5:30", 0, 19_800), ("AEST-10AEDT,J275,J60/3", 1_767_225_600, 39_600),
        ("AAA0BBB,0/0,364/0", 1_782_864_000, 3_600), ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_745_999, -7_200),
        ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_746_000, -3_600),
        ("AAA-1BBB-3,M3.5.0,M10.5.0", 1_782_864_000, 10_800),
    ])
    func ruleOfTheYearsToComeIsUnderstood(text: String, second: Int64, offset: Int64) throws {
        #expect(try #require(ZoneRule(text)).offset(at: second) == offset)
    }

    @Test(arguments: [
        "", "CE-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
        "CET-1CEST,M3.5.0/x,M10.5.0", "CET-1CEST,J0,J365", "<+01-1", "CET-168", "CET-1CEST,M3.5.0,M10.5.0,M1.1.1",
        "CET-1CEST,366,1",
    ])
    func textThatIsNoRuleIsRefused(text: String) { #expect(ZoneRule(text) == nil) }

    @Test(arguments: ["", "Europe", "Europe/Atlantis", "../zoneinfo/Europe/Berlin", "/etc/localtime", "tzdata.zi", "Ä"])
    func unknownNameIsNoZone(name: String) { #expect(Zone(name) == nil) }

    @Test func damagedZoneFileIsRefusedOrReadWithoutATrap() throws {
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")))
        #expect(ZoneTable(bytes) != nil)
        for length in stride(from: 0, to: bytes.count - 1, by: 7) {
            #expect(ZoneTable(Array(bytes.prefix(length)))?.offset(at: 0) == nil, "\(length) bytes")
        }
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 0xFF
            _ = ZoneTable(changed)?.offset(at: 1_800_000_000)
        }
    }

    @Test func universalTimeNeedsNoDatabase() throws {
        #expect(Zone("UTC") == Zone.utc)
        #expect(try #require(Zone("GMT")).offset(at: 1_782_864_000_000) == 0)
        #expect(Zone.utc.description == "UTC")
    }
}
