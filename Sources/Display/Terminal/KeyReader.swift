// SPDX-License-Identifier: Apache-2.0

/// What a person did at a terminal.
public enum TerminalInput: Hashable, Sendable {
    /// A plain letter or sign.
    case key(Character)
    /// The left button of the mouse went down at a place, counted from 0.
    case click(column: Int, row: Int)
}

/// Finds keys and clicks in what a terminal sends, and none of what arrows and function keys send.
public struct KeyReader: Sendable {
    private enum State {
        case plain, escape, maybeEscapeKey, sequence, oneMore
    }

    private var state = State.plain
    /// What has come of a sequence, as far as it can matter.
    private var sequence: [UInt8] = []
    private static let longestSequence = 24

    /// Makes a reader for a terminal that has sent nothing yet.
    public init() {}

    /// The keys and clicks in `bytes`, which one read returned; a sequence may go on in the next.
    public mutating func inputs(in bytes: some Sequence<UInt8>) -> [TerminalInput] {
        var inputs: [TerminalInput] = []
        for byte in bytes {
            if let input = input(byte) { inputs.append(input) }
        }
        // Nothing behind it yet: this was the Escape key itself, unless the next read begins as a sequence does.
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
            if sequence.count < Self.longestSequence { sequence.append(byte) }
        case .oneMore: state = .plain
        }
        return nil
    }

    private func key(_ byte: UInt8) -> TerminalInput? {
        (0x20...0x7E).contains(byte) ? .key(Character(Unicode.Scalar(byte))) : nil
    }

    /// `<0;COLUMN;ROW` and `M` for a press, counted from 1, with 4, 8 and 16 added to the 0 for Shift, Alt and Control.
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
