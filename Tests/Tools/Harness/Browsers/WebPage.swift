// SPDX-License-Identifier: Apache-2.0

/// A page in any browser.
package protocol WebPage: Sendable {
    /// Returns the value of an expression, which may be a promise. Chromium has `null` when the page is left meanwhile.
    func value(_ expression: String) async throws -> JSON
    /// Presses and releases the pointer at a point of the window, in CSS pixels.
    func click(x: Int64, y: Int64) async throws
    func type(_ text: String) async throws
    func reload() async throws
    /// A PNG file.
    func picture() async throws -> [UInt8]
    func close() async throws
}

extension WebPage {
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

    package func waitUntilDrawn(_ status: String, file: String = #fileID, line: Int = #line) async throws {
        try await eventually(
            "the page shows \(status)",
            "!!document.documentElement?.classList.contains('\(status)') && document.documentElement.style.fontSize != ''",
            file: file, line: line)
    }

    package func waitFor(session: String, file: String = #fileID, line: Int = #line) async throws {
        try await eventually(
            "the page shows \(session)", "typeof entry === 'object' && !!entry && entry.session === '\(session)'",
            file: file, line: line)
    }

    /// Clicks on an element as soon as it is enabled, in view and at rest. A page that redraws between the press and
    /// the release swallows the click, which is then repeated. A redraw before the press does no harm.
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
                const count = ({ target }) => { if (find()?.contains(target)) window.clicks++; };
                addEventListener("click", count, { capture: true, once: true });
                return place;
            })()
            """
        try await Harness.eventually("a click on \(selector)", file: file, line: line) {
            let place = try await value(resting)
            guard let x = place[0].int, let y = place[1].int else { return false }
            try await click(x: x, y: y)
            // A click may have led to another page.
            return try await value("window.clicks") != 0
        }
    }

    package func write(_ text: String, into selector: String) async throws {
        try await click(selector)
        _ = try await value("document.querySelector(`\(selector)`).select()")
        try await type(text)
    }
}

/// The parts that WebDriver and WebDriver BiDi have in common.
enum WebDriver {
    static func click(x: Int64, y: Int64) -> JSON {
        [
            [
                "type": "pointer", "id": "mouse",
                "actions": [
                    ["type": "pointerMove", "x": .number(x), "y": .number(y)],
                    ["type": "pointerDown", "button": 0], ["type": "pointerUp", "button": 0],
                ],
            ]
        ]
    }

    static func type(_ text: String) -> JSON {
        let keys = text.map { JSON.string(String($0)) }
        return [
            [
                "type": "key", "id": "keyboard",
                "actions": .array(
                    keys.flatMap { [["type": "keyDown", "value": $0], ["type": "keyUp", "value": $0]] }),
            ]
        ]
    }

    /// Returns an expression for a promise of the value of another one, as the text of a JSON document.
    static func promise(of expression: String) -> String {
        "(async () => JSON.stringify((await (\(expression)\n)) ?? null))()"
    }
}
