// SPDX-License-Identifier: Apache-2.0

/// What becomes of a record that arrives where one of the same session may already be.
public enum Filing: Hashable, Sendable {
    /// It is the first of its session, or newer than the one that is there.
    case kept
    /// The very same is there.
    case known
    /// A newer one is there.
    case older
    /// Another one is there under the same version. The first stays.
    case conflict
    /// It is new, and its node has recorded more than a ledger takes of one node.
    case refused

    /// - Parameters:
    ///   - version: Of the record that arrives.
    ///   - digest: Of the record that arrives.
    ///   - present: Version and digest of the record that is there.
    public init<Digest: Equatable>(version: Version, digest: Digest, over present: (version: Version, digest: Digest)?)
    {
        guard let present, present.version >= version else {
            self = .kept
            return
        }
        if present.version > version { self = .older } else { self = present.digest == digest ? .known : .conflict }
    }
}

extension LedgerRecord {
    private static let day: Int64 = 86_400_000

    /// Whether a node can have recorded it by `now`, in milliseconds of group time.
    ///
    /// It begins in 2026 at the earliest, a day of doubt included, and nothing in it lies more than a day ahead; an open
    /// run ends within the day that a phase lasts at most. What a person imports is not asked for this.
    public func isPlausible(at now: Int64) -> Bool {
        let past = (Limits.earliestStamp - Self.day)...(max(now, Limits.earliestStamp) + Self.day)
        return past.contains(stamp.time) && past.contains(startedAt) && continuedAt.map(past.contains) ?? true
            && runs.allSatisfy { past.contains($0.from) && $0.to.map(past.contains) ?? true }
            && endsAt.map { (past.lowerBound...past.upperBound + Self.day).contains($0) } ?? true
    }
}
