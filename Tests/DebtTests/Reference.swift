// SPDX-License-Identifier: Apache-2.0

import Debt
import Session

/// The minutes counted a second time, instant by instant and in the words of the protocol: slow, and with nothing of the
/// code that it is compared with.
struct Reference {
    /// Whose instant each one is: the id of a session.
    var owners: [SessionID?] = []
    /// Until when time goes on to count, if it does at present.
    var until: Int64?

    init(_ arrivals: [Story.Arrival], counting: Counting, now: Int64, length: Int64) {
        var records: [SessionID: LedgerRecord] = [:]
        var words: [SessionID: Correction] = [:]
        for arrival in arrivals {
            switch arrival {
            case .record(let record):
                if let held = records[record.id], held.version.rev >= record.version.rev { continue }
                records[record.id] = record
            case .correction(let word):
                if let held = words[word.session] {
                    if held.at > word.at || (held.at == word.at && held.id.rawValue > word.id.rawValue) { continue }
                }
                words[word.session] = word
            }
        }
        let all = Array(records.values)
        /// Whether a session runs, and counts, at an instant.
        func counts(_ record: LedgerRecord, at instant: Int64) -> Bool {
            var (runs, label) = (record.runs, record.label)
            if let word = words[record.id] {
                guard let content = word.content else { return false }
                (runs, label) = (content.runs, content.label)
            } else {
                let isTaken = all.contains { other in
                    guard let at = other.continuedAt else { return false }
                    return other.lineage == record.lineage && other.stamp > record.stamp && instant >= at
                }
                if isTaken { return false }
            }
            if let labels = counting.labels, !labels.contains(label?.name ?? "") { return false }
            return runs.contains { run in
                counting.kinds.contains(run.kind) && instant >= run.from && instant < (run.to ?? record.endsAt ?? 0)
            }
        }
        /// Whether time that counts goes on at present in an open run.
        func isOngoing(_ record: LedgerRecord) -> Bool {
            guard words[record.id] == nil, let last = record.runs.last, last.to == nil, last.from <= now else {
                return false
            }
            return counting.kinds.contains(last.kind) && counts(record, at: now)
        }
        func isEnough(_ lineage: SessionID) -> Bool {
            let members = all.filter { $0.lineage == lineage }
            if counting.minimum == 0 || members.contains(where: isOngoing) { return true }
            let instants = (0..<length).filter { at in at < now && members.contains { counts($0, at: at) } }
            // Behind the present there is nothing of an open run, and all of a closed one.
            let later = (now..<max(length * 3, now)).filter { at in members.contains { closed($0, at: at) } }
            return Int64(instants.count + later.count) >= counting.minimum
        }
        func closed(_ record: LedgerRecord, at instant: Int64) -> Bool {
            guard counts(record, at: instant) else { return false }
            let runs = words[record.id]?.content?.runs ?? record.runs
            return runs.contains { run in
                counting.kinds.contains(run.kind) && instant >= run.from && run.to.map { instant < $0 } ?? false
            }
        }
        let enough = Set(all.map(\.lineage)).filter(isEnough)
        owners = (0..<length * 3).map { at in
            let running = all.filter { record in
                enough.contains(record.lineage) && (at < now ? counts(record, at: at) : closed(record, at: at))
            }
            return running.max { $0.stamp < $1.stamp }?.id
        }
        let ongoing = all.filter(isOngoing)
        if !ongoing.isEmpty {
            until = (now...now + 1_000).first { at in !ongoing.contains { counts($0, at: at) } }
        }
    }
}
