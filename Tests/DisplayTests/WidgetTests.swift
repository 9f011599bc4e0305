// SPDX-License-Identifier: Apache-2.0

import API
import Session
import Support
import Testing
import Wire

@testable import Display

@Suite(.timeLimit(.minutes(15))) struct WidgetTests {
    private static let arabic =
        #"{"language": "ar", "name": "x", "direction": "rtl", "strings": {"endsAt": "ينتهي {time}"}}"#

    private static func strings(isRightToLeft: Bool) throws -> Strings {
        isRightToLeft ? try Strings(catalogue: Array(arabic.utf8)) : .english
    }

    private static func screen(
        _ register: Register?, at boot: BootTime = 375_000, face: Face = .focus, error: Milliseconds? = 0,
        lostAt: BootTime? = nil,
        strings: Strings = .english
    ) -> Screen {
        let options = ScreenOptions(strings: strings, calm: makeCalmFeed(85, .rising), debtMinutes: 120)
        return Screen(makeView(register, error: error, lostAt: lostAt), at: boot, face: face, options: options)
    }

    private static func states(title: String = "Reading", label: Label? = nil) -> [String: Screen?] {
        let looks: [(String, Register?, BootTime?)] = [
            ("idle", nil, nil), ("running", makeRegister(label: label, title: title), nil),
            ("paused", makeRegister(status: .paused, elapsed: 375_000, label: label, title: title), nil),
            ("ready", makeRegister(status: .ready, label: label, title: title), nil),
            ("stale", makeRegister(label: label, title: title), 0),
            ("completed", makeRegister(status: .completed, elapsed: 1_500_000, label: label, title: title), nil),
            ("superseded", makeRegister(status: .superseded, label: label, title: title), nil),
            ("countup", makeRegister(label: label, title: title, mode: .countup), nil),
        ]
        return Dictionary(
            uniqueKeysWithValues: looks.map { name, register, lostAt in
                let isEnding = name == "completed" || name == "superseded"
                return (name, screen(register, at: isEnding ? 1_000 : 375_000, lostAt: lostAt))
            })
    }

    private static func pictures(_ screen: Screen, _ options: WidgetOptions) -> [String] {
        [Widgets.circular(screen, options: options), Widgets.rectangular(screen, options: options)]
    }

    // MARK: Content

    @Test func everyStateLooksDifferent() {
        let options = WidgetOptions()
        for look in [Widgets.circular, Widgets.rectangular, Widgets.inline] {
            let pictures = Self.states().compactMap(\.value).map { look($0, options) }
            #expect(Set(pictures).count == pictures.count)
        }
    }

    @Test func sizeFollowsTheParameters() throws {
        func head(_ query: Query) throws -> String {
            let svg = Widgets.rectangular(Self.screen(makeRegister()), options: try WidgetOptions(query: query))
            return String(svg.prefix { $0 != "\n" })
        }
        #expect(try head([:]).contains(#"width="172" height="76" viewBox="0 0 172 76""#))
        #expect(try head(["width": "344"]).contains(#"width="344" height="152" viewBox="0 0 172 76""#))
        #expect(try head(["height": "38"]).contains(#"width="86" height="38" viewBox="0 0 172 76""#))
        #expect(try head(["scale": "2.5"]).contains(#"width="430" height="190" viewBox="0 0 172 76""#))
        #expect(try head(["scale": "2", "width": "100", "height": "50"]).contains(#"width="200" height="100""#))
        #expect(try head(["width": "600", "height": "600"]).contains(#"viewBox="0 0 172 172""#))
        #expect(try head(["width": "16", "height": "4096"]).contains(#"width="16" height="4096""#))
        #expect(try head(["width": "4096"]).contains(#"width="4096" height="1810""#))
    }

    @Test func invalidParameterIsNamed() {
        func error(_ query: Query) -> String {
            do throws(RequestError) {
                _ = try WidgetOptions(query: query)
                return ""
            } catch {
                return "\(error)"
            }
        }
        #expect(error(["width": "15"]) == "width: “15” is not a whole number from 16 to 4096")
        #expect(error(["height": "4097"]).hasPrefix("height: "))
        #expect(error(["scale": "nan"]).hasPrefix("scale: "))
        #expect(error(["colour": "#12"]).hasPrefix("colour: “#12” is not a colour; a colour is "))
        #expect(error(["color": "reddish"]).hasPrefix("color: "))
        #expect(error(["color": "red"]) == "")
        #expect(error(["background": ""]).hasPrefix("background: "))
        #expect(error(["face": "smile"]) == "face: “smile” is not one of boring, focus, calm, phases")
        #expect(error(["eink": "maybe"]).hasPrefix("eink: "))
        #expect(error(["eink": "on"]) == "")
        #expect(error(["eink": "1", "lang": "de", "time": "17", "cache": "1", "_": "2"]) == "")
        #expect(error(["eInk": "1"]) == "eInk: there is no such parameter; similar: eink")
        #expect(error(["colours": "red"]) == "colours: there is no such parameter; similar: colour")
    }

    // MARK: Colours

    @Test func coloursFollowTheParameters() throws {
        let options = try WidgetOptions(query: ["color": "f0a", "background": "#10203080"])
        for svg in Self.pictures(Self.screen(makeRegister()), options) {
            #expect(svg.contains(##"="#ff00aa""##))
            #expect(svg.contains(##"fill="#102030" fill-opacity="0.5""##), "not every converter reads eight digits")
            #expect(!svg.contains(Tint.focus.description))
        }
        let label = Label(name: "Study", colour: Colour(red: 0x4C, green: 0x8D, blue: 0xFF))
        for svg in Self.pictures(Self.screen(makeRegister(label: label)), WidgetOptions()) {
            #expect(svg.contains("#4c8dff"))
        }
        let rest = Self.screen(makeRegister([Phase(kind: .shortBreak, seconds: 600)]))
        for svg in Self.pictures(rest, WidgetOptions()) { #expect(svg.contains(Tint.rest.description)) }
    }

    @Test func boringWidgetHasThreeColoursAndNoWord() throws {
        var options = WidgetOptions()
        options.face = .boring
        for (name, lostAt) in [("running", nil), ("stale", BootTime(0))] {
            let label = Label(name: "Study", colour: Colour(red: 1, green: 2, blue: 3))
            let screen = Self.screen(
                makeRegister(label: label, title: "Reading"), face: .boring, error: nil, lostAt: lostAt)
            for svg in Self.pictures(screen, options) {
                let file = try SVGFile(svg)
                #expect(file.colours.isSubset(of: ["#0a0a0a", "#888888", "#444444"]), "\(name)")
                #expect(Set(file.texts.map(\.text)).isSubset(of: ["18:45", "-120m"]))
                #expect(Set(file.elements).isSubset(of: ["svg", "circle", "rect", "text"]))
            }
            #expect(Widgets.inline(screen, options: options) == "18:45\n")
        }
        #expect(try SVGFile(Widgets.rectangular(Self.screen(nil, face: .boring), options: options)).texts.isEmpty)
        let debt = try SVGFile(Widgets.debt(minutes: 150, options: options))
        #expect(debt.colours == ["#0a0a0a", "#888888", "#444444"])
        #expect(debt.texts.map(\.text) == ["-2h30m", "Debt this week"])
    }

    @Test(arguments: [(nil, "–"), (30, "-30m"), (120, "-120m"), (150, "-2h30m"), (-45, "+45m"), (0, "0m")])
    func debtWidgetShowsTheDebt(minutes: Int?, text: String) throws {
        #expect(Widgets.debtLine(minutes: minutes) == text + "\n")
        let texts = try SVGFile(Widgets.debt(minutes: minutes, options: WidgetOptions())).texts.map(\.text)
        // Time beyond the goal is no debt.
        #expect(texts == [text, (minutes ?? 0) > 0 ? "Debt this week" : "This week"])
    }

    // MARK: E-ink

    @Test func eInkIsBlackAndWhiteWithoutSeconds() throws {
        var options = WidgetOptions()
        options.isEInk = true
        options.colour = .grey
        for (name, screen) in Self.states() {
            for face in Face.allCases {
                guard var screen else { continue }
                screen.face = face
                let later = name == "stale" ? " ago" : ""
                for svg in Self.pictures(screen, options) {
                    let file = try SVGFile(svg)
                    #expect(file.colours.isSubset(of: ["#000000", "#ffffff"]), "\(name) \(face)")
                    #expect(!svg.contains("opacity"))
                    for text in file.texts where later.isEmpty || !text.text.hasSuffix(later) {
                        #expect(!Self.countsSeconds(text.text), "\(name) \(face) \(text.text)")
                    }
                }
                #expect(!Self.countsSeconds(Widgets.inline(screen, options: options)))
            }
        }
        let ends = try SVGFile(Widgets.rectangular(Self.screen(makeRegister(title: "Reading")), options: options))
        #expect(ends.texts.map(\.text) == ["Reading", "Focus in progress", "ends 08:25"])
        let circle = try SVGFile(Widgets.circular(Self.screen(makeRegister(title: "Reading")), options: options))
        #expect(circle.texts.map(\.text) == ["→08:25"], "a bare time of day reads like the time that is left")
        let stale = Self.screen(makeRegister(title: "Reading"), at: 45_000, lostAt: 0)
        let file = try SVGFile(Widgets.rectangular(stale, options: options))
        #expect(file.texts.map(\.text) == ["Reading", "Last heard 1 min ago", "ends 08:25"])
        #expect(
            Widgets.inline(Self.screen(makeRegister(title: "Reading")), options: options) == "⏳ Reading ends 08:25\n")
        let paused = Self.screen(makeRegister(status: .paused, elapsed: 30_500, title: "Reading"))
        #expect(Widgets.inline(paused, options: options) == "‖ Reading 25m\n")
        // The picture stays correct until the session changes.
        let soon = Self.screen(makeRegister(title: "Reading"), at: 376_000)
        #expect(Self.pictures(soon, options) == Self.pictures(Self.screen(makeRegister(title: "Reading")), options))
    }

    /// Returns whether a text has a running time: any colon except in the end of the sample, 08:25.
    private static func countsSeconds(_ text: String) -> Bool { text.replacing("08:25", with: "").contains(":") }

    // MARK: User text

    @Test func inlineWidgetIsOneLine() {
        let label = Label(name: "Study")
        let text = { (screen: Screen) in Widgets.inline(screen, options: WidgetOptions()) }
        #expect(text(Self.screen(makeRegister(label: label, title: "Reading"))) == "⏳ Study 18:45\n")
        #expect(text(Self.screen(makeRegister(title: "Tea"), face: .calm)) == "⏳ Tea 85% 18:45\n")
        #expect(text(Self.screen(makeRegister(title: "Tea"), error: nil)) == "⏳ Tea ≈18:45\n")
        #expect(text(Self.screen(makeRegister(title: "Tea"), lostAt: 0)) == "⏳! Tea 18:45\n")
        #expect(text(Self.screen(nil)) == "There is no session\n")
    }

    @Test func userTextIsEscaped() throws {
        let title = "<b>&\"'\u{FFFE}</b>"
        let file = try SVGFile(Widgets.rectangular(Self.screen(makeRegister(title: title)), options: WidgetOptions()))
        #expect(file.texts.first?.text == "<b>&\"'</b>")
        #expect(!file.elements.contains("b"))
    }

    @Test func rightToLeftWidgetIsMirrored() throws {
        let options = WidgetOptions(strings: try Self.strings(isRightToLeft: true))
        let screen = Self.screen(makeRegister(title: "قراءة"), strings: options.strings)
        let file = try SVGFile(Widgets.rectangular(screen, options: options))
        let heading = try #require(file.texts.first)
        #expect(heading.attributes["direction"] == "rtl")
        #expect(heading.attributes["x"] == "130", "it begins left of the icon, which is at the right")
        #expect(heading.box.upperBound == 130)
        let time = try #require(file.texts.first { $0.text == "18:45" })
        #expect(time.attributes["direction"] == "ltr")
        #expect(time.attributes["text-anchor"] == "end")
        // In a left-to-right language an Arabic title has the usual place.
        let english = try SVGFile(
            Widgets.rectangular(Self.screen(makeRegister(title: "قراءة")), options: WidgetOptions()))
        #expect(english.texts.first?.attributes["x"] == "42")
        #expect(english.texts.first?.attributes["direction"] == "rtl")
        #expect(english.texts.first?.attributes["text-anchor"] == "end")
    }

    /// Titles of any kind at any size give well-formed pictures without overflow or overlap.
    @Test(arguments: 0..<60) func textsStayWithinThePicture(seed: Int) throws {
        var dice = Random(seed: UInt64(seed))
        let letters = Array("abcWMi <>&\"'éßЖقراءةשלום日本語한글😀👨‍👩‍👧🇩🇪ﷺ\u{200D}…0123:%")
        func words(_ count: Int) -> String {
            String((0..<count).compactMap { _ in letters.randomElement(using: &dice) })
        }
        let plan = [Phase(kind: .focus, name: words(12), seconds: 5_400), Phase(kind: .focus, seconds: 60)]
        let colour = Colour(red: 10, green: .random(in: 0...255, using: &dice), blue: 80)
        let statuses: [Status] = [.running, .paused, .ready, .completed, .superseded]
        for face in Face.allCases {
            var register = makeRegister(
                plan, status: statuses.randomElement(using: &dice) ?? .running,
                label: Bool.random(using: &dice) ? Label(name: words(9), colour: colour) : nil,
                title: words(.random(in: 0...40, using: &dice)))
            register.icon = Bool.random(using: &dice) ? words(4) : nil
            let strings = try Self.strings(isRightToLeft: Bool.random(using: &dice))
            let screen = Self.screen(
                register, at: BootTime(.random(in: 0...4_000, using: &dice)), face: face,
                error: Bool.random(using: &dice) ? nil : 0, strings: strings)
            var options = WidgetOptions(strings: strings)
            options.width = .random(in: 16...900, using: &dice)
            options.height = .random(in: 16...900, using: &dice)
            options.isEInk = Bool.random(using: &dice)
            for svg in Self.pictures(screen, options) {
                let file = try SVGFile(svg)
                for (index, text) in file.texts.enumerated() {
                    #expect(text.box.lowerBound >= -0.1, "\(text)")
                    #expect(text.box.upperBound <= file.width + 0.1, "\(text)")
                    #expect((0...file.height).contains(text.y))
                    for other in file.texts[(index + 1)...] where abs(other.y - text.y) < 6 {
                        #expect(!text.box.overlaps(other.box), "\(text) \(other)")
                    }
                }
            }
        }
    }
}
