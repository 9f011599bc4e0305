// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Subprocess

extension Subprocess.Environment {
    /// The environment of this process without the settings, which may hold the broker's password.
    package static var withoutSettings: Self {
        let settings = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("LOCKSTEP_") }
        return .inherit.updating(Dictionary(uniqueKeysWithValues: settings.map { (.init(stringLiteral: $0), nil) }))
    }
}
