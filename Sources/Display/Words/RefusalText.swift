// SPDX-License-Identifier: Apache-2.0

package import Session

/// The texts for a press that had no effect.
package enum RefusalText {
    /// Returns the text of a reply. If there was no answer, it also says how long the press can still take effect.
    package static func text(_ key: Strings.Key, _ strings: Strings) -> Localized {
        guard key == .noAnswer else { return strings[key] }
        let late = strings.text(.lateEffect, count: Limits.intentLife.wholeSeconds)
        return [strings[key], late].joined(separator: Localized.separator)
    }

    /// Returns the string for an owner's reason.
    /// - Parameter refusal: The reason; `nil` for one unknown to this version.
    package static func key(of refusal: Refusal?) -> Strings.Key {
        switch refusal {
        case .superseded: .refusedSuperseded
        case .stalePhase: .refusedStalePhase
        case .expired: .refusedExpired
        case .notAllowed, nil: .refusedNotAllowed
        case .invalid: .refusedInvalid
        case .busy: .refusedBusy
        }
    }
}
