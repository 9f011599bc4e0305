// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NodeRuntime

@Suite(.timeLimit(.minutes(15))) struct ChimeTests {
    private let file = Chime.wav()

    private func number<Number: FixedWidthInteger>(at offset: Int, _: Number.Type) -> Number {
        let bytes = file[offset..<(offset + Number.bitWidth / 8)]
        return bytes.reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    private var samples: [Int] {
        stride(from: 44, to: file.count, by: 2).map { Int(number(at: $0, Int16.self)) }
    }

    @Test func headerStatesTheLengths() {
        #expect(Int(number(at: 4, UInt32.self)) == file.count - 8)
        #expect(Int(number(at: 40, UInt32.self)) == file.count - 44)
        #expect(number(at: 28, UInt32.self) == 2 * number(at: 24, UInt32.self), "bytes a second")
    }

    @Test func soundIsAudibleAndEndsInSilence() {
        let peak = samples.map(abs).max() ?? 0
        #expect((6_000..<Int(Int16.max)).contains(peak), "\(peak)")
        #expect(samples.first == 0)
        #expect(samples.suffix(200).allSatisfy { abs($0) < 200 }, "no click at its end")
    }
}
