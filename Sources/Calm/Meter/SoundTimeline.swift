// SPDX-License-Identifier: Apache-2.0

import Session

/// The history of quiet and loud in a space, as a list of changes. Its running sums make any total a binary search.
struct SoundTimeline: Hashable, Sendable {
    /// The sound of a time; unknown where nothing was measured.
    enum Sound: Int64, Sendable {
        case unknown, quiet, loud
    }

    /// The sound from `at` on, and the sums of the time before.
    private struct Change: Hashable, Sendable {
        var at: BootTime
        var sound: Sound
        var heard: Milliseconds
        var quiet: Milliseconds

        /// Returns the sums up to a time between this change and the next.
        func sums(until time: BootTime) -> Sums {
            Sums(
                heard: heard + (sound == .unknown ? 0 : time - at), quiet: quiet + (sound == .quiet ? time - at : 0))
        }
    }

    /// Measured and quiet time of an interval.
    struct Sums: Hashable, Sendable {
        var heard: Milliseconds = 0
        var quiet: Milliseconds = 0

        static func + (one: Sums, other: Sums) -> Sums {
            Sums(heard: one.heard + other.heard, quiet: one.quiet + other.quiet)
        }
    }

    /// The maximum number of changes; then the oldest eighth is dropped. One change a second reaches it after 18 hours.
    static let limit = 65_536

    private var changes: [Change] = []

    /// Replaces the sounds between two times; later ones stay.
    /// - Parameter sound: The sound at `end`.
    mutating func replace(
        from start: BootTime, to end: BootTime, with sounds: [(at: BootTime, sound: Sound)], then sound: Sound
    ) {
        var kept: [(at: BootTime, sound: Sound)] = []
        while let last = changes.last, last.at >= start {
            if last.at > end { kept.append((last.at, last.sound)) }
            changes.removeLast()
        }
        for change in sounds { append(change.sound, at: change.at) }
        append(sound, at: end)
        for change in kept.reversed() { append(change.sound, at: change.at) }
    }

    /// Appends a change, not before the last one; ignored if the sound is the same.
    mutating func append(_ sound: Sound, at time: BootTime) {
        guard sound != changes.last?.sound ?? .unknown else { return }
        let sums = changes.last?.sums(until: time) ?? Sums()
        changes.append(Change(at: time, sound: sound, heard: sums.heard, quiet: sums.quiet))
        if changes.count > Self.limit { changes.removeFirst(Self.limit / 8) }
    }

    mutating func forget(before time: BootTime) {
        let index = index(after: time) - 1
        // In batches, since each removal moves the rest.
        if index > 64 { changes.removeFirst(index) }
    }

    mutating func move(by shift: Milliseconds) {
        for index in changes.indices { changes[index].at += shift }
    }

    func sums(from: BootTime, to: BootTime) -> Sums {
        guard to > from else { return Sums() }
        let (before, after) = (sums(until: from), sums(until: to))
        return Sums(heard: after.heard - before.heard, quiet: after.quiet - before.quiet)
    }

    var isEmpty: Bool { changes.isEmpty }

    private func sums(until time: BootTime) -> Sums {
        let index = index(after: time)
        guard index > 0 else { return changes.first.map { Sums(heard: $0.heard, quiet: $0.quiet) } ?? Sums() }
        return changes[index - 1].sums(until: time)
    }

    private func index(after time: BootTime) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].at <= time { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension SoundTimeline: Codable {
    init(from decoder: any Decoder) throws {
        let numbers = try [Int64](from: decoder)
        guard numbers.count.isMultiple(of: 2), numbers.count <= 2 * Self.limit else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "wrong number of timeline fields"))
        }
        for index in stride(from: 0, to: numbers.count, by: 2) {
            let at = BootTime(numbers[index])
            guard at >= changes.last?.at ?? .distantPast, let sound = Sound(rawValue: numbers[index + 1]) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "not a timeline"))
            }
            append(sound, at: at)
        }
    }

    func encode(to encoder: any Encoder) throws {
        try changes.flatMap { [$0.at.milliseconds, $0.sound.rawValue] }.encode(to: encoder)
    }
}
