// SPDX-License-Identifier: Apache-2.0

package import Session

/// The iCalendar format (RFC 5545) of sessions.
package enum ICalendar {
    /// Returns the calendar, with an event for each span. The event of a session that runs until `now` ends as planned.
    /// Every line ends with CR LF.
    package static func text(of entries: [(entry: Entry, spans: [Shares.Span])], now: GroupTime) -> String {
        var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Lockstep//history//EN"]
        for (entry, spans) in entries {
            for (index, span) in spans.enumerated() {
                // An event ends later than it begins (RFC 5545, 3.8.2.2), also one of less than a second.
                let isOpen = index == spans.count - 1 && entry.record.runs.last.map { $0.to == nil } == true
                // The span of a session whose node is gone, or that another one has ended, is cut before.
                let planned = isOpen && span.to >= now ? entry.record.endsAt : nil
                let end = max(span.to, span.from + 1_000, planned ?? 0)
                // Two nodes may use one session id. A node id has no dot, so no two UIDs are equal.
                let uid = "\(entry.record.id)-\(index)@\(entry.record.node).lockstep"
                lines += [
                    "BEGIN:VEVENT", "UID:\(uid)", "DTSTAMP:\(time(now))",
                    "DTSTART:\(time(span.from))", "DTEND:\(time(end))",
                    "SUMMARY:\(escaped(entry.record.title.isEmpty ? span.kind.rawValue : entry.record.title))",
                ]
                if let label = entry.record.label { lines.append("CATEGORIES:\(escaped(label.name))") }
                lines.append("END:VEVENT")
            }
        }
        return (lines + ["END:VCALENDAR"]).map { folded($0) + "\r\n" }.joined()
    }

    private static func time(_ instant: GroupTime) -> String {
        let local = LocalTime(at: instant.milliseconds, offset: 0)
        let seconds = (local.time / 1_000 % 60).padded(to: 2)
        return "\(local.date)T\(local.clock)\(seconds)Z".filter { $0 != "-" && $0 != ":" }
    }

    private static func escaped(_ text: String) -> String {
        // By scalars: with a combining mark a sign is another character, but a reader of the file still sees the sign.
        let scalars = text.unicodeScalars.flatMap { scalar -> [Unicode.Scalar] in
            "\\;,".unicodeScalars.contains(scalar) ? ["\\", scalar] : [scalar]
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Folds a line at 75 bytes, between any two scalars; continuation lines start with a space.
    private static func folded(_ line: String) -> String {
        var (folded, width) = (String.UnicodeScalarView(), 0)
        for scalar in line.unicodeScalars {
            let bytes = UTF8.width(scalar)
            if width + bytes > 75 {
                folded.append(contentsOf: "\r\n ".unicodeScalars)
                width = 1
            }
            folded.append(scalar)
            width += bytes
        }
        return String(folded)
    }
}
