// SPDX-License-Identifier: Apache-2.0

/// The Reed–Solomon error correction of QR codes: polynomials over GF(256) with the polynomial 0x11D.
enum ReedSolomon {
    static func divisor(degree: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = product(root, 2)
        }
        return result
    }

    static func remainder(of data: [UInt8], by divisor: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: divisor.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= product(divisor[index], factor) }
        }
        return result
    }

    private static func product(_ x: UInt8, _ y: UInt8) -> UInt8 {
        var z = 0
        for bit in (0..<8).reversed() {
            z = z << 1 ^ (z >> 7) * 0x11D
            z ^= Int(y >> bit & 1) * Int(x)
        }
        return UInt8(z & 0xFF)
    }
}
