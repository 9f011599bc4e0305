// SPDX-License-Identifier: Apache-2.0

/// What was heard of a room, and when: a list of changes, with sums, so that any stretch of it is added up at once.
struct Timeline: Hashable, Sendable {
    enum Sound: Int64, Sendable {
        case unknown, quiet, loud
    }

    /// From `at` on it sounds so; the sums are of all that was before.
    private struct Change: Hashable, Sendable {
        var at: Int64
        var sound: Sound
        var heard: Int64
        var quiet: Int64

        /// The sums up to a time that is not before it, and before the next change.
        func sums(until time: Int64) -> Sums {
            Sums(
                heard: heard + (sound == .unknown ? 0 : time - at), quiet: quiet + (sound == .quiet ? time - at : 0))
        }
    }

    /// Milliseconds of a stretch.
    struct Sums: Hashable, Sendable {
        var heard: Int64 = 0
        var quiet: Int64 = 0

        static func + (one: Sums, other: Sums) -> Sums {
            Sums(heard: one.heard + other.heard, quiet: one.quiet + other.quiet)
        }
    }

    /// More than fifteen hours that change every second. Beyond it the oldest is forgotten.
    static let limit = 65_536

    private var changes: [Change] = []

    /// Puts other sounds between two times; what is behind them stays.
    /// - Parameter sound: What sounds at the end.
    mutating func replace(from start: Int64, to end: Int64, with sounds: [(at: Int64, sound: Sound)], then sound: Sound)
    {
        var kept: [(at: Int64, sound: Sound)] = []
        while let last = changes.last, last.at >= start {
            if last.at > end { kept.append((last.at, last.sound)) }
            changes.removeLast()
        }
        for change in sounds { append(change.sound, at: change.at) }
        append(sound, at: end)
        for change in kept.reversed() { append(change.sound, at: change.at) }
    }

    /// Goes on with another sound, not before the last change.
    mutating func append(_ sound: Sound, at time: Int64) {
        guard sound != changes.last?.sound ?? .unknown else { return }
        let sums = changes.last?.sums(until: time) ?? Sums()
        changes.append(Change(at: time, sound: sound, heard: sums.heard, quiet: sums.quiet))
        if changes.count > Self.limit { changes.removeFirst(Self.limit / 8) }
    }

    /// Forgets what is over at `time`.
    mutating func forget(before time: Int64) {
        let index = index(after: time) - 1
        // In one go, since the rest has to be moved.
        if index > 64 { changes.removeFirst(index) }
    }

    /// Moves everything to another clock.
    mutating func move(by milliseconds: Int64) {
        for index in changes.indices { changes[index].at += milliseconds }
    }

    /// What was heard between two times.
    func sums(from: Int64, to: Int64) -> Sums {
        guard to > from else { return Sums() }
        let (before, after) = (sums(until: from), sums(until: to))
        return Sums(heard: after.heard - before.heard, quiet: after.quiet - before.quiet)
    }

    /// Whether nothing was ever heard, as far as is known.
    var isEmpty: Bool { changes.isEmpty }

    private func sums(until time: Int64) -> Sums {
        let index = index(after: time)
        guard index > 0 else { return changes.first.map { Sums(heard: $0.heard, quiet: $0.quiet) } ?? Sums() }
        return changes[index - 1].sums(until: time)
    }

    /// The first change behind `time`.
    private func index(after time: Int64) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Timeline: Codable {
    /// Pairs of time and sound, one after the other.
    init(from decoder: any Decoder) throws {
        let numbers = try [Int64](from: decoder)
        guard numbers.count.isMultiple(of: 2), numbers.count <= 2 * Self.limit else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no timeline"))
        }
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard numbers[index] >= changes.last?.at ?? .min, let sound = Sound(rawValue: numbers[index + 1]) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "no timeline"))
            }
            append(sound, at: numbers[index])
        }
    }

    func encode(to encoder: any Encoder) throws {
        try changes.flatMap { [$0.at, $0.sound.rawValue] }.encode(to: encoder)
    }
}
