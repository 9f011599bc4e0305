// SPDX-License-Identifier: Apache-2.0

/// From the bytes of a recorder to one level a second. Nothing of the sound itself is kept longer than that takes.
public struct SoundMeter: Sendable {
    /// What silence reads before calibration, in decibels.
    public static let silence = LevelMeter.floor

    /// How the sound stands in the bytes; until the first of them have come, as was assumed.
    public private(set) var format: PCMFormat
    /// What is added to a level: the decibels of sound pressure of a sine of full scale, or 0 for levels below that.
    private let calibration: Double

    private var meters: [LevelMeter] = []
    /// What has come and is not measured: a header that is not complete, or part of an instant.
    private var pending: [UInt8] = []
    private var isBegun = false
    private var bytesLeft: Int?
    private var frames = 0

    /// Makes a meter.
    /// - Parameters:
    ///   - raw: How the bytes are to be read where they do not say so themselves, as WAV and AU do.
    ///   - calibration: What is added to each level, in decibels.
    /// - Throws: ``SoundError`` for a format that nobody can measure.
    public init(raw: PCMFormat, calibration: Double = 0) throws(SoundError) {
        format = try raw.checked()
        self.calibration = calibration
    }

    /// Takes the next bytes, as many as there are.
    /// - Returns: The level of each second that they complete, in tenths of a decibel: its loudest moment, of the loudest
    ///   channel.
    /// - Throws: ``SoundError`` where the bytes begin with a header of something else.
    public mutating func take(_ bytes: UnsafeRawBufferPointer) throws(SoundError) -> [Int] {
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
        // What is left of an instant, and no more, is put before the rest.
        let missing = min(format.frameBytes - pending.count, bytes.count)
        var instant = pending
        pending = []
        instant += UnsafeRawBufferPointer(rebasing: bytes[..<missing])
        instant.withUnsafeBytes { measure($0, into: &levels) }
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
        // Behind the sound of a WAV file stands what is not sound.
        let count = min(bytes.count, bytesLeft.map { $0 - pending.count } ?? bytes.count)
        let size = format.frameBytes
        var offset = 0
        while offset + size <= count {
            for channel in meters.indices {
                meters[channel].take(format.sample(bytes, at: offset + channel * format.encoding.bytes))
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
