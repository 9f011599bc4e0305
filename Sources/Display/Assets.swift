// SPDX-License-Identifier: Apache-2.0

import CAssets

/// The catalogues of words, which are embedded in the programs.
enum Assets {
    static func bytes(named name: String) -> [UInt8]? {
        for index in 0..<asset_count() {
            let asset = asset_at(index)
            guard let bytes = asset.bytes, String(cString: asset.name) == name else { continue }
            return Array(UnsafeBufferPointer(start: bytes, count: asset.count))
        }
        return nil
    }

    static func names(withSuffix suffix: String) -> [String] {
        (0..<asset_count()).map { String(cString: asset_at($0).name) }.filter { $0.hasSuffix(suffix) }
    }
}
