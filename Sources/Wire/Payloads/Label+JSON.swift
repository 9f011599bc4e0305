// SPDX-License-Identifier: Apache-2.0

import Session

extension Label {
    /// Reads a label. Whatever stands for the colour, a label is better grey than missing.
    init(reader: inout JSONReader) throws(Rejection) {
        var name: String?
        var colour = Colour.grey
        var fields = try reader.object()
        while let key = try reader.key(&fields) {
            switch key {
            case "name": name = try reader.string()
            case "colour":
                if reader.isAtString {
                    colour = Colour(text: try reader.string())
                } else {
                    try reader.skip()
                    colour = .grey
                }
            default: try reader.skip()
            }
        }
        self.init(name: try need(name, "label.name"), colour: colour)
    }

    func writeFields(to writer: inout JSONWriter) {
        writer.field("name", name)
        writer.field("colour", colour.text)
    }
}

extension Colour {
    /// As `Colour(hex:)`, but the six digits that are nearly always there cost no allocation.
    fileprivate init(text: String) {
        let digits = text.utf8.dropFirst()
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 else {
            self = Colour(hex: text) ?? .grey
            return
        }
        var value = 0
        for byte in digits {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                self = .grey
                return
            }
            value = value << 4 | digit
        }
        self.init(
            red: UInt8(truncatingIfNeeded: value >> 16), green: UInt8(truncatingIfNeeded: value >> 8),
            blue: UInt8(truncatingIfNeeded: value))
    }

    fileprivate var text: String {
        guard alpha == 255 else { return description }
        return String(unsafeUninitializedCapacity: 7) { buffer in
            buffer[0] = UInt8(ascii: "#")
            var index = 1
            for channel in [red, green, blue] {
                for digit in [channel >> 4, channel & 15] {
                    buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    index += 1
                }
            }
            return index
        }
    }
}
