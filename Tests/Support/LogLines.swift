// SPDX-License-Identifier: Apache-2.0

public import Logging
import Synchronization

/// The messages of a logger, kept in memory for a test.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.lines.withLock { $0.append("\(event.message)") } }
    }

    public init() {}

    public var all: [String] { lines.withLock(\.self) }
    public var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
}
