// SPDX-License-Identifier: Apache-2.0

import CAssets

/// The catalogues of words, which are embedded in the programs.
enum Assets {
    static func bytes(named name: String) -> [UInt8]? {
        let found = (0..<asset_count()).map(asset_at).first { String(cString: $0.name) == name }
        guard let found, let bytes = found.bytes else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: found.count))
    }

    static func names(withSuffix suffix: String) -> [String] {
        (0..<asset_count()).map { String(cString: asset_at($0).name) }.filter { $0.hasSuffix(suffix) }
    }
}
