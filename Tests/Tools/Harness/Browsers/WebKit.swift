// SPDX-License-Identifier: Apache-2.0

import Glibc

/// WebKitGTK's MiniBrowser on an X server without a screen, controlled by WebDriver. It has one window.
actor WebKit: Browser {
    /// With the usual spaces in its toolbar the window cannot be as narrow as a phone.
    private static let style = "* { min-width: 0; padding: 0; margin: 0; border-width: 0 }"
    private let process: BrowserProcess
    private let port: Int
    private var session = ""

    init() async throws {
        port = Port.free()
        process = try BrowserProcess(
            """
            mkdir -p "$HOME/.config/gtk-3.0"; echo '\(Self.style)' >"$HOME/.config/gtk-3.0/gtk.css"; \
            Xvfb -displayfd 1 -screen 0 2000x2000x24 -nolisten tcp >"$HOME/display" & \
            until [ -s "$HOME/display" ]; do kill -0 $! && sleep 0.02 || exit; done; \
            DISPLAY=:$(cat "$HOME/display") exec WebKitWebDriver --port=\(port)
            """, in: TemporaryDirectory())
        try await eventually("WebKitWebDriver listens") {
            try process.check()
            return Port.answers(port)
        }
        session = try await call("POST", "/session", ["capabilities": [:]]).sessionId.text ?? ""
    }

    /// X and the browser remove their files at `SIGTERM`.
    func close() async { await process.end(by: SIGTERM) }

    func open(_ url: String, width: Int64, height: Int64) async throws -> any WebPage {
        let page = WebKitPage(browser: self)
        let toolbar = try await page.value("outerHeight - innerHeight").int ?? 0
        try await post("window/rect", ["width": .number(width), "height": .number(height + toolbar)])
        try await page.eventually(
            "a window of \(width) × \(height)", "innerWidth === \(width) && innerHeight === \(height)")
        try await post("url", ["url": .string(url)])
        return page
    }

    @discardableResult
    fileprivate func post(_ command: String, _ parameters: JSON = [:]) async throws -> JSON {
        try await call("POST", "/session/\(session)/\(command)", parameters)
    }

    fileprivate func get(_ command: String) async throws -> JSON {
        try await call("GET", "/session/\(session)/\(command)")
    }

    private func call(_ method: String, _ path: String, _ parameters: JSON? = nil) async throws -> JSON {
        let body = parameters?.bytes ?? []
        let socket = try Socket(to: port)
        try socket.send(method, path, port: port, ["Connection: close", "Content-Length: \(body.count)"], body: body)
        var response: [UInt8] = []
        try await eventually("\(path) is answered") {
            try process.check()
            return socket.receive(into: &response)
        }
        guard Socket.takeHead(of: &response) != nil else { throw Failed("\(path) has no answer: \(process.log)") }
        let value = try JSON(response).value
        if let problem = value.error.text { throw Failed("\(path): \(problem): \(value.message.text ?? "")") }
        return value
    }
}

private struct WebKitPage: WebPage {
    let browser: WebKit

    func value(_ expression: String) async throws -> JSON {
        let script = """
            \(WebDriver.promise(of: expression)).then(arguments[0], (error) => arguments[0]({ problem: String(error) }))
            """
        let answer = try await browser.post("execute/async", ["script": .string(script), "args": []])
        guard let text = answer.text else { throw Failed(answer.problem.text ?? "no value") }
        return try JSON(text)
    }

    func click(x: Int64, y: Int64) async throws {
        try await browser.post("actions", ["actions": WebDriver.click(x: x, y: y)])
    }

    func type(_ text: String) async throws {
        try await browser.post("actions", ["actions": WebDriver.type(text)])
    }

    func reload() async throws { try await browser.post("refresh") }
    func picture() async throws -> [UInt8] { try await browser.get("screenshot").base64 }
    func close() async throws { try await browser.post("url", ["url": "about:blank"]) }
}
