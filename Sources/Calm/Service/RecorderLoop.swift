// SPDX-License-Identifier: Apache-2.0

import Glibc
import Logging
import Platform
import Runtime
import Session
import Settings
import Synchronization
import SystemPackage

/// A loop that measures the sound of a recorder, and restarts one that ends. It reads on a thread, since a pipe blocks.
final class RecorderLoop: Sendable {
    /// A recorder that ends within this time has failed, and the next one is tried.
    private static let minimumLife: Milliseconds = 5_000
    /// The back-off between two starts.
    private static let (shortestWait, longestWait): (Milliseconds, Milliseconds) = (250, 30_000)
    private static let second: Milliseconds = 1_000
    /// How far sound may be ahead of the clock: the recorder's clock may be slightly fast.
    private static let aheadLimit: Milliseconds = 200
    /// Seconds of digital silence after which a warning is logged.
    private static let mutedAfter = 10

    private let settings: CalmSettings
    private let recorders: [Recorder]
    private let isPaced: Bool
    private let log: Logger
    private let stopped = Atomic(false)
    private let stopPipe: WakePipe

    /// - Parameter isPaced: Whether sound that arrives faster than real time, from a file, is slowed down.
    init(settings: CalmSettings, isPaced: Bool, log: Logger) throws {
        self.settings = settings
        self.isPaced = isPaced
        self.log = log
        recorders = try Recorder.candidates(for: settings)
        stopPipe = try WakePipe()
    }

    /// Calls `report` with each level, on its own thread, until ``stop()`` or the end of standard input.
    func run(_ report: @escaping @Sendable (Int) -> Void) async throws {
        do throws(SoundError) {
            try await listen(report)
        } catch {
            throw SettingError("\(error)")
        }
    }

    /// Ends ``run(_:)`` and the recorder. Called from any thread.
    func stop() {
        stopped.store(true, ordering: .relaxed)
        stopPipe.wake()
    }

    private var isStopped: Bool { stopped.load(ordering: .relaxed) }

    private func listen(_ report: @escaping @Sendable (Int) -> Void) async throws(SoundError) {
        var (wait, next) = (Self.shortestWait, 0)
        while !isStopped {
            let meter = try SoundMeter(raw: settings.format, calibration: settings.calibration)
            guard case .command(let arguments) = recorders[next] else {
                return try await measure(STDIN_FILENO, meter, report).get()
            }
            let began = Clocks.boot()
            let ran = await Recorder.run(arguments) { output in await self.measure(output.rawValue, meter, report) }
            if isStopped { return }
            var end = ran?.end ?? "it cannot be started"
            if case .failure(let fault)? = ran?.value { end = "\(fault)" }
            let recorder = recorders[next]
            let lived = Clocks.boot() - began
            if lived >= Self.minimumLife { wait = Self.shortestWait } else { next = (next + 1) % recorders.count }
            log.warning("\(recorder) has ended (\(end)); \(recorders[next]) is started in \(wait) ms")
            let rest = wait
            await Thread.run(name: "recorder") { self.pause(rest) }
            wait = min(2 * wait, Self.longestWait)
        }
    }

    /// Reads on a thread until ``stop()`` or the end of the sound.
    private func measure(
        _ source: Int32, _ meter: SoundMeter, _ report: @escaping @Sendable (Int) -> Void
    ) async -> Result<Void, SoundError> {
        await Thread.run(name: "recorder") {
            var meter = meter
            return Result { () throws(SoundError) in try self.read(source, &meter, report) }
        }
    }

    private func pause(_ length: Milliseconds) {
        var descriptors = [pollfd(fd: stopPipe.readEnd, events: Int16(POLLIN), revents: 0)]
        let end = Clocks.boot() + length
        while !isStopped {
            let left = end - Clocks.boot()
            if left <= 0 || poll(&descriptors, 1, Int32(left.count)) > 0 { return }
        }
    }

    private func read(_ source: Int32, _ meter: inout SoundMeter, _ report: (Int) -> Void) throws(SoundError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        // No sound stays in freed memory.
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        var due: BootTime?
        var silent = 0
        var descriptors = [
            pollfd(fd: source, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopPipe.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        while !isStopped {
            guard poll(&descriptors, 2, -1) > 0 else { continue }
            if descriptors[1].revents != 0 { return }
            let count = Glibc.read(source, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            due = due ?? Clocks.boot() + Self.second + Self.aheadLimit
            for level in try meter.measure(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                if isPaced { keepPace(&due) }
                guard !isStopped else { return }
                report(level)
                silent = level <= Int((10 * (SoundMeter.silence + settings.calibration)).rounded()) ? silent + 1 : 0
                if silent == Self.mutedAfter {
                    log.warning("the recorder delivers only zeros: is the microphone muted?")
                }
            }
        }
    }

    /// Waits until the second of a level is nearly over. `due` slowly follows a recorder whose clock is fast.
    private func keepPace(_ due: inout BootTime?) {
        let now = Clocks.boot()
        let time = due ?? now
        let ahead = time - now
        if ahead > Self.aheadLimit { pause(ahead - Self.aheadLimit) }
        // After a gap it does not catch up.
        // A recorder that is always ahead moves it by 1 ms a second.
        due = max(time, now - Self.second) + Self.second - (ahead >= Self.aheadLimit ? 1 : 0)
    }
}
