// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What is heard in a room, whatever session there is.
///
/// It takes samples in any order. One that begins more than ``lateness`` before the latest time that the meter was told
/// of comes too late, and is not used: what is older than that is settled.
public struct Meter: Hashable, Sendable {
    /// How late a sample may come, in milliseconds.
    public static let lateness: Int64 = 120_000
    /// Microphones of a room; further ones are not heard.
    public static let sources = 64
    /// For how long the room is remembered when no session needs more, in milliseconds.
    static let memory: Int64 = 61 * 60_000

    /// What counts as quiet from here on.
    public var threshold: Threshold
    private(set) var timeline = Timeline()
    /// By source, sorted: those that can still be followed or preceded by others.
    private var recent: [String: [Sample]] = [:]
    private var settled = Int64.min
    /// From when on the session needs it, on the boot clock; all of the future while none is live.
    var needed = Int64.max

    /// Makes a meter that has heard nothing.
    public init(threshold: Threshold) { self.threshold = threshold }

    /// Takes a sample.
    /// - Parameter now: The boot clock.
    /// - Returns: Whether it is used: it came in time, and there is room for its source.
    @discardableResult
    public mutating func hear(_ sample: Sample, at now: Int64) -> Bool {
        settled = max(settled, now - Self.lateness)
        timeline.forget(before: min(needed, now - Self.memory))
        guard sample.from >= settled, sample.from <= now, sample.period > 0 else { return false }
        if recent[sample.source] == nil {
            if recent.count >= Self.sources { dropSilentSources() }
            guard recent.count < Self.sources else { return false }
        }
        let end = recent[sample.source, default: []].place(sample, settled: settled)
        listen(from: sample.from, to: end)
        return true
    }

    /// The level of the present, in tenths of a decibel; `nil` while nothing is heard.
    public func level(at now: Int64) -> Int? { mixed(at: now) }

    /// Goes over to another boot's clock, which reads so many milliseconds more.
    mutating func move(by milliseconds: Int64) {
        timeline.move(by: milliseconds)
        if settled != .min { settled += milliseconds }
        if needed != .max { needed += milliseconds }
        for (source, samples) in recent {
            recent[source] = samples.map {
                Sample(source: source, from: $0.from + milliseconds, period: $0.period, level: $0.level)
            }
        }
    }

    private mutating func dropSilentSources() {
        for (source, samples) in recent where samples.last.map({ $0.end <= settled }) ?? true { recent[source] = nil }
    }

    // MARK: From samples to sounds

    /// Finds anew what sounds between two times, at each of which samples begin and end.
    private mutating func listen(from start: Int64, to end: Int64) {
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

    private func sound(at time: Int64) -> Timeline.Sound {
        mixed(at: time).map { $0 < threshold.level ? .quiet : .loud } ?? .unknown
    }

    private func mixed(at time: Int64) -> Int? {
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
}

extension [Sample] {
    /// Until when one holds: twice its period, or until the next one.
    fileprivate func end(of index: Int) -> Int64 {
        index + 1 < count ? Swift.min(self[index].end, self[index + 1].from) : self[index].end
    }

    fileprivate func level(at time: Int64) -> Int? {
        // Mostly it is the last one that holds.
        var (low, high) = ((last?.from ?? .max) <= time ? count : 0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].from <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 && time < end(of: low - 1) ? self[low - 1].level : nil
    }

    /// Puts a sample in its place; of two from one instant the later one holds. What nothing depends on any more goes.
    /// - Returns: Until when it can make a difference.
    fileprivate mutating func place(_ sample: Sample, settled: Int64) -> Int64 {
        var index = count
        while index > 0, self[index - 1].from > sample.from { index -= 1 }
        var end = sample.end
        // The one before it holds no longer than until here.
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

extension Meter: Codable {
    private enum CodingKeys: String, CodingKey {
        case threshold, timeline, recent, settled, needed
    }

    /// Reads what was heard back, and what counted as quiet until then.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(threshold: try fields.decode(Threshold.self, forKey: .threshold))
        timeline = try fields.decode(Timeline.self, forKey: .timeline)
        for sample in try fields.decode([Sample].self, forKey: .recent) {
            recent[sample.source, default: []].append(sample)
        }
        settled = try fields.decode(Int64.self, forKey: .settled)
        needed = try fields.decode(Int64.self, forKey: .needed)
    }

    /// Writes what was heard.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(threshold, forKey: .threshold)
        try fields.encode(timeline, forKey: .timeline)
        try fields.encode(recent.keys.sorted().flatMap { recent[$0] ?? [] }, forKey: .recent)
        try fields.encode(settled, forKey: .settled)
        try fields.encode(needed, forKey: .needed)
    }
}
