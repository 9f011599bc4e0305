// SPDX-License-Identifier: Apache-2.0

package import Wire

extension CalmFeed.Trend {
    /// An arrow that every font has.
    package var sign: Localized {
        switch self {
        case .rising: "↗"
        case .falling: "↘"
        case .steady: "→"
        }
    }
}
