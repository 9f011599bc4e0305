// SPDX-License-Identifier: Apache-2.0

/// Computes the penalty of a mask by the standard's four rules; the mask with the lowest is used.
enum QRPenalty {
    static func of(_ code: QRCode) -> Int {
        let size = code.size
        var penalty = 0
        for line in 0..<size {
            penalty += runs((0..<size).map { code[$0, line] })
            penalty += runs((0..<size).map { code[line, $0] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let corner = code[column, row]
                if code[column + 1, row] == corner, code[column, row + 1] == corner, code[column + 1, row + 1] == corner
                {
                    penalty += 3
                }
            }
        }
        let dark = code.modules.count(where: \.self)
        let total = size * size
        // Ten for each 5 % that the share of dark modules differs from one half.
        penalty += (abs(dark * 20 - total * 10) + total - 1) / total * 10 - 10
        return max(penalty, 0)
    }

    private static let finder = [true, false, true, true, true, false, true]

    private static func runs(_ line: [Bool]) -> Int {
        var penalty = 0
        var length = 0
        for index in line.indices {
            length = index > 0 && line[index] == line[index - 1] ? length + 1 : 1
            if length == 5 { penalty += 3 } else if length > 5 { penalty += 1 }
        }
        // A finder pattern with four light modules on one side.
        let padded = [false, false, false, false] + line + [false, false, false, false]
        for start in 4..<padded.count - 10 where Array(padded[start..<start + 7]) == finder {
            if !padded[start - 4..<start].contains(true) { penalty += 40 }
            if !padded[start + 7..<start + 11].contains(true) { penalty += 40 }
        }
        return penalty
    }
}
