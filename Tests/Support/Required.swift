// SPDX-License-Identifier: Apache-2.0

// A plain `swift build` compiles this too, also without Testing.
#if canImport(Testing)

import Glibc
public import Testing

extension Trait where Self == ConditionTrait {
    /// Requires a program that `Deploy/test` installs. Without it the test is skipped; with `LOCKSTEP_TEST_ALL=1`,
    /// which `Deploy/test` sets, the test fails.
    public static func requires(_ name: String, _ isInstalled: Bool) -> Self {
        .enabled("\(name) is not installed") {
            guard isInstalled || getenv("LOCKSTEP_TEST_ALL") == nil else {
                throw Failed("\(name) is not installed, and no test may be skipped")
            }
            return isInstalled
        }
    }
}

#endif
