// SPDX-License-Identifier: Apache-2.0

/// A kind of browser that Debian has.
package enum Engine: String, CaseIterable, Sendable {
    case chromium
    case firefox
    case webKit

    /// Whether this machine has all programs that it takes.
    package var isInstalled: Bool { programs.allSatisfy { (try? Spawn.find($0)) != nil } }

    private var programs: [String] {
        switch self {
        case .chromium: ["chromium"]
        case .firefox: ["firefox-esr"]
        case .webKit: ["WebKitWebDriver", "Xvfb"]
        }
    }

    fileprivate func start() async throws -> any Browser {
        switch self {
        case .chromium: try await Chromium()
        case .firefox: try await Firefox()
        case .webKit: try await WebKit()
        }
    }
}

/// A browser without a screen.
protocol Browser: Sendable {
    /// Opens a page in a window of its own.
    func open(_ url: String, width: Int64, height: Int64) async throws -> any WebPage
    func close() async
}

/// The browsers of a test, each of which starts with its first page.
package actor Browsers {
    private var started: [Engine: any Browser] = [:]

    /// Runs `body`, and then ends the browsers that it has started.
    package static func with(_ body: (Browsers) async throws -> Void) async throws {
        let browsers = Browsers()
        do {
            try await body(browsers)
        } catch {
            await browsers.close()
            throw error
        }
        await browsers.close()
    }

    /// Opens a page.
    package func open(_ engine: Engine, _ url: String, width: Int64, height: Int64) async throws -> any WebPage {
        try await browser(engine).open(url, width: width, height: height)
    }

    /// Chromium, for tests that take more of a browser than ``WebPage`` has.
    package var chromium: Chromium {
        get async throws {
            guard let chromium = try await browser(.chromium) as? Chromium else { throw Failed("not Chromium") }
            return chromium
        }
    }

    private func browser(_ engine: Engine) async throws -> any Browser {
        if let browser = started[engine] { return browser }
        let browser = try await engine.start()
        started[engine] = browser
        return browser
    }

    private func close() async {
        for browser in started.values { await browser.close() }
    }
}
