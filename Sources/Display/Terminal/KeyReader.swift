// SPDX-License-Identifier: Apache-2.0

/// Finds the keys in what a terminal sends: plain letters and signs, none of what arrows and function keys send.
public struct KeyReader: Sendable {
    private enum State {
        case plain, escape, sequence, oneMore
    }

    private var state = State.plain

    /// Makes a reader for a terminal that has sent nothing yet.
    public init() {}

    /// The keys in `bytes`, which one read returned; a sequence may go on in the next.
    public mutating func keys(in bytes: some Sequence<UInt8>) -> [Character] {
        var keys: [Character] = []
        for byte in bytes {
            if let key = key(byte) { keys.append(key) }
        }
        // Nothing behind it: this was the Escape key itself.
        if state == .escape { state = .plain }
        return keys
    }

    private mutating func key(_ byte: UInt8) -> Character? {
        let escape: UInt8 = 0x1B
        switch state {
        case _ where byte == escape: state = .escape
        case .plain:
            guard (0x20...0x7E).contains(byte) else { return nil }
            return Character(Unicode.Scalar(byte))
        case .escape:
            switch byte {
            case UInt8(ascii: "["): state = .sequence
            case UInt8(ascii: "O"): state = .oneMore
            default: state = .plain
            }
        case .sequence: if (0x40...0x7E).contains(byte) { state = .plain }
        case .oneMore: state = .plain
        }
        return nil
    }
}
