// SPDX-License-Identifier: Apache-2.0

/// A page of a title and a paragraph, without script.
package enum MessagePage {
    /// Returns the page for a link that no longer pairs a phone.
    package static func spentPairing(_ strings: Strings) -> String {
        let command: Localized = .userText("lockstep phone add")
        return html(strings[.linkOver], strings.text(.linkAgain, ["command": command]), strings)
    }

    /// Returns a page in the language of the strings.
    package static func html(_ title: Localized, _ text: Localized, _ strings: Strings = .english) -> String {
        let title = Markup.escaped(title)
        return """
            <!DOCTYPE html>
            <html lang="\(strings.language)" dir="\(strings.isRightToLeft ? "rtl" : "ltr")">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="dark light">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p>\(Markup.escaped(text))</p>
            </main>
            </body>
            </html>

            """
    }
}
