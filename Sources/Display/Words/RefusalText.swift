// SPDX-License-Identifier: Apache-2.0

public import Session

/// Why a press came to nothing, as displays say it.
public enum RefusalText {
    /// The string for a reply; `nil` where the press took effect, or it was so already.
    public static func key(of reply: Reply) -> Strings.Key? {
        switch reply {
        case .answered(let answer):
            if case .refused(let refusal) = answer.outcome { key(of: refusal) } else { nil }
        case .noAnswer: .noAnswer
        case .noSession: .noSession
        case .invalid: .refusedInvalid
        }
    }

    /// The string for an owner's reason.
    /// - Parameter refusal: `nil` for a reason that this version does not know.
    public static func key(of refusal: Refusal?) -> Strings.Key {
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
