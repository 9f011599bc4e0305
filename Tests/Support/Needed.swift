// SPDX-License-Identifier: Apache-2.0

// The benchmark uses what is beside this, and is built where there is no Testing.
#if canImport(Testing)

import Glibc
public import Testing

extension Trait where Self == ConditionTrait {
    /// A test that needs a program which not everybody has, and which `Deploy/test` installs.
    ///
    /// Where it is missing the test is skipped; with `LOCKSTEP_TEST_ALL=1`, which `Deploy/test` sets, the test fails.
    /// - Parameters:
    ///   - name: What is needed, in words.
    ///   - isThere: Whether this machine has it.
    public static func needs(_ name: String, _ isThere: Bool) -> Self {
        .enabled("\(name) is not installed") {
            guard isThere || getenv("LOCKSTEP_TEST_ALL") == nil else {
                throw Failed("\(name) is not installed, and no test is to be skipped")
            }
            return isThere
        }
    }
}

#endif
