// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Testing
import Wire

/// Views are read by older and newer versions of Lockstep on one machine.
@Suite("The node's view for displays on its machine", .timeLimit(.minutes(15)))
struct NodeViewTests {
    private func view(_ fields: String) throws -> View {
        let json = #"{"v":1,"anchorBoot":5,"isOwner":false,"isLinked":true"# + fields + "}"
        return try NodeView(json: Array(json.utf8)).view
    }

    @Test(arguments: 0..<64)
    func viewIsReadBack(bits: Int) throws {
        let has = (0..<6).map { bits >> $0 & 1 == 1 }
        let view = View(
            register: has[0] ? try Fixtures.register() : nil, anchorBoot: has[1] ? -500 : 500,
            shownSinceAnchor: has[2] ? 7 : 0,
            error: has[3] ? ErrorBound(size: 12, at: has[4] ? 99 : nil) : nil,
            contactLostAt: has[4] ? 3 : nil, isOwner: has[5], isLinked: has[1])
        var shown = NodeView(view)
        if has[0] {
            shown.calm = CalmFeed(session: try Fixtures.token("s-1"), percent: 80, coverage: 90, at: Fixtures.now)
        }
        shown.debtMinutes = has[1] ? -30 : nil
        shown.isClockWrong = has[2]
        shown.isUnsaved = has[3]
        shown.worksAlone = has[4]
        shown.isReadOnly = has[5]
        shown.node = has[1] ? try Fixtures.node("desk") : nil
        shown.clockAhead = Milliseconds(Int64(bits) - 50)
        shown.warnings = has[2] ? ["the disk is full"] : []
        #expect(try NodeView(json: shown.json()) == shown)
    }

    @Test func viewHasAnErrorBound() throws {
        #expect(try view("").error == nil)
        #expect(try view("").shownSinceAnchor == 0)
        #expect(try view(#","error":0"#).error == ErrorBound())
        #expect(try view(#","error":12,"errorAt":-7,"shown":99"#).error == ErrorBound(size: 12, at: -7))
        #expect(try view(#","error":12,"errorAt":-7,"shown":99"#).shownSinceAnchor == 99)
        #expect(try view(#","error":null,"errorAt":null"#).error == nil)
        let plain = String(decoding: NodeView(View()).json(), as: UTF8.self)
        #expect(!plain.contains("shown"), "what is nothing is left out")
        #expect(!plain.contains("error"), "what is nothing is left out")
    }

    @Test(arguments: [
        (#","error":"12""#, Discard.malformed), (#","error":1.5"#, .malformed), (#","errorAt":true"#, .malformed),
        (#","shown":[]"#, .malformed), (#","error":3155760000001"#, .outOfBounds),
        (#","errorAt":-3155760000001"#, .outOfBounds), (#","shown":3155760000001"#, .outOfBounds),
        (#","v":2"#, .unknownVersion),
    ])
    func malformedViewIsNotRead(fields: String, reason: Discard) throws {
        let error = try #require(throws: PayloadError.self) { try view(fields) }
        #expect(error.reason == reason, "\(error)")
    }
}
