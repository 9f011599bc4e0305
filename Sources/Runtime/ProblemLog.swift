// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization

/// Logs a problem once, however often it is reported, until another one is reported or it is over.
package final class ProblemLog: Sendable {
    private let log: Logger
    private let reported = Mutex<String?>(nil)

    package init(_ log: Logger) { self.log = log }

    package var current: String? { reported.withLock(\.self) }

    package func report(_ problem: String, _ metadata: Logger.Metadata = [:]) {
        let isNew = reported.withLock { reported in
            defer { reported = problem }
            return reported != problem
        }
        if isNew { log.warning("\(problem)", metadata: metadata) }
    }

    /// Forgets the last problem, so that it is logged if it comes back.
    package func clear() { reported.withLock { $0 = nil } }
}
