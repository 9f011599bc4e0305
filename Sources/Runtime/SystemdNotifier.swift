// SPDX-License-Identifier: Apache-2.0

import CSystemd

/// Tells systemd the state of this process.
package enum SystemdNotifier {
    /// Sends one state, such as `READY=1` or `STOPPING=1`; does nothing without `NOTIFY_SOCKET`.
    package static func notify(_ state: String) { _ = sd_notify(0, state) }
}
