// SPDX-License-Identifier: Apache-2.0

import Session
import Support
import Testing

@testable import Debt

/// Where the ledgers of a test are: in files, or in a real PostgreSQL.
enum Store {
    @TaskLocal fileprivate static var server: Postgres?

    static var isShared: Bool { server != nil }

    /// Returns the place of a ledger of a name, the same one each time.
    static func place(_ name: String = "ledger.sqlite", in directory: TemporaryDirectory) throws -> String {
        guard let server else { return directory.file(name) }
        // A schema is made in a tenth of the time of a database.
        let schema = "ledger_\(FNV.hash(Array(directory.file(name).utf8).span))"
        try PostgresConnection(server.url()).command("CREATE SCHEMA IF NOT EXISTS \(schema)")
        return server.url() + "?options=-csearch_path%3D\(schema)"
    }
}

/// Runs each test of a suite twice: with ledgers in files, and in a PostgreSQL that all such suites share.
struct BothStores: SuiteTrait, TestTrait, TestScoping {
    /// The server, while a suite uses it.
    private actor Shared {
        private var users = 0
        private var server: Task<Postgres, any Error>?

        func begin() {
            users += 1
            guard server == nil else { return }
            server = Task {
                let server = try await Postgres()
                try await server.start()
                return server
            }
        }

        func running() async throws -> Postgres {
            guard let server else { throw Failed("the suite has ended") }
            return try await server.value
        }

        func end() async throws {
            users -= 1
            guard users == 0, let server else { return }
            self.server = nil
            try await server.value.stop()
        }
    }

    private static let shared = Shared()

    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? self : nil
    }

    @concurrent
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard Postgres.isInstalled else { return try await function() }
        if test.isSuite {
            await Self.shared.begin()
            let result: Result<Void, any Error>
            do { result = .success(try await function()) } catch { result = .failure(error) }
            try await Self.shared.end()
            return try result.get()
        }
        try await function()
        let server = try await Self.shared.running()
        try await Store.$server.withValue(server) { try await function() }
    }
}

extension SuiteTrait where Self == BothStores {
    static var onBothStores: Self { Self() }
}
