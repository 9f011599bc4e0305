// SPDX-License-Identifier: Apache-2.0

package import Session
package import Wire

/// A session that no node recorded, which a person adds to the ledger.
package struct AddRequest: Hashable, Sendable, Described {
    package var title: String?
    package var label: String?
    package var day: CivilDate?
    package var from: String
    package var to: String

    package init(title: String? = nil, label: String? = nil, day: CivilDate? = nil, from: String, to: String) {
        (self.title, self.label, self.day, self.from, self.to) = (title, label, day, from, to)
    }

    package static let blank = AddRequest(from: "", to: "")

    /// The day of ``Limits/earliestStamp`` in universal time.
    package static let earliestDay = LocalTime(at: Limits.earliestStamp.milliseconds, offset: 0).date

    package mutating func describe<F: FieldCoder & ~Copyable>(to coder: inout F) throws(F.Failure) {
        try coder.field("title", optional: &title, .clean(0...Limits.titleBytes), "At most 160 bytes of UTF-8.")
        try coder.field("label", optional: &label, .clean(1...Limits.nameBytes), "1 to 48 bytes of UTF-8.")
        try coder.field("day", optional: &day, .date, "The day in the ledger's zone; by default today.")
        try coder.field("from", &from, .timeOfDay, "When it began on that day, in the ledger's zone.")
        try coder.field("to", &to, .timeOfDay, "When it ended: later than it began, and not after now.")
    }

    /// Returns the session with the instants of its times.
    /// - Parameter utcOffset: Returns the ledger's offset from UTC in seconds at a time.
    package func session(
        at groupTime: GroupTime, labels: [Label] = [], utcOffset: (Int64) -> Int
    ) throws(RequestError) -> AddedSession {
        let title = CleanText.trimmed(title ?? "")
        try StartRequest.check(title, .title)
        let name = label.map(CleanText.trimmed)
        if let name { try StartRequest.check(name, .label) }
        let today = LocalTime(at: groupTime.milliseconds, offset: utcOffset(groupTime.milliseconds)).date
        let date = day ?? today
        guard date <= today else { throw RequestError("day", "must not be after today, \(today)") }
        func instants(_ text: String, _ field: String) throws(RequestError) -> [GroupTime] {
            guard let time = LocalTime.timeOfDay(text) else {
                throw RequestError(field, "must be a time of day, as 09:00")
            }
            return LocalTime.instants(of: date, time: time, offset: utcOffset).map { GroupTime($0) }
        }
        let from = try instants(from, "from")[0]
        // Where the clocks were set back, the end can be the second of two instants.
        guard let to = try instants(to, "to").first(where: { $0 > from }) else {
            throw RequestError("to", "must be later than from: it is when the session ended")
        }
        guard from >= Limits.earliestStamp else {
            throw RequestError("day", "must not be before \(Self.earliestDay)")
        }
        guard from <= groupTime + Limits.stampLead else { throw RequestError("from", "must not be in the future") }
        guard to <= groupTime + Limits.stampLead else { throw RequestError("to", "must not be in the future") }
        guard to - from <= .seconds(Int64(Limits.phaseSeconds.upperBound)) else {
            throw RequestError("to", "must be at most \(Limits.phaseHours) hours later than from")
        }
        let known = labels.first { $0.name == name }
        return AddedSession(title: title, label: known ?? name.map { Label(name: $0) }, from: from, to: to)
    }
}

/// A session that a person adds, with checked texts and times.
package struct AddedSession: Hashable, Sendable {
    package var title: String
    package var label: Label?
    package var from: GroupTime
    package var to: GroupTime
}
