// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session
import Wire

@testable import Calm

/// Computes the calm of a session step by step from all samples: slow, and independent of the meter.
struct Reference {
    private var samples: [String: [TimedLevel]] = [:]
    /// The latest register of each session of the lineage, in the order of the takeovers.
    private var registers: [Register] = []
    private var latest = Int64.min

    mutating func hear(_ sample: TimedLevel, at now: Int64) {
        latest = max(latest, now)
        if sample.from.milliseconds >= latest - 120_000 { samples[sample.source, default: []].append(sample) }
    }

    mutating func hear(_ register: Register) {
        registers.removeAll { $0.id == register.id }
        registers.append(register)
    }

    struct Found {
        var percent: Double
        var coverage: Double
        var hasTrend = false
        /// Points by which the last minute is calmer than the one before; `nil` if they cannot be compared.
        var change: Double?
    }

    func found(at now: Int64, threshold: Threshold) -> Found {
        let cells = max(0, Int((now - Story.start) / Story.step))
        let sounds = sounds(cells: cells, threshold)
        let isRunning = running(cells: cells)
        let heard = sounds.indices.filter { isRunning[$0] }.map { sounds[$0] }
        let all = Self.share(heard[...])
        var found = Found(percent: all.percent, coverage: all.coverage)
        let minute = Int(60_000 / Story.step)
        guard heard.count >= 2 * minute else { return found }
        let (new, old) = (Self.share(heard.suffix(minute)), Self.share(heard.suffix(2 * minute).prefix(minute)))
        found.hasTrend = min(new.coverage, old.coverage) >= 80
        found.change = new.percent - old.percent
        return found
    }

    private static func share(_ sounds: ArraySlice<UInt8>) -> (percent: Double, coverage: Double) {
        var counts = [0, 0, 0]
        for sound in sounds { counts[Int(sound)] += 1 }
        let heard = counts[1] + counts[2]
        return (
            heard == 0 ? 100 : 100 * Double(counts[1]) / Double(heard),
            sounds.isEmpty ? 100 : 100 * Double(heard) / Double(sounds.count)
        )
    }

    private static func cells(_ from: Int64, _ to: Int64, of count: Int) -> Range<Int> {
        let first = min(max(0, Int((from - Story.start) / Story.step)), count)
        return first..<max(first, min(Int(max(0, to - Story.start) / Story.step), count))
    }

    private func running(cells count: Int) -> [Bool] {
        var running = [Bool](repeating: false, count: count)
        for (index, register) in registers.enumerated() {
            let cut =
                index + 1 < registers.count ? registers[index + 1].continues?.at ?? .distantFuture : .distantFuture
            for run in register.runs {
                let to = min(
                    run.to ?? .distantFuture, cut, GroupTime(Story.lead + Story.start + Int64(count) * Story.step))
                for cell in Self.cells(run.from.milliseconds - Story.lead, to.milliseconds - Story.lead, of: count) {
                    running[cell] = true
                }
            }
        }
        return running
    }

    /// 0 for unknown, 1 for quiet, 2 for loud.
    private func sounds(cells count: Int, _ threshold: Threshold) -> [UInt8] {
        var (microphones, loudest) = ([Int](repeating: 0, count: count), [Int](repeating: .min, count: count))
        var (quietest, power) = ([Int](repeating: .max, count: count), [Double](repeating: 0, count: count))
        for heard in samples.values {
            var levels = [Int](repeating: .min, count: count)
            for sample in heard.sorted(by: { $0.from < $1.from }) {
                let end = sample.end.milliseconds
                for cell in Self.cells(sample.from.milliseconds, end, of: count) { levels[cell] = sample.level }
                // The latest sample is valid; an earlier one with a longer period does not become valid again.
                for cell in Self.cells(end, .max / 2, of: count) {
                    if levels[cell] == .min { break }
                    levels[cell] = .min
                }
            }
            for cell in 0..<count where levels[cell] != .min {
                microphones[cell] += 1
                loudest[cell] = max(loudest[cell], levels[cell])
                quietest[cell] = min(quietest[cell], levels[cell])
                if threshold.mixing == .average { power[cell] += pow(10, Double(levels[cell]) / 100) }
            }
        }
        return (0..<count).map { cell in
            guard microphones[cell] > 0 else { return 0 }
            let level: Double =
                switch threshold.mixing {
                case .loudest: Double(loudest[cell])
                case .quietest: Double(quietest[cell])
                case .average: (100 * log10(power[cell] / Double(microphones[cell]))).rounded()
                }
            return level < Double(threshold.level) ? 1 : 2
        }
    }
}
