// SPDX-License-Identifier: Apache-2.0

/// What the payloads of a round weigh, in bytes.
struct PayloadSizes: Sendable {
    var request: Int
    var answer: Int
}

/// Blocks of bare rounds and of presses, taken in turn.
struct Turns: Sendable {
    struct Sides: Sendable {
        var raw = Samples()
        var lockstep = Samples()

        func ratio(_ share: Double) -> Double { lockstep.quantile(share) / raw.quantile(share) }
    }

    private(set) var all = Sides()
    /// Those from which the host took nothing.
    private(set) var kept = Sides()
    var sizes: [PayloadSizes] = []

    /// - Parameter isDisturbed: Whether the host took a processor away meanwhile.
    mutating func add(_ rounds: [Int64], _ presses: [Int64], isDisturbed: Bool) {
        all.raw.add(rounds)
        all.lockstep.add(presses)
        guard !isDisturbed else { return }
        kept.raw.add(rounds)
        kept.lockstep.add(presses)
    }

    func figures(_ name: String, hasGoal: Bool) throws -> [Figure] {
        guard kept.raw.count > 0 else {
            throw BenchError("the host took the processors away in every turn: measure when the machine is quieter")
        }
        let leftOut = 1 - Double(kept.raw.count) / Double(all.raw.count)
        return [
            Figure("intent, journal \(name), p50", kept.lockstep.quantile(0.5), "µs"),
            Figure("intent, bare libmosquitto, p50", kept.raw.quantile(0.5), "µs"),
            Figure("intent, journal \(name), p50 ratio", kept.ratio(0.5), "×", atMost: hasGoal ? 1.25 : nil),
            Figure("intent, journal \(name), p99", kept.lockstep.quantile(0.99), "µs"),
            Figure("intent, bare libmosquitto, p99", kept.raw.quantile(0.99), "µs"),
            Figure("intent, journal \(name), p99 ratio", kept.ratio(0.99), "×", atMost: hasGoal ? 1.5 : nil),
            Figure("intent, rounds", Double(kept.raw.count), "each"),
            Figure("intent, left out for stolen time", leftOut * 100, "%"),
            Figure("intent, p50 ratio with those", all.ratio(0.5), "×"),
            Figure("intent, p99 ratio with those", all.ratio(0.99), "×"),
            Figure("intent, request", Double(sizes.map(\.request).max() ?? 0), "bytes"),
            Figure("intent, largest register", Double(sizes.map(\.answer).max() ?? 0), "bytes"),
        ]
    }
}
