// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is a letter or a digit of ASCII.
    package var isASCIILetterOrDigit: Bool {
        // Capital letters differ from small ones by one bit.
        isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }
}

extension FixedWidthInteger {
    /// Reads a text of decimal digits alone, without a sign.
    package init?(digits: some StringProtocol) {
        guard digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        self.init(digits)
    }
}
