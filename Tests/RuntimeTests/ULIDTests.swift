// SPDX-License-Identifier: Apache-2.0

import Session
import Testing

@testable import Runtime

@Suite(.timeLimit(.minutes(15))) struct ULIDTests {
    @Test func idsSortByTime() {
        let times: [GroupTime] = [0, 1, 31, 32, 1_023, 1_767_225_600_000, 1_767_225_600_001, 7_258_118_400_000]
        let ids: [SessionID] = times.map { ULID.make(at: $0) }
        #expect(ids == ids.sorted())
    }

    @Test func timeIsEncodedAsSpecified() {
        let id: SessionID = ULID.make(at: 1_469_918_176_385)
        #expect(id.rawValue.hasPrefix("01ARYZ6S41"))
        #expect(id.rawValue.count == 26)
    }

    @Test func idsAreUnique() {
        let ids = (0..<10_000).map { _ -> IntentID in ULID.make(at: 1_767_225_600_000) }
        #expect(Set(ids).count == ids.count)
    }

    @Test func clockBefore1970IsAccepted() {
        let id: SessionID = ULID.make(at: -5)
        #expect(id.rawValue.hasPrefix("0000000000"))
    }
}
