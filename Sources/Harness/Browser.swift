// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A headless Chromium, controlled over a pair of pipes by the DevTools protocol, whose messages end with a zero.
package actor Browser {
    private let directory: TemporaryDirectory
    private let pid: pid_t
    private let input: Int32
    private let output: Int32
    private var nextID = 0
    private var unread: [UInt8] = []
    private var answers: [Int: JSON] = [:]
    private var events: [JSON] = []

    package static let isInstalled = (try? Spawn.find("chromium")) != nil

    /// Runs `body` with its own browser.
    /// - Parameter authority: The file of an authority that the browser trusts, besides those of the system.
    package static func with(
        trusting authority: String? = nil, _ body: (Browser) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        if let authority { try await trust(authority, in: directory) }
        let browser = try Browser(directory, hasOwnHome: authority != nil)
        do {
            try await body(browser)
        } catch {
            await browser.close()
            throw error
        }
        await browser.close()
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

    private init(_ directory: TemporaryDirectory, hasOwnHome: Bool) throws {
        self.directory = directory
        let pipes = (directory.file("in"), directory.file("out"))
        guard mkfifo(pipes.0, 0o600) == 0, mkfifo(pipes.1, 0o600) == 0 else { throw Failed("mkfifo: error \(errno)") }
        // Opened for both directions, so that neither open waits for the other end.
        input = Glibc.open(pipes.0, O_RDWR | O_CLOEXEC)
        output = Glibc.open(pipes.1, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        let options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--no-first-run", "--disable-background-networking", "--disable-extensions", "--mute-audio",
            "--force-device-scale-factor=1", "--remote-debugging-pipe", "--user-data-dir=\(directory.file("profile"))",
            "--lang=en-US", "about:blank",
        ]
        let home = hasOwnHome ? "HOME='\(directory.path)' " : ""
        let line = ([try Spawn.find("chromium")] + options).map { "'\($0)'" }.joined(separator: " ")
        pid = try Spawn.start(
            ["/bin/sh", "-c", "\(home)exec \(line) 3<'\(pipes.0)' 4>'\(pipes.1)'"],
            output: directory.file("log"))
    }

    private func close() async {
        kill(-pid, SIGKILL)
        try? await eventually("end of the browser") { Spawn.reap(self.pid) != nil }
        Glibc.close(input)
        Glibc.close(output)
    }

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
        return processes.reduce(0) { sum, process in
            // A process that has ended has no file.
            guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let name = stat.lastIndex(of: ")")
            else { return sum }
            // From the third field on: state, parent, group, session; user and system time are the 14th and 15th.
            let fields = stat[name...].split(separator: " ").dropFirst().map { Int($0) ?? 0 }
            return fields.count > 12 && fields[3] == Int(pid) ? sum + fields[11] + fields[12] : sum
        }
    }

    /// Opens a page.
    /// - Parameters:
    ///   - width: The width of the window, in CSS pixels.
    ///   - height: Its height.
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

    /// Calls a method of the DevTools protocol.
    @discardableResult
    package func call(_ method: String, _ parameters: JSON = [:], session: String? = nil) async throws -> JSON {
        nextID += 1
        let id = nextID
        var message: JSON = ["method": .string(method), "params": parameters]
        message.id = .number(Int64(id))
        if let session { message.sessionId = .string(session) }
        let bytes = message.bytes + [0]
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failed("the browser takes nothing: error \(errno)") }
            sent += count
        }
        try await eventually("\(method) is answered") {
            try self.read()
            return self.answers[id] != nil
        }
        let answer = answers.removeValue(forKey: id) ?? .null
        if let problem = answer.error.message.text { throw Failed("\(method): \(problem)") }
        return answer.result
    }

    /// Returns the events of a page, oldest first.
    package func events(_ method: String, of session: String) throws -> [JSON] {
        try read()
        return events.filter { $0.method.text == method && $0.sessionId.text == session }.map(\.params)
    }

    private func read() throws {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(output, &chunk, chunk.count)
            guard count > 0 else { break }
            unread += chunk[..<count]
        }
        if let status = Spawn.reap(pid) { throw Failed("the browser has ended (\(status)): \(directory.read("log"))") }
        while let end = unread.firstIndex(of: 0) {
            let message = try JSON(Array(unread[..<end]))
            unread.removeSubrange(...end)
            if let id = message.id.int {
                answers[Int(id)] = message
            } else if message.sessionId != .null {
                events.append(message)
            }
        }
    }
}

