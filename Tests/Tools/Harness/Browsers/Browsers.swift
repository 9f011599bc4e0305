// SPDX-License-Identifier: Apache-2.0

/// A kind of browser that Debian has.
package enum BrowserKind: String, CaseIterable, Sendable {
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

    fileprivate func start(trusting authority: String?) async throws -> any Browser {
        switch self {
        case .chromium: try await Chromium(trusting: authority)
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

/// The browsers of a test. Each starts with its first page.
package actor Browsers {
    private let authority: String?
    private var started: [BrowserKind: any Browser] = [:]

    private init(trusting authority: String?) { self.authority = authority }

    /// Runs `body`, and then ends its browsers. Chromium also trusts the authority in this file.
    package static func with(
        trusting authority: String? = nil, _ body: (Browsers) async throws -> Void
    ) async throws {
        let browsers = Browsers(trusting: authority)
        do {
            try await body(browsers)
        } catch {
            await browsers.close()
            throw error
        }
        await browsers.close()
    }

    package func open(_ kind: BrowserKind, _ url: String, width: Int64, height: Int64) async throws -> any WebPage {
        try await browser(kind).open(url, width: width, height: height)
    }

    /// Chromium, for tests that take more of a browser than ``WebPage`` has.
    package var chromium: Chromium {
        get async throws {
            guard let chromium = try await browser(.chromium) as? Chromium else { throw Failed("not Chromium") }
            return chromium
        }
    }

    private func browser(_ kind: BrowserKind) async throws -> any Browser {
        if let browser = started[kind] { return browser }
        let browser = try await kind.start(trusting: authority)
        started[kind] = browser
        return browser
    }

    private func close() async {
        for browser in started.values { await browser.close() }
    }
}
