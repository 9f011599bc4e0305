// SPDX-License-Identifier: Apache-2.0

import Session
import Testing
import Wire

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct WeekPageTests {
    private func page(_ numbers: WeekNumbers?, _ language: String = "en") throws -> WeekPage {
        WeekPage(
            numbers: numbers, node: .userText("desk"), time: "14:05", strings: try #require(Catalogue.strings(language))
        )
    }

    @Test func pageShowsTheStateOfTheWeek() throws {
        let html = try page(try WeekChartTests.numbers()).html
        for text in [
            "This week", "28 Dec – 3 Jan", ">-5h0m<", "2h00m of 7h00m", "1 day in a row", "Calm 85%", "As of 14:05",
            "<figcaption aria-hidden=\"true\">Day by day<", "<summary>Numbers<",
            "<bdi>Mon 28 Dec</bdi></th><td><bdi>30m<",
            "<bdi>Thu 31 Dec</bdi></th><td><bdi>–<",
        ] { #expect(html.contains(text), "\(text)") }
        let count = { (tag: String) in html.split(separator: tag, omittingEmptySubsequences: false).count - 1 }
        #expect(count("<svg ") == 4)
        #expect(count("<table>") == 3)
        #expect(count("<tr>") == 3 + 7 + 53, "three heads, seven days, no label, 53 weeks")
        #expect(!html.contains("class=\"notice\""))
        #expect(!html.contains("style="))
    }

    /// If the catalogue has no letters, the page has no words.
    @Test func pageHasNoWordsOfItsOwn() throws {
        let entries = Strings.Key.allCases.map { ($0, Strings.Entry.text("–")) }
        let signs = Strings(
            language: "en", isRightToLeft: false, entries: Dictionary(uniqueKeysWithValues: entries))
        let numbers = try WeekChartTests.numbers(labels: [])
        let html = WeekPage(numbers: numbers, node: "5", time: "14:05", strings: signs).html
        #expect(!html.replacing(/<[^>]*>/, with: " ").contains(/\p{L}{2}/), "\(html)")
    }

    @Test func userTextIsEscaped() throws {
        let labels = [DebtWeek.LabelSum(label: Label(name: "<script>&\"'"), done: 60_000)]
        let html = try page(try WeekChartTests.numbers(labels: labels)).html
        #expect(!html.contains("<script>"))
        #expect(html.contains("&lt;script&gt;&amp;&quot;&#39;"))
    }

    @Test func missingDataGivesNotices() throws {
        let nothing = try page(nil).html
        #expect(nothing.contains("no debt service counts it"))
        #expect(!nothing.contains("<svg"))
        let empty = try WeekChartTests.numbers(minutes: Array(repeating: 0, count: 7))
        #expect(try page(empty).html.contains("<p class=\"notice\">Nothing was done yet<"))
        var stale = try page(try WeekChartTests.numbers())
        stale.staleFor = 30 * 3_600_000
        #expect(stale.html.contains("<p class=\"notice\">Last heard 30 h ago<"))
        stale.staleFor = 120_000
        stale.isLinkLost = true
        #expect(stale.html.contains("Last heard 2 min ago"))
        #expect(stale.html.contains("Not connected"))
    }

    @Test(arguments: CatalogueTests.languages) func pageIsValidInEveryLanguage(language: String) throws {
        let strings = try #require(Catalogue.strings(language))
        let monday = try WeekChartTests.date("2026-11-16")
        #expect(Set((0..<7).map { strings.weekday(of: monday.adding(days: $0)) }).count == 7)
        #expect(Set((0..<12).map { strings.month(of: monday.adding(days: 30 * $0 - 5)) }).count == 12)
        #expect(strings[.weekdays].description.split(separator: " ").count == 7)
        #expect(strings[.months].description.split(separator: " ").count == 12)
        let html = try page(try WeekChartTests.numbers(), language).html
        #expect(html.contains("<html lang=\"\(language)\" dir=\"\(language == "ar" ? "rtl" : "ltr")\""))
        #expect(!html.contains("{"), "a placeholder is not replaced")
    }
}
