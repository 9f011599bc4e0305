// SPDX-License-Identifier: Apache-2.0

/// The paths of the settings that joining writes, for the machine or for one person.
package struct JoinPaths: Sendable {
    /// Whether the services are those of a person.
    package let isPersonal: Bool
    /// The folder that everything lies below, for tests; empty for this machine.
    package let root: String
    /// The folder of the settings, as the services see it.
    private let serviceFolder: String
    /// The folder of a join while it runs, without ``root``.
    package let joinFolder: String

    package init(isPersonal: Bool, root: String = "", environment: [String: String]) {
        self.isPersonal = isPersonal
        self.root = root
        let paths = Paths(environment: environment)
        let ownRuntime = environment["XDG_RUNTIME_DIR"].map { $0 + "/lockstep-join" }
        joinFolder = isPersonal ? ownRuntime ?? paths.stateDirectory + "-join" : "/run/lockstep-join"
        serviceFolder = isPersonal ? paths.settingsFolder : "/etc/lockstep"
    }

    /// Returns the path at which this process finds a file of the services; `path` is that of the services.
    package func localPath(of path: String) -> String { root + path }

    package var localFolder: String { localPath(of: serviceFolder) }

    /// The files of a service, as the service sees them.
    package struct ServiceFiles: Sendable {
        package var settings: String
        package var ownSettings: String
        package var password: String
        package var authority: String

        package init(settings: String, ownSettings: String = "", password: String, authority: String) {
            self.settings = settings
            self.ownSettings = ownSettings
            self.password = password
            self.authority = authority
        }

        /// The files that joining writes.
        package var joined: [String] { [settings, password, authority] }
    }

    package func files(of service: ServiceName) -> ServiceFiles {
        let part = service == .node ? "" : "\(service)-"
        return ServiceFiles(
            settings: "\(serviceFolder)/joined\(service == .node ? "" : "-\(service)").env",
            ownSettings: "\(serviceFolder)/\(service).env", password: "\(serviceFolder)/\(part)password",
            authority: "\(serviceFolder)/\(part)broker-ca.crt")
    }
}
