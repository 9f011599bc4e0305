// SPDX-License-Identifier: Apache-2.0

import API
import Logging
import Session

/// One program to be run for an event.
struct HookRun: Sendable {
    /// The queue of a run. The runs of one queue are executed one after the other.
    enum Queue: Hashable {
        case hook(EventName)
        case notification
        case chime
    }

    var queue: Queue
    var event: SessionEvent
    var process: HookProcess

    func run(_ log: Logger) async {
        var log = log
        log[metadataKey: "event"] = "\(event.name)"
        let outcome: HookProcess.Exit
        do {
            outcome = try await process.run()
        } catch {
            return log.warning("\(program) cannot be started", metadata: ["reason": "\(error)"])
        }
        if outcome.isHung {
            log.warning("\(program) hung and was ended")
        } else if outcome.code > 0 {
            log.warning("\(program) failed", metadata: ["code": "\(outcome.code)"])
        } else if outcome.code < 0 {
            log.warning("\(program) failed", metadata: ["signal": "\(-outcome.code)"])
        }
        let level: Logger.Level = outcome.code == 0 ? .info : .warning
        for line in outcome.lines { log.log(level: level, "\(program): \(line)") }
    }

    private var program: String {
        switch queue {
        case .hook: "hook"
        case .notification: "notify-send"
        case .chime: "chime"
        }
    }
}

extension HookProcess.Exit {
    /// The output as lines without control characters.
    fileprivate var lines: [LineText] {
        let text = String(decoding: output, as: UTF8.self) + (isCut ? "…" : "")
        return text.split(whereSeparator: \.isNewline).map { LineText(showing: String($0)) }
    }
}
