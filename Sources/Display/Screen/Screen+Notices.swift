// SPDX-License-Identifier: Apache-2.0

import Session

extension Screen {
    static func notices(of view: View, at boot: BootTime, options: ScreenOptions) -> [Notice] {
        var notices: [Notice] = []
        if let answer = options.answer { notices.append(Notice(kind: .answer, text: answer)) }
        let moment = view.moment(at: boot)
        if let alarm = moment?.alarm { notices.append(Notice(kind: .alarm, text: text(of: alarm, at: boot, options))) }
        if let message = view.message { notices.append(Notice(kind: .message, text: .userText(message.text))) }
        if let moment, let stale = moment.staleFor {
            let owner = Localized.userText(moment.register.owner.rawValue)
            let text: Localized = "\(lastHeard(stale, strings: options.strings)) · \(owner)"
            notices.append(Notice(kind: .stale, text: text, since: boot - stale, from: owner))
        }
        if options.isUnsaved { notices.append(Notice(kind: .unsaved, text: options.strings[.unsaved])) }
        if options.isClockWrong { notices.append(Notice(kind: .clockWrong, text: options.strings[.clockWrong])) }
        if !view.isLinked, !options.worksAlone {
            notices.append(Notice(kind: .unlinked, text: options.strings[.linkLost]))
        }
        if let register = moment?.register, register.status.isLive, let takeover = register.continues,
            takeover.node != register.owner
        {
            notices.append(notice(of: takeover, by: register.owner, options: options))
        }
        return notices
    }

    /// Returns the text of an alarm. Once the alarm is older than ``Limits/alarmNewFor``, it says when the time was up.
    private static func text(of alarm: Alarm, at boot: BootTime, _ options: ScreenOptions) -> Localized {
        guard boot - alarm.boot >= Limits.alarmNewFor else { return options.strings[.timeIsUp] }
        let at = alarm.groupTime.milliseconds
        return options.strings.text(.timeWasUp, ["time": TimeText.clock(at, offset: options.utcOffset(at))])
    }

    /// Returns the notice of a takeover: "moved" on the display of the former owner, "took over" on all others.
    private static func notice(of takeover: Continuation, by owner: NodeID, options: ScreenOptions) -> Notice {
        let at = takeover.at.milliseconds
        let time = TimeText.clock(at, offset: options.utcOffset(at))
        let values: [String: Localized] = [
            "node": .userText(owner.rawValue), "from": .userText(takeover.node.rawValue), "time": time,
        ]
        let isFromHere = takeover.node == options.node
        return Notice(
            kind: isFromHere ? .moved : .tookOver, text: options.strings.text(isFromHere ? .moved : .tookOver, values))
    }

    static func lastHeard(_ time: Milliseconds, strings: Strings) -> Localized {
        let seconds = time.wholeSeconds
        let (key, count): (Strings.Key, Int) =
            switch seconds {
            case ..<60: (.lastHeardSeconds, seconds)
            case ..<3_600: (.lastHeardMinutes, seconds / 60)
            default: (.lastHeardHours, seconds / 3_600)
            }
        return strings.text(key, count: count)
    }
}
