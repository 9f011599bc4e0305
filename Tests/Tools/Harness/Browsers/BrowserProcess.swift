// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process of a browser, with a folder for its profile and its log.
struct BrowserProcess: Sendable {
    let directory: TemporaryDirectory
    let pid: pid_t

    init(_ command: String, in directory: TemporaryDirectory) throws {
        self.directory = directory
        // The settings of the person who runs the tests do not matter.
        let environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path]
        pid = try Spawn.start(["/bin/sh", "-c", command], environment: environment, output: directory.file("log"))
    }

    var log: String { directory.read("log") }

    func check() throws {
        if let status = Spawn.reap(pid) { throw Failed("the browser has ended (\(status)): \(log)") }
    }

    /// Ends it and what it has started.
    func end(by signal: Int32 = SIGKILL) async {
        kill(-pid, signal)
        try? await eventually("end of the browser") { Spawn.reap(pid) != nil }
    }
}
