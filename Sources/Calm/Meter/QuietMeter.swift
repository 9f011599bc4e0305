// SPDX-License-Identifier: Apache-2.0

import Glibc
import Session

/// The meter of a space: it combines the samples of all microphones into a timeline of quiet and loud. It knows no
/// session; ``needed`` says how far back a reader needs it. Samples may arrive in any order. A sample is dropped when
/// it begins more than ``delayLimit`` before the latest `now` that the meter has seen: the timeline before that is
/// final.
struct QuietMeter: Hashable, Codable, Sendable {
    /// The maximum delay of a sample.
    static let delayLimit: Milliseconds = 120_000
    /// The maximum number of microphones in a space; samples of further ones are dropped.
    static let sourcesLimit = 64
    /// The time that the timeline is kept if no session needs more. The feed needs 60 minutes of it.
    static let keptTime: Milliseconds = .minutes(61)

    /// The threshold for samples added from now on.
    var threshold: Threshold
    private(set) var timeline = SoundTimeline()
    /// The samples by source, sorted by time, that later arrivals can still affect.
    private var recent: [String: [TimedLevel]] = [:]
    /// The instant before which the timeline is final.
    private var settled = BootTime.distantPast
    /// The earliest instant that the feed needs. ``Time/distantFuture`` if there is no session, or if the last one
    /// ended ``CalmState/grace`` ago or earlier.
    var needed = BootTime.distantFuture

    init(threshold: Threshold) { self.threshold = threshold }

    /// Adds a sample. Returns `false` if the sample was dropped: too late, from the future, without a period, or beyond
    /// ``sourcesLimit``.
    @discardableResult
    mutating func add(_ sample: TimedLevel, at now: BootTime) -> Bool {
        settled = max(settled, now - Self.delayLimit)
        timeline.forget(before: min(needed, now - Self.keptTime))
        guard sample.from >= settled, sample.from <= now, sample.period > 0 else { return false }
        if recent[sample.source] == nil {
            if recent.count >= Self.sourcesLimit { dropSilentSources() }
            guard recent.count < Self.sourcesLimit else { return false }
        }
        let end = recent[sample.source, default: []].place(sample, settled: settled)
        updateTimeline(from: sample.from, to: end)
        return true
    }

    /// Returns the level at a time, in tenths of a decibel; `nil` without a valid sample.
    func level(at time: BootTime) -> Int? {
        let levels = recent.values.compactMap { $0.level(at: time) }
        switch threshold.mixing {
        case .loudest: return levels.max()
        case .quietest: return levels.min()
        case .average:
            guard levels.count > 1 else { return levels.first }
            let power = levels.reduce(0.0) { $0 + pow(10, Double($1) / 100) } / Double(levels.count)
            return Int((100 * log10(power)).rounded())
        }
    }

    /// Shifts all times to the boot clock of another boot. If the wall clock was wrong, the times can be in the future
    /// now, and every new sample would be too late: then the meter begins again, empty.
    mutating func move(by shift: Milliseconds, at now: BootTime) {
        timeline.move(by: shift)
        if settled != .distantPast { settled += shift }
        guard settled <= now else { return self = QuietMeter(threshold: threshold) }
        if needed != .distantFuture { needed += shift }
        for (source, samples) in recent {
            recent[source] = samples.map {
                TimedLevel(source: source, from: $0.from + shift, period: $0.period, level: $0.level)
            }
        }
    }

    private mutating func dropSilentSources() {
        for (source, samples) in recent where samples.last.map({ $0.end <= settled }) ?? true { recent[source] = nil }
    }

    // MARK: From samples to sounds

    private mutating func updateTimeline(from start: BootTime, to end: BootTime) {
        var times = [start]
        for samples in recent.values {
            var index = samples.count - 1
            while index >= 0, samples.end(of: index) > start {
                let (from, to) = (samples[index].from, samples.end(of: index))
                if from > start, from < end { times.append(from) }
                if to < end { times.append(to) }
                index -= 1
            }
        }
        times.sort()
        timeline.replace(from: start, to: end, with: times.map { ($0, sound(at: $0)) }, then: sound(at: end))
    }

    private func sound(at time: BootTime) -> SoundTimeline.Sound {
        level(at: time).map { $0 < threshold.level ? .quiet : .loud } ?? .unknown
    }
}

extension [TimedLevel] {
    /// Returns when a sample expires: after twice its period, or at the next sample.
    fileprivate func end(of index: Int) -> BootTime {
        index + 1 < count ? Swift.min(self[index].end, self[index + 1].from) : self[index].end
    }

    fileprivate func level(at time: BootTime) -> Int? {
        // Usually the last sample is the valid one, so that the search ends at once.
        var (low, high) = ((last?.from ?? .distantFuture) <= time ? count : 0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].from <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 && time < end(of: low - 1) ? self[low - 1].level : nil
    }

    /// Inserts a sample by time, replaces one of the same instant, and discards samples that are final.
    /// - Returns: The end of the time that the sample affects.
    fileprivate mutating func place(_ sample: TimedLevel, settled: BootTime) -> BootTime {
        var index = count
        while index > 0, self[index - 1].from > sample.from { index -= 1 }
        var end = sample.end
        // The sample before it now expires here, which affects the time up to its former end.
        if index > 0 { end = Swift.max(end, self[index - 1].end) }
        if index < count { end = Swift.min(end, self[index].from) }
        if index > 0, self[index - 1].from == sample.from {
            self[index - 1] = sample
        } else {
            insert(sample, at: index)
        }
        while count > 1, self.end(of: 0) <= settled { removeFirst() }
        return end
    }
}
