// SPDX-License-Identifier: Apache-2.0

/// The page for a link that no longer pairs a phone.
package enum SpentPairingPage {
    package static func html(_ strings: Strings) -> String {
        let title = Markup.escaped(strings[.linkOver])
        let advice = Markup.escaped(strings.text(.linkAgain, ["command": .userText("lockstep phone add")]))
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
            <p>\(advice)</p>
            </main>
            </body>
            </html>

            """
    }
}
