// SPDX-License-Identifier: Apache-2.0

/// A headless Firefox, controlled by WebDriver BiDi.
actor Firefox: Browser {
    private let process: BrowserProcess
    private let conversation: Conversation

    init() async throws {
        let directory = try TemporaryDirectory()
        process = try BrowserProcess(
            "exec firefox-esr --headless --remote-debugging-port 0 --profile '\(directory.path)'", in: directory)
        conversation = try await Conversation(with: process, suffix: "/session")
        try await conversation.call("session.new", ["capabilities": [:]])
    }

    func close() async { await process.end() }

    /// Opens a page with cookies and storage of its own.
    func open(_ url: String, width: Int64, height: Int64) async throws -> any WebPage {
        let user = try await conversation.call("browser.createUserContext").userContext
        let window = try await conversation.call("browsingContext.create", ["type": "window", "userContext": user])
        let page = FirefoxPage(conversation: conversation, context: window.context)
        try await page.call(
            "browsingContext.setViewport", ["viewport": ["width": .number(width), "height": .number(height)]])
        try await page.call("browsingContext.navigate", ["url": .string(url), "wait": "complete"])
        return page
    }
}

private struct FirefoxPage: WebPage {
    let conversation: Conversation
    let context: JSON

    @discardableResult
    func call(_ method: String, _ parameters: JSON = [:]) async throws -> JSON {
        var parameters = parameters
        parameters.context = context
        return try await conversation.call(method, parameters)
    }

    func value(_ expression: String) async throws -> JSON {
        let answer = try await conversation.call(
            "script.evaluate",
            [
                "expression": .string(WebDriver.promise(of: expression)), "target": ["context": context],
                "awaitPromise": true,
            ])
        guard let text = answer.result.value.text else {
            throw Failed(answer.exceptionDetails["text"].text ?? "no value")
        }
        return try JSON(text)
    }

    func click(x: Int64, y: Int64) async throws {
        try await call("input.performActions", ["actions": WebDriver.click(x: x, y: y)])
    }

    func type(_ text: String) async throws {
        try await call("input.performActions", ["actions": WebDriver.type(text)])
    }

    func reload() async throws { try await call("browsingContext.reload", ["wait": "complete"]) }

    func picture() async throws -> [UInt8] {
        try await call("browsingContext.captureScreenshot").data.base64
    }

    func close() async throws { try await call("browsingContext.close") }
}
