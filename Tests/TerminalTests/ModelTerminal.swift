// SPDX-License-Identifier: Apache-2.0

import Display

@testable import Terminal

/// A minimal terminal that understands only the sequences of the renderer.
struct ModelTerminal {
    struct Cell: Equatable {
        var text = " "
        var bold = false
        var faint = false
        var foreground = "39"
        var background = "49"
    }

    var cells: [[Cell]]
    var pen = Cell()
    var column = 0
    var row = 0
    /// The number of printed characters.
    var printed = 0
    var faults: [String] = []

    init(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
    }

    mutating func take(_ text: String) {
        var rest = Substring(text)
        while let character = rest.popFirst() {
            guard character == "\u{1B}" else {
                print(character)
                continue
            }
            guard rest.popFirst() == "[" else { return faults.append("escape") }
            let body = rest.prefix { !$0.isLetter }
            rest = rest.dropFirst(body.count)
            let numbers = body.split(separator: ";").compactMap { Int($0) }
            switch rest.popFirst() {
            case "H": (row, column) = (numbers[0] - 1, numbers[1] - 1)
            case "m": select(numbers)
            default: faults.append("sequence \(body)")
            }
        }
    }

    private mutating func print(_ character: Character) {
        let width = TerminalText.displayWidth(String(character))
        guard cells.indices.contains(row), column + width <= cells[row].count else {
            return faults.append("outside: \(character) at \(column), \(row)")
        }
        printed += 1
        for offset in 0..<width {
            pen.text = offset == 0 ? String(character) : ""
            cells[row][column + offset] = pen
        }
        column += width
    }

    private mutating func select(_ numbers: [Int]) {
        var rest = numbers[...]
        while let code = rest.popFirst() {
            switch code {
            case 0: pen = Cell()
            case 1: pen.bold = true
            case 2: pen.faint = true
            case 22: (pen.bold, pen.faint) = (false, false)
            case 38, 48:
                let count = rest.first == 2 ? 4 : 2
                let colour = ([code] + rest.prefix(count)).map(String.init).joined(separator: ";")
                rest = rest.dropFirst(count)
                if code == 38 { pen.foreground = colour } else { pen.background = colour }
            case 30...37, 39, 90...97: pen.foreground = "\(code)"
            case 40...47, 49, 100...107: pen.background = "\(code)"
            default: faults.append("code \(code)")
            }
        }
    }
}
