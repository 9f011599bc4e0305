// SPDX-License-Identifier: Apache-2.0

public import Session

extension IntentOperation {
    /// One of each operation, for tests that press at random. A new operation does not compile until it has one.
    public static let samples: [IntentOperation] = Name.allCases.map { name in
        switch name {
        case .pause: .pause
        case .resume: .resume
        case .stop: .stop
        case .extend: .extend(seconds: 60)
        case .startBreak: .startBreak
        case .startFocus: .startFocus
        case .skip: .skip
        case .correct: .correct(title: "Another", label: nil, colour: nil)
        }
    }
}
