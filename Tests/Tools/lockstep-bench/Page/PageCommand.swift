// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Harness
import Settings

/// `lockstep-bench page`: the kiosk page in a browser.
struct PageCommand: Measurement {
    static let configuration = CommandConfiguration(
        commandName: "page",
        abstract: "Measure the kiosk page in a browser: presses, flips, first digits, and its cost.",
        discussion: """
            Two lockstep-node programs with a page each, shown by one headless Chromium, which has to be installed. For \
            the flips the second node's clock is an hour ahead, by libfaketime where that is installed.
            """
    )

    @Option(help: "Presses.")
    var presses = 60

    @Option(help: "Seconds that the flips of both pages are watched.")
    var flips = 20

    @Option(help: "How often the page is opened.")
    var visits = 20

    @Option(help: "Seconds that the page only counts.")
    var seconds = 20
    @OptionGroup var output: OutputOptions

    func validate() throws {
        try require(presses > 0 && flips > 1 && visits > 0 && seconds > 0, "numbers are 1 or more")
    }

    func measure() async throws -> [Figure] {
        try await BenchDirectory.withBroker { broker, directory in
            let (desk, kitchen) = (Port.free(), Port.free())
            return try await NodeProcess.with(broker, directory, options: ["--http", "127.0.0.1:\(desk)"]) { node in
                try await Child.with(
                    "lockstep-node",
                    [
                        "--broker", "\(broker)", "--space", "bench", "--node", "kitchen", "--state-dir",
                        directory + "/kitchen", "--socket", directory + "/kitchen.sock", "--log-level", "warning",
                        "--http", "127.0.0.1:\(kitchen)",
                    ], by: FakeTime.hourAhead
                ) { _ in try await figures(node, desk: desk, kitchen: kitchen) }
            }
        }
    }

    private func figures(_ node: NodeProcess, desk: Int, kitchen: Int) async throws -> [Figure] {
        var figures: [Figure] = []
        try await eventually("the second node serves its page") { Port.answers(kitchen) }
        try await Browsers.with { browsers in
            let browser = try await browsers.chromium
            let mine = try await Pages.open(browser, port: desk)
            let theirs = try await Pages.open(browser, port: kitchen)
            figures += try await pressed(from: theirs, to: mine, node)
            figures += try await flipped(mine, theirs)
            try await theirs.close()
            figures += try await visited(browser, mine, port: desk)
        }
        return figures
    }

    private func pressed(from pressedPage: Page, to watchedPage: Page, _ node: NodeProcess) async throws -> [Figure] {
        var samples = Samples()
        for press in 0..<presses {
            ProgressLine.show("page: press \(press) of \(presses)")
            let (op, wanted) = press % 2 == 0 ? ("pause", "paused") : ("resume", "running")
            try await pressedPage.eventually(
                "a button to \(op)", "!!document.querySelector('button[data-op=\(op)]:enabled')")
            _ = try await watchedPage.value(Pages.watch(status: wanted))
            let start = try await pressedPage.value(
                "(() => { const at = performance.timeOrigin + performance.now();"
                    + " document.querySelector('button[data-op=\(op)]').click(); return at })()")
            let end = try await watchedPage.value("window.seen")
            samples.add([Int64((end.double - start.double) * 1_000_000)])
        }
        return [
            samples.figure("page, press to the other node's picture, p50", 0.5, atMost: 25),
            samples.figure("page, press to the other node's picture, p99", 0.99),
        ]
    }

    /// Compares when both pages show the same second.
    private func flipped(_ first: Page, _ second: Page) async throws -> [Figure] {
        for page in [first, second] { _ = try await page.value(Pages.recordFlips) }
        try await ProcessUse.pass(flips, saying: "page: flips")
        let firstFlips = try await first.value("window.flips")
        let secondFlips = try await second.value("window.flips")
        let apart = firstFlips.keys.intersection(secondFlips.keys).map {
            abs(firstFlips[$0].double - secondFlips[$0].double)
        }
        guard apart.count >= flips / 2 else { throw Failed("the pages flipped \(apart.count) seconds together") }
        let sorted = apart.sorted()
        return [
            Figure("page, flip of the same second apart, p50", sorted[sorted.count / 2], "ms"),
            Figure("page, flip of the same second apart, largest", sorted[sorted.count - 1], "ms", atMost: 50),
        ]
    }

    private func visited(_ browser: Chromium, _ counting: Page, port: Int) async throws -> [Figure] {
        var samples = Samples()
        for visit in 0..<visits {
            ProgressLine.show("page: visit \(visit) of \(visits)")
            let page = try await Pages.open(browser, port: port, watching: Pages.firstDigits) {
                try await browser.waitUntilIdle()
            }
            let time = try await page.value("window.digits").double
            samples.add([Int64(time * 1_000_000)])
            try await page.close()
        }
        try await counting.call("Performance.enable")
        let (before, start) = (try await Pages.taskSeconds(counting), Samples.now())
        try await ProcessUse.pass(seconds, saying: "page: counting")
        let share = (try await Pages.taskSeconds(counting) - before) / (Double(Samples.now() - start) / 1e9) * 100
        return [
            samples.figure("page, first digits after navigation, p50", 0.5),
            samples.figure("page, first digits after navigation, slowest", 1, atMost: 300),
            Figure("page, counting", share, "% of a core", atMost: 1),
        ]
    }
}

extension JSON {
    fileprivate var double: Double {
        switch self {
        case .number(let number): Double(number)
        case .fraction(let fraction): fraction
        default: .nan
        }
    }
}
