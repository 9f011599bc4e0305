// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Settings

/// The private folder of a join in the runtime directory, held by one join at a time.
///
/// A killed join leaves the folder behind, with the name of the service whose settings it was writing. The next join
/// or `leave` then removes these settings.
struct JoinFolder {
    private let lock: StateDirectory

    /// Takes the folder.
    /// - Throws: ``SetupError`` if another join has it.
    init(_ paths: JoinPaths) throws(SetupError) {
        do throws(StateDirectoryError) {
            lock = try StateDirectory(paths.localPath(of: paths.joinFolder))
        } catch {
            guard case .taken = error else { throw SetupError(error.description) }
            throw SetupError("another lockstep join runs on this machine; wait for its end")
        }
    }

    func path(_ name: String) -> String { lock.path + "/" + name }

    /// The service whose settings a killed join was writing; `nil` if there is none.
    var begun: ServiceName? { ServiceName.allCases.first { access(path("begun-\($0)"), F_OK) == 0 } }

    /// Notes that settings of a service are written from now on.
    func begin(_ service: ServiceName) throws(FileError) { try Files.replace(path("begun-\(service)"), with: []) }

    func remove() {
        let names = ["settings", "password", "authority"] + ServiceName.allCases.map { "begun-\($0)" }
        for name in names { for path in [path(name), path(name + ".new")] { unlink(path) } }
        unlink(path("lock"))
        rmdir(lock.path)
    }
}

extension JoinPaths {
    /// Returns the user and the group of the services; `nil` to keep those of this process.
    /// - Throws: ``SetupError`` if this machine has no such user.
    func owner() throws(SetupError) -> (user: uid_t, group: gid_t)? {
        guard !isPersonal, root.isEmpty else { return nil }
        guard let user = getpwnam("lockstep") else {
            throw SetupError("there is no user lockstep on this machine; install the package first")
        }
        return (user.pointee.pw_uid, user.pointee.pw_gid)
    }
}
