// SPDX-License-Identifier: Apache-2.0

import API
import Display
import Session
import Support
import Testing
import Wire

@testable import Web

/// Below a coverage of 80 percent no surface shows a calm percentage.
@Suite(.timeLimit(.minutes(15))) struct CalmCoverageTests {
    private func shown(_ coverage: Int) throws -> NodeView {
        let register = makeRegister(title: "Reading")
        var (feeds, feed) = (Feeds(), makeCalmFeed(85, .rising))
        (feed.coverage, feed.at) = (coverage, register.startedAt)
        let isNews = feeds.take(.calm(feed))
        #expect(isNews)
        return NodeView(View(register: register, anchorBoot: 1_000, error: ErrorBound(), isLinked: true), feeds: feeds)
    }

    @Test(arguments: [(100, "85%", true), (80, "85%", true), (79, "–", false), (0, "–", false)])
    func everySurfaceHidesCalmBelowCoverageLimit(coverage: Int, text: String, isKnown: Bool) throws {
        let shown = try shown(coverage)
        var options = ScreenOptions(
            strings: try #require(Catalogue.match("en")), node: FakeNode.node, isReadOnly: true, utcOffset: { _ in 0 })
        options.take(shown)
        #expect(options.calm?.percent == (isKnown ? 85 : nil))
        #expect(options.calm?.trend == (isKnown ? .rising : nil))
        let screen = Screen(shown.view, at: 2_000, face: .calm, options: options)
        #expect(screen.facts.percentText?.description == text)
        let line = StatusLine(screen, style: .compact, strings: options.strings).formatted(.text)
        #expect(line.contains(isKnown ? text : screen.time.description), "\(line)")
        var feeds = Feeds()
        _ = feeds.take(.calm(shown.calm))
        let report = StatusReport(
            view: shown.view, space: FakeNode.space, node: FakeNode.node,
            at: Instant(boot: 2_000, wall: 1_800_000_001_000), groupTime: 1_800_000_001_000, feeds: feeds)
        #expect(report.calmPercent == (isKnown ? 85 : nil))
        #expect(report.calmTrend == (isKnown ? "rising" : nil))
    }
}
