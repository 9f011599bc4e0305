// SPDX-License-Identifier: Apache-2.0

/// A service that joins a broker; its program and its unit are `lockstep-` and the name.
package enum ServiceName: String, CaseIterable, Sendable { case node, calm, debt }
