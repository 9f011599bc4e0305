// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A headless Chromium, controlled by the DevTools protocol.
package actor Chromium: Browser {
    private let process: BrowserProcess
    private let conversation: Conversation

    /// - Parameter authority: The file of an authority that it trusts, besides those of the system.
    init(trusting authority: String?) async throws {
        let directory = try TemporaryDirectory()
        if let authority { try await Self.trust(authority, in: directory) }
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--no-first-run", "--disable-background-networking", "--disable-extensions", "--mute-audio",
            "--force-device-scale-factor=1", "--remote-debugging-port=0",
            "--user-data-dir='\(directory.file("profile"))'", "--lang=en-US", "about:blank",
        ]
        process = try BrowserProcess("exec chromium \(options.joined(separator: " "))", in: directory)
        conversation = try await Conversation(with: process)
    }

    /// Makes the database of certificates that Chromium reads in its home folder.
    private static func trust(_ authority: String, in home: TemporaryDirectory) async throws {
        let database = home.file(".pki/nssdb")
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        let certutil = try Spawn.find("certutil")
        try await Spawn.run([certutil, "-N", "-d", "sql:\(database)", "--empty-password"], in: home)
        try await Spawn.run(
            [certutil, "-A", "-d", "sql:\(database)", "-n", "authority", "-t", "C,,", "-i", authority], in: home)
    }

    func close() async { await process.end() }

    /// Waits until its processes are idle after windows opened or closed.
    package func waitUntilIdle() async throws {
        var before = try ticks()
        var since = ContinuousClock.now
        try await eventually("a browser at rest") {
            guard .now - since > .milliseconds(200) else { return false }
            defer { since = .now }
            let ticks = try self.ticks()
            defer { before = ticks }
            return (0...1).contains(ticks - before)
        }
    }

    /// The processor time of its processes, in hundredths of a second.
    private func ticks() throws -> Int {
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
        return processes.reduce(0) { sum, id in
            // A process that has ended has no file.
            guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let name = stat.lastIndex(of: ")")
            else { return sum }
            // From the third field on: state, parent, group, session; user and system time are the 14th and 15th.
            let fields = stat[name...].split(separator: " ").dropFirst().map { Int($0) ?? 0 }
            return fields.count > 12 && fields[3] == Int(process.pid) ? sum + fields[11] + fields[12] : sum
        }
    }

    func open(_ url: String, width: Int64, height: Int64) async throws -> any WebPage {
        try await open(url, width: width, height: height, beside: nil)
    }

    /// - Parameters:
    ///   - other: A page whose cookies and storage it shares; by default it has its own.
    ///   - script: Runs in the page before its own scripts.
    package func open(
        _ url: String, width: Int64 = 800, height: Int64 = 480, beside other: Page? = nil, script: String = ""
    ) async throws -> Page {
        // In its own context, since a browser has six connections to a server and a page keeps one; in its own window,
        // since a page behind another one does not draw.
        let context =
            if let other { other.context } else { try await call("Target.createBrowserContext").browserContextId }
        let target = try await call(
            "Target.createTarget",
            ["url": "about:blank", "newWindow": true, "browserContextId": context])
        let attached = try await call(
            "Target.attachToTarget", ["targetId": target.targetId, "flatten": true])
        let page = Page(
            browser: self, session: attached.sessionId.text ?? "", target: target.targetId, context: context)
        try await page.resize(width: width, height: height)
        for domain in ["Page", "Runtime", "Log", "Network"] { try await page.call("\(domain).enable") }
        try await page.call("Page.addScriptToEvaluateOnNewDocument", ["source": .string(script)])
        try await page.call("Page.navigate", ["url": .string(url)])
        return page
    }

    @discardableResult
    package func call(_ method: String, _ parameters: JSON = [:], session: String? = nil) async throws -> JSON {
        try await conversation.call(method, parameters, session: session)
    }

    /// Returns the events of a page, oldest first.
    package func events(_ method: String, of session: String) async throws -> [JSON] {
        try await conversation.events(method).filter { $0.sessionId.text == session }.map(\.params)
    }
}

/// A page in Chromium.
package struct Page: WebPage {
    package let browser: Chromium
    package let session: String
    package let target: JSON
    package let context: JSON

    @discardableResult
    package func call(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await browser.call(method, parameters, session: session)
    }

    package func problems(includingNetwork: Bool = true) async throws -> [String] {
        let thrown = try await browser.events("Runtime.exceptionThrown", of: session)
        let written = try await browser.events("Runtime.consoleAPICalled", of: session)
        let logged = try await browser.events("Log.entryAdded", of: session).map(\.entry)
            .filter { includingNetwork || $0.source != "network" }
        return (thrown + written + logged).map { "\($0)" }
    }

    package func requests() async throws -> [String] {
        try await browser.events("Network.requestWillBeSent", of: session).compactMap(\.request.url.text)
    }

    package func resize(width: Int64, height: Int64) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            ["width": .number(width), "height": .number(height), "deviceScaleFactor": 1, "mobile": false])
    }

    package func value(_ expression: String) async throws -> JSON {
        let answer: JSON
        do {
            answer = try await call(
                "Runtime.evaluate",
                ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
        } catch let error as Failed where error.description.contains("target navigated") {
            return .null
        }
        if let problem = answer.exceptionDetails.exception.description.text { throw Failed(problem) }
        return answer.result.value
    }

    package func click(x: Int64, y: Int64) async throws {
        for type in ["mousePressed", "mouseReleased"] {
            try await call(
                "Input.dispatchMouseEvent",
                ["type": .string(type), "x": .number(x), "y": .number(y), "button": "left", "clickCount": 1])
        }
    }

    package func type(_ text: String) async throws { try await call("Input.insertText", ["text": .string(text)]) }
    package func reload() async throws { try await call("Page.reload") }
    package func picture() async throws -> [UInt8] { try await call("Page.captureScreenshot").data.base64 }

    package func close() async throws {
        try await browser.call("Target.closeTarget", ["targetId": target])
    }
}
