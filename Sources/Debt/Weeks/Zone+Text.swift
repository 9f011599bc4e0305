// SPDX-License-Identifier: Apache-2.0

import Session

extension Zone {
    /// Parses a day, a local time with or without seconds, or a time as `history --csv` prints it, to milliseconds
    /// since 1970. There are two instants if the clocks are set back over a local time, none for another text.
    package func instants(_ text: String) -> [Int64] {
        if let instant = ZonedTime.instant(text) { return [instant] }
        if let date = CivilDate(text) { return instants(of: date, time: 0) }
        return LocalTime(text).map { instants(of: $0.date, time: $0.time) } ?? []
    }

    package func text(of instant: Int64) -> String {
        let local = local(instant)
        return "\(local.date)T\(local.clock)"
    }
}
