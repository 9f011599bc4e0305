// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// The ledger of this machine and a space, for commands that read or change it.
package struct LedgerAccessOptions: ParsableArguments {
    @OptionGroup package var ledgerOptions: LedgerOptions

    @Option(help: "The space (default: that of the settings, or home). LOCKSTEP_SPACE")
    package var space: String?

    package init() {}

    package var arguments: [String] { ledgerOptions.arguments + .options(["--space": space]) }
}
