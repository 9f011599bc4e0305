// SPDX-License-Identifier: Apache-2.0

import Session

/// An interval of running time.
struct Stretch: Hashable, Sendable {
    var from: BootTime
    /// The end of the stretch, not before its beginning.
    var to: BootTime

    var length: Milliseconds { to - from }
}

extension [Stretch] {
    /// The stretches that cover the same time without overlaps, oldest first.
    var union: [Stretch] {
        var union: [Stretch] = []
        for stretch in sorted(by: { $0.from < $1.from }) where stretch.to > stretch.from {
            if let last = union.last, stretch.from <= last.to {
                union[union.count - 1].to = Swift.max(last.to, stretch.to)
            } else {
                union.append(stretch)
            }
        }
        return union
    }

    /// Splits a union into its last time of a length and the time before it.
    func split(last length: Milliseconds) -> (before: [Stretch], last: [Stretch]) {
        var (before, last, wanted) = (self, [Stretch](), length)
        while wanted > 0, let stretch = before.popLast() {
            let from = Swift.max(stretch.from, stretch.to - wanted)
            last.insert(Stretch(from: from, to: stretch.to), at: 0)
            if from > stretch.from { before.append(Stretch(from: stretch.from, to: from)) }
            wanted -= stretch.to - from
        }
        return (before, last)
    }

    var length: Milliseconds { reduce(0) { $0 + $1.length } }
}