package struct Page: Sendable {
    package let browser: Browser
    package let session: String
    package let target: JSON
    package let context: JSON

    @discardableResult
    package func call(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await browser.call(method, parameters, session: session)
    }

    /// Returns exceptions, console output and log entries.
    /// - Parameter ofNetwork: Whether to include failed requests.
    package func problems(ofNetwork: Bool = true) async throws -> [String] {
        let thrown = try await browser.events("Runtime.exceptionThrown", of: session)
        let written = try await browser.events("Runtime.consoleAPICalled", of: session)
        let logged = try await browser.events("Log.entryAdded", of: session).map(\.entry)
            .filter { ofNetwork || $0.source != "network" }
        return (thrown + written + logged).map { "\($0)" }
    }

    /// Returns the addresses that the page has requested.
    package func requests() async throws -> [String] {
        try await browser.events("Network.requestWillBeSent", of: session).compactMap(\.request.url.text)
    }

    package func resize(width: Int64, height: Int64) async throws {
        try await call(
            "Emulation.setDeviceMetricsOverride",
            ["width": .number(width), "height": .number(height), "deviceScaleFactor": 1, "mobile": false])
    }

    /// Returns the value of an expression, which may be a promise.
    package func value(_ expression: String) async throws -> JSON {
        let answer = try await call(
            "Runtime.evaluate",
            ["expression": .string(expression), "returnByValue": true, "awaitPromise": true])
        if let problem = answer.exceptionDetails.exception.description.text { throw Failed(problem) }
        return answer.result.value
    }

    /// Returns the text of an element.
    package func text(_ id: String) async throws -> String {
        try await value("document.getElementById('\(id)').textContent.trim()").text ?? ""
    }

    package func eventually(_ what: String, _ expression: String, file: String = #fileID, line: Int = #line)
        async throws
    {
        do {
            try await Harness.eventually(what, file: file, line: line) { try await value(expression) == true }
        } catch let error as TimedOut {
            let page = try? await value("document.documentElement.className + '\\n' + document.body.innerText")
            throw Failed("\(error); the page is \(page?.text ?? "gone")")
        }
    }

    /// Waits until the page shows a status.
    package func waitUntilDrawn(_ status: String, file: String = #fileID, line: Int = #line) async throws {
        try await eventually(
            "the page shows \(status)",
            "!!document.documentElement?.classList.contains('\(status)') && document.documentElement.style.fontSize != ''",
            file: file, line: line)
    }

    /// Waits until the page shows a session.
    package func waitFor(session: String, file: String = #fileID, line: Int = #line) async throws {
        try await eventually(
            "the page shows \(session)", "typeof entry === 'object' && !!entry && entry.session === '\(session)'",
            file: file, line: line)
    }

    /// Clicks on an element as soon as it is enabled, in view and at rest.
    ///
    /// A page that redraws between the press and the release swallows the click, which is then repeated.
    package func click(_ selector: String, file: String = #fileID, line: Int = #line) async throws {
        let resting = """
            (async () => {
                const find = () => document.querySelector(`\(selector)`);
                const middle = () => {
                    const box = find()?.getBoundingClientRect();
                    return box && [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
                };
                find()?.scrollIntoView({ block: "nearest" });
                const before = middle();
                await new Promise((done) => setTimeout(done, 20));
                const element = find(), place = middle();
                if (!before || !element || element.disabled || String(place) !== String(before)) return null;
                if (!element.contains(document.elementFromPoint(...place))) return null;
                window.clicks = 0;
                element.addEventListener("click", () => window.clicks++, { capture: true, once: true });
                return place;
            })()
            """
        try await Harness.eventually("a click on \(selector)", file: file, line: line) {
            let place = try await value(resting)
            guard place[0] != .null else { return false }
            for type in ["mousePressed", "mouseReleased"] {
                try await call(
                    "Input.dispatchMouseEvent",
                    ["type": .string(type), "x": place[0], "y": place[1], "button": "left", "clickCount": 1])
            }
            // A click may have led to another page.
            return try await value("window.clicks") != 0
        }
    }

    /// Returns a screenshot as a PNG file.
    package func picture() async throws -> [UInt8] {
        let answer = try await call("Page.captureScreenshot", ["format": "png"])
        return Data(base64Encoded: answer.data.text ?? "").map { [UInt8]($0) } ?? []
    }

    package func close() async throws {
        try await browser.call("Target.closeTarget", ["targetId": target])
    }
}
