// SPDX-License-Identifier: Apache-2.0

// Tests import only this module for programs, files and browsers.
@_exported public import Harness
