// SPDX-License-Identifier: Apache-2.0

@testable import Display

/// A strict parser for SVG files: anything that is not well-formed XML is an error.
struct SVGFile {
    struct Malformed: Error, CustomStringConvertible {
        var description: String
    }

    /// A line of text in the picture.
    struct Line {
        var text: String
        var attributes: [String: String]
        var isMonospaced: Bool

        var y: Double { Double(attributes["y"] ?? "") ?? -1 }

        /// Its estimated horizontal extent.
        var box: ClosedRange<Double> {
            let measure = TextMeasure(isBold: attributes["font-weight"] != nil, isMonospaced: isMonospaced)
            let width = measure.width(text) * (Double(attributes["font-size"] ?? "") ?? 0)
            let x = Double(attributes["x"] ?? "") ?? -1
            let begins =
                switch (attributes["text-anchor"], attributes["direction"]) {
                case ("middle", _): x - width / 2
                case ("start", "rtl"), ("end", "ltr"): x - width
                default: x
                }
            return begins...begins + width
        }
    }

    /// An element without text.
    struct Shape {
        var name: String
        var attributes: [String: String]

        var kind: [Substring] { (attributes["class"] ?? "").split(separator: " ") }
        subscript(length: String) -> Double { Double(attributes[length] ?? "") ?? .nan }
    }

    private(set) var elements: [String] = []
    private(set) var shapes: [Shape] = []
    private(set) var texts: [Line] = []
    private(set) var colours: Set<String> = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ file: String) throws {
        var rest = Substring(file)
        var open: [(name: String, attributes: [String: String], text: String)] = []
        while let angle = rest.firstIndex(of: "<") {
            let text = try Self.unescaped(rest[..<angle])
            if open.isEmpty {
                guard text.allSatisfy(\.isWhitespace) else { throw Malformed(description: "text outside: \(text)") }
            } else {
                open[open.count - 1].text += text
            }
            guard let end = rest[angle...].firstIndex(of: ">") else { throw Malformed(description: "no > in \(rest)") }
            var tag = rest[rest.index(after: angle)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.first == "/" {
                guard let element = open.popLast(), element.name == tag.dropFirst() else {
                    throw Malformed(description: "</\(tag)> closes nothing")
                }
                close(element)
                continue
            }
            let isEmpty = tag.last == "/"
            if isEmpty { tag.removeLast() }
            let name = String(tag.prefix { $0.isLetter })
            let attributes = try Self.attributes(tag.dropFirst(name.count))
            elements.append(name)
            if isEmpty { shapes.append(Shape(name: name, attributes: attributes)) }
            take(name, attributes)
            open.append((name, attributes, ""))
            if isEmpty { open.removeLast() }
        }
        guard open.isEmpty, rest.allSatisfy(\.isWhitespace), elements.first == "svg" else {
            throw Malformed(description: "unfinished: \(open.map(\.name))")
        }
        for index in texts.indices { texts[index].isMonospaced = file.contains("ui-monospace") }
    }

    private mutating func take(_ name: String, _ attributes: [String: String]) {
        for paint in ["fill", "stroke"] {
            if let colour = attributes[paint], colour != "none" { colours.insert(colour) }
        }
        guard name == "svg" else { return }
        let box = (attributes["viewBox"] ?? "").split(separator: " ").compactMap { Double($0) }
        if box.count == 4 { (width, height) = (box[2], box[3]) }
    }

    private mutating func close(_ element: (name: String, attributes: [String: String], text: String)) {
        guard element.name == "text" else { return }
        texts.append(Line(text: element.text, attributes: element.attributes, isMonospaced: false))
    }

    private static func attributes(_ text: Substring) throws -> [String: String] {
        var attributes: [String: String] = [:]
        var rest = text.drop(while: \.isWhitespace)
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "="), rest[equals...].dropFirst().first == "\"" else {
                throw Malformed(description: "attribute in \(text)")
            }
            let name = String(rest[..<equals])
            let value = rest[equals...].dropFirst(2)
            guard let end = value.firstIndex(of: "\""), attributes[name] == nil else {
                throw Malformed(description: "attribute \(name) in \(text)")
            }
            attributes[name] = try unescaped(value[..<end])
            rest = value[end...].dropFirst().drop(while: \.isWhitespace)
        }
        return attributes
    }

    private static func unescaped(_ text: Substring) throws -> String {
        let isAllowed = text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }
        guard isAllowed, !text.unicodeScalars.contains(where: { $0.value & 0xFFFE == 0xFFFE && $0.value < 0x10000 })
        else { throw Malformed(description: "character that XML forbids in \(text)") }
        var result = ""
        var rest = text.unicodeScalars[...]
        while let next = rest.popFirst() {
            guard next == "&" else {
                result.unicodeScalars.append(next)
                continue
            }
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }))
            let known = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "#39": "'"]
            guard let character = known[name] else { throw Malformed(description: "&\(name) in \(text)") }
            result += character
            rest = rest.dropFirst(name.unicodeScalars.count + 1)
        }
        return result
    }
}
