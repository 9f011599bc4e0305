// SPDX-License-Identifier: Apache-2.0

/// A key or a click.
enum TerminalInput: Hashable, Sendable {
    case key(Character)
    /// The left mouse button was pressed at a position, counted from 0.
    case click(column: Int, row: Int)
}

/// A reader of keys and clicks in the bytes of a terminal, which ignores arrows and function keys.
struct KeyReader: Sendable {
    /// How much of an escape sequence was read.
    private enum State {
        case plain, escape, maybeEscapeKey, sequence, oneMore
    }

    private var state = State.plain
    /// The bytes of an unfinished sequence, up to ``sequenceLimit``.
    private var sequence: [UInt8] = []
    private static let sequenceLimit = 24

    /// Returns the keys and clicks in the bytes of one read; a sequence may continue in the next.
    mutating func inputs(in bytes: some Sequence<UInt8>) -> [TerminalInput] {
        var inputs: [TerminalInput] = []
        for byte in bytes {
            if let input = input(byte) { inputs.append(input) }
        }
        // An escape at the end is the Escape key, unless the next read begins as a sequence does.
        if state == .escape { state = .maybeEscapeKey }
        return inputs
    }

    private mutating func input(_ byte: UInt8) -> TerminalInput? {
        let escape: UInt8 = 0x1B
        if byte == escape {
            state = .escape
            return nil
        }
        switch state {
        case .escape, .maybeEscapeKey:
            switch byte {
            case UInt8(ascii: "["):
                state = .sequence
                sequence = []
            case UInt8(ascii: "O"): state = .oneMore
            default:
                defer { state = .plain }
                return state == .maybeEscapeKey ? key(byte) : nil
            }
        case .plain: return key(byte)
        case .sequence:
            if (0x40...0x7E).contains(byte) {
                state = .plain
                return click(end: byte)
            }
            if sequence.count < Self.sequenceLimit { sequence.append(byte) }
        case .oneMore: state = .plain
        }
        return nil
    }

    private func key(_ byte: UInt8) -> TerminalInput? {
        (0x20...0x7E).contains(byte) ? .key(Character(Unicode.Scalar(byte))) : nil
    }

    /// Reads `<0;COLUMN;ROW` and `M` for a press, counted from 1. Shift, Alt and Control add 4, 8 and 16 to the 0.
    private func click(end: UInt8) -> TerminalInput? {
        guard end == UInt8(ascii: "M"), sequence.first == UInt8(ascii: "<") else { return nil }
        let parts = String(decoding: sequence.dropFirst(), as: UTF8.self)
            .split(separator: ";", omittingEmptySubsequences: false).map { UInt16($0) }
        guard parts.count == 3, let button = parts[0], let column = parts[1], let row = parts[2] else { return nil }
        let modifiers: UInt16 = 4 + 8 + 16
        guard button & ~modifiers == 0, column > 0, row > 0 else { return nil }
        return .click(column: Int(column) - 1, row: Int(row) - 1)
    }
}
