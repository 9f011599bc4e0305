// SPDX-License-Identifier: Apache-2.0

import Logging
import Session

/// One program at one event.
struct HookRun: Sendable {
    /// What it waits in: runs of one queue come one after the other.
    enum Queue: Hashable {
        case hook(SessionEvent.Name)
        case notification
    }

    var queue: Queue
    var event: SessionEvent
    var process: HookProcess

    /// Runs it, and says in the log what came of it.
    func carryOut(_ log: Logger) async {
        var log = log
        log[metadataKey: "event"] = "\(event.name)"
        let outcome: HookProcess.Outcome
        do {
            outcome = try await process.run()
        } catch {
            return log.warning("\(what) cannot be started", metadata: ["reason": "\(error)"])
        }
        if outcome.isHung {
            log.warning("\(what) hung and was ended")
        } else if outcome.code > 0 {
            log.warning("\(what) failed", metadata: ["code": "\(outcome.code)"])
        } else if outcome.code < 0 {
            log.warning("\(what) failed", metadata: ["signal": "\(-outcome.code)"])
        }
        let level: Logger.Level = outcome.code == 0 ? .info : .warning
        for line in outcome.lines { log.log(level: level, "\(what): \(line)") }
    }

    private var what: String { queue == .notification ? "notify-send" : "hook" }
}

extension HookProcess.Outcome {
    /// The output as a log may have it.
    fileprivate var lines: [String] {
        let text = String(decoding: output, as: UTF8.self) + (isCut ? "…" : "")
        return text.split(whereSeparator: \.isNewline).map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.map { CleanText.isClean($0) ? $0 : "\u{FFFD}" }))
        }
    }
}
