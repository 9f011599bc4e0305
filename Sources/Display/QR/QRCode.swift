// SPDX-License-Identifier: Apache-2.0

/// A QR code (ISO/IEC 18004) in byte mode, with error correction level M, of versions 1 to 12.
package struct QRCode: Hashable, Sendable {
    /// The number of modules per side.
    package let size: Int
    /// Whether each module is dark, row by row.
    package private(set) var modules: [Bool]
    /// Whether each module is a function pattern: finder, timing, alignment, format or version.
    private var isFixed: [Bool]

    /// The error correction codewords per block and the number of blocks, for versions 1 to 12 at level M.
    private static let correction = [
        (10, 1), (16, 1), (26, 1), (18, 2), (24, 2), (16, 4), (18, 4), (22, 4), (22, 5), (26, 5),
        (30, 5), (22, 8),
    ]

    /// Creates the smallest code for a text; `nil` above 287 bytes of UTF-8.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = (1...12).first(where: { Self.capacity(of: $0) >= bytes.count }) else { return nil }
        size = 17 + 4 * version
        modules = [Bool](repeating: false, count: size * size)
        isFixed = modules
        drawPatterns(version: version)
        place(Self.codewords(for: bytes, version: version))
        applyBestMask()
    }

    /// Returns whether the module in a column and a row is dark.
    package subscript(column: Int, row: Int) -> Bool {
        get { modules[row * size + column] }
        set { modules[row * size + column] = newValue }
    }

    // MARK: Codewords

    private static func rawBits(of version: Int) -> Int {
        var bits = (16 * version + 128) * version + 64
        if version >= 2 {
            let alignments = version / 7 + 2
            bits -= (25 * alignments - 10) * alignments - 55
            if version >= 7 { bits -= 36 }
        }
        return bits
    }

    private static func dataCodewords(of version: Int) -> Int {
        let (perBlock, blocks) = correction[version - 1]
        return rawBits(of: version) / 8 - perBlock * blocks
    }

    private static func lengthBits(of version: Int) -> Int { version < 10 ? 8 : 16 }

    private static func capacity(of version: Int) -> Int {
        (dataCodewords(of: version) * 8 - 4 - lengthBits(of: version)) / 8
    }

    private static func codewords(for bytes: [UInt8], version: Int) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, lengthBits(of: version))
        for byte in bytes { append(Int(byte), 8) }
        let room = dataCodewords(of: version) * 8
        append(0, min(4, room - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var pad = 0xEC
        while bits.count < room {
            append(pad, 8)
            pad ^= 0xEC ^ 0x11
        }
        let data = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        return interleaved(data, version: version)
    }

    private static func interleaved(_ data: [UInt8], version: Int) -> [UInt8] {
        let (perBlock, blocks) = correction[version - 1]
        let total = rawBits(of: version) / 8
        let shortBlocks = blocks - total % blocks
        let shortLength = total / blocks - perBlock
        let divisor = ReedSolomon.divisor(degree: perBlock)
        var parts: [(data: [UInt8], check: [UInt8])] = []
        var start = 0
        for block in 0..<blocks {
            let length = shortLength + (block < shortBlocks ? 0 : 1)
            let part = Array(data[start..<start + length])
            parts.append((part, ReedSolomon.remainder(of: part, by: divisor)))
            start += length
        }
        var result: [UInt8] = []
        for index in 0...shortLength { result += parts.compactMap { index < $0.data.count ? $0.data[index] : nil } }
        for index in 0..<perBlock { result += parts.map { $0.check[index] } }
        return result
    }

    // MARK: Modules

    private mutating func fix(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        self[column, row] = isDark
        isFixed[row * size + column] = true
    }

    private mutating func drawPatterns(version: Int) {
        for index in 0..<size {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] {
            for dy in -4...4 {
                for dx in -4...4 {
                    let distance = max(abs(dx), abs(dy))
                    fix(column + dx, row + dy, distance != 2 && distance != 4)
                }
            }
        }
        let places = alignments(version: version)
        for (x, column) in places.enumerated() {
            for (y, row) in places.enumerated() {
                let isFinder =
                    (x == 0 && y == 0) || (x == 0 && y == places.count - 1) || (x == places.count - 1 && y == 0)
                if isFinder { continue }
                for dy in -2...2 { for dx in -2...2 { fix(column + dx, row + dy, max(abs(dx), abs(dy)) != 1) } }
            }
        }
        drawFormat(mask: 0)
        if version >= 7 { drawVersion(version) }
    }

    private func alignments(version: Int) -> [Int] {
        guard version > 1 else { return [] }
        let count = version / 7 + 2
        let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
        return [6] + (0..<count - 1).map { size - 7 - step * $0 }.reversed()
    }

    /// Draws the format information; its two bits for level M are 0.
    private mutating func drawFormat(mask: Int) {
        var rest = mask
        for _ in 0..<10 { rest = rest << 1 ^ (rest >> 9) * 0x537 }
        let bits = (mask << 10 | rest) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { fix(8, index, bit(index)) }
        fix(8, 7, bit(6))
        fix(8, 8, bit(7))
        fix(7, 8, bit(8))
        for index in 9..<15 { fix(14 - index, 8, bit(index)) }
        for index in 0..<8 { fix(size - 1 - index, 8, bit(index)) }
        for index in 8..<15 { fix(8, size - 15 + index, bit(index)) }
        fix(8, size - 8, true)
    }

    private mutating func drawVersion(_ version: Int) {
        var rest = version
        for _ in 0..<12 { rest = rest << 1 ^ (rest >> 11) * 0x1F25 }
        let bits = version << 12 | rest
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            fix(size - 11 + index % 3, index / 3, isDark)
            fix(index / 3, size - 11 + index % 3, isDark)
        }
    }

    /// Places the codewords in zigzag columns of two modules from the right, around the function patterns.
    private mutating func place(_ codewords: [UInt8]) {
        var index = 0
        for right in stride(from: size - 1, through: 1, by: -2) {
            let right = right <= 6 ? right - 1 : right
            for step in 0..<size {
                for column in [right, right - 1] {
                    let isUpward = (right + 1) & 2 == 0
                    let row = isUpward ? size - 1 - step : step
                    guard !isFixed[row * size + column], index < codewords.count * 8 else { continue }
                    self[column, row] = codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    index += 1
                }
            }
        }
    }

    // MARK: Masks

    private mutating func applyBestMask() {
        var best: (mask: Int, penalty: Int) = (0, .max)
        for mask in 0..<8 {
            flip(mask: mask)
            drawFormat(mask: mask)
            let penalty = QRPenalty.of(self)
            if penalty < best.penalty { best = (mask, penalty) }
            flip(mask: mask)
        }
        flip(mask: best.mask)
        drawFormat(mask: best.mask)
    }

    private mutating func flip(mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFixed[row * size + column] && Self.isMasked(column, row, by: mask) {
                self[column, row].toggle()
            }
        }
    }

    private static func isMasked(_ x: Int, _ y: Int, by mask: Int) -> Bool {
        switch mask {
        case 0: (x + y) % 2 == 0
        case 1: y % 2 == 0
        case 2: x % 3 == 0
        case 3: (x + y) % 3 == 0
        case 4: (x / 3 + y / 2) % 2 == 0
        case 5: x * y % 2 + x * y % 3 == 0
        case 6: (x * y % 2 + x * y % 3) % 2 == 0
        default: ((x + y) % 2 + x * y % 3) % 2 == 0
        }
    }
}
