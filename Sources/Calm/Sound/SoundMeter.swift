// SPDX-License-Identifier: Apache-2.0

/// A meter that converts a recorder's bytes into one level per second. No sound is kept beyond that second.
struct SoundMeter: Sendable {
    /// The level of silence before calibration, in decibels.
    static let silence = LevelMeter.floor

    /// The format of the sound: the one given until the stream's header, if any, has been read.
    private(set) var format: PCMFormat
    /// Decibels added to each level: the sound pressure of a full-scale sine, or 0 for levels relative to it.
    private let calibration: Double

    private var meters: [LevelMeter] = []
    /// Bytes received and not yet measured: an incomplete header, or an incomplete frame.
    private var pending: [UInt8] = []
    private var isBegun = false
    private var bytesLeft: Int?
    private var frames = 0

    /// - Parameter raw: The format of a stream without a WAV or AU header.
    init(raw: PCMFormat, calibration: Double = 0) throws(SoundError) {
        format = try raw.checked()
        self.calibration = calibration
    }

    /// Measures the next bytes, in pieces of any length.
    /// - Returns: The level of each second that they complete, in tenths of a decibel: the loudest channel's maximum.
    mutating func measure(_ bytes: UnsafeRawBufferPointer) throws(SoundError) -> [Int] {
        var levels: [Int] = []
        guard isBegun else {
            pending += bytes
            guard try begin() else { return [] }
            let rest = pending
            pending = []
            rest.withUnsafeBytes { measure($0, into: &levels) }
            return levels
        }
        guard !pending.isEmpty else {
            measure(bytes, into: &levels)
            return levels
        }
        // Complete the pending frame first, then measure the rest in place.
        let missing = min(format.frameBytes - pending.count, bytes.count)
        var frame = pending
        pending = []
        frame += UnsafeRawBufferPointer(rebasing: bytes[..<missing])
        frame.withUnsafeBytes { measure($0, into: &levels) }
        measure(UnsafeRawBufferPointer(rebasing: bytes[missing...]), into: &levels)
        return levels
    }

    private mutating func begin() throws(SoundError) -> Bool {
        switch try SoundHeader.find(in: pending) {
        case .undecided: return false
        case .none: break
        case .header(let header):
            format = header.format
            bytesLeft = header.dataBytes
            pending.removeFirst(header.length)
        }
        meters = Array(repeating: LevelMeter(rate: Double(format.rate)), count: format.channels)
        isBegun = true
        return true
    }

    private mutating func measure(_ bytes: UnsafeRawBufferPointer, into levels: inout [Int]) {
        // After the sound of a WAV file come chunks of other data.
        let count = min(bytes.count, bytesLeft.map { $0 - pending.count } ?? bytes.count)
        let size = format.frameBytes
        var offset = 0
        while offset + size <= count {
            for channel in meters.indices {
                meters[channel].add(format.sample(bytes, at: offset + channel * format.encoding.bytes))
            }
            offset += size
            frames += 1
            if frames == format.rate {
                frames = 0
                levels.append(takeLevel())
            }
        }
        bytesLeft = bytesLeft.map { $0 - offset }
        if offset < count { pending += UnsafeRawBufferPointer(rebasing: bytes[offset..<count]) }
    }

    private mutating func takeLevel() -> Int {
        var loudest = LevelMeter.floor
        for channel in meters.indices { loudest = max(loudest, meters[channel].takeLoudest()) }
        return Int((10 * min(max(loudest + calibration, -200), 200)).rounded())
    }
}
