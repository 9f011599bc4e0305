// SPDX-License-Identifier: Apache-2.0

import Calm
import Commands
import Glibc
import Logging
import Mosquitto
import Synchronization

/// Reads a recorder on a thread that may block, and starts it again when it ends.
final class Ear: Sendable {
    /// A recorder that lives for less than this has not worked, in milliseconds.
    private static let promising: Int64 = 5_000
    private static let (shortestWait, longestWait): (Int64, Int64) = (250, 30_000)
    private static let second: Int64 = 1_000
    /// A recorder may be ahead of the clock by so much, in milliseconds: its own clock may be a little fast.
    private static let ahead: Int64 = 200
    /// Seconds of nothing at all after which it is said that the microphone may be muted.
    private static let mutedAfter = 10

    private let settings: CalmSettings
    private let recorders: [Recorder]
    private let isPaced: Bool
    private let log: Logger
    private let state = Mutex(State())
    /// Closed to wake the thread.
    private let (wakeRead, wakeWrite): (Int32, Int32)

    private struct State {
        var isStopped = false
        var process: pid_t?
    }

    /// - Parameter isPaced: Whether sound that comes faster than it was made, from a file, is heard as slowly as it was.
    init(settings: CalmSettings, isPaced: Bool, log: Logger) throws {
        self.settings = settings
        self.isPaced = isPaced
        self.log = log
        recorders = try Recorder.choose(settings)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw UsageError("no pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (wakeRead, wakeWrite) = (ends[0], ends[1])
    }

    deinit {
        close(wakeRead)
        close(wakeWrite)
    }

    /// Calls `said` with each level, on a thread of its own, until ``stop()``, or the end of standard input.
    func run(_ said: @escaping @Sendable (Int) -> Void) async throws {
        let result = await BlockingThread.run { [self] in
            do throws(SoundError) {
                try listen(said)
                return Result<Void, SoundError>.success(())
            } catch {
                return .failure(error)
            }
        }
        do {
            try result.get()
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Ends it, and the recorder.
    func stop() {
        let process = state.withLock { state in
            state.isStopped = true
            return state.process
        }
        if let process { kill(-process, SIGTERM) }
        _ = write(wakeWrite, [0], 1)
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    private func listen(_ said: (Int) -> Void) throws(SoundError) {
        var (wait, next) = (Self.shortestWait, 0)
        while !isStopped {
            let recorder = recorders[next]
            let began = EventLoop.bootMilliseconds()
            let end = try hear(recorder, said)
            if recorder == .standardInput || isStopped { return }
            let lived = EventLoop.bootMilliseconds() - began
            if lived >= Self.promising { wait = Self.shortestWait } else { next = (next + 1) % recorders.count }
            log.warning("\(recorder) has ended (\(end)); \(recorders[next]) is started in \(wait) ms")
            pause(wait)
            wait = min(2 * wait, Self.longestWait)
        }
    }

    private func pause(_ milliseconds: Int64) {
        var waited = [pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0)]
        let end = EventLoop.bootMilliseconds() + milliseconds
        while !isStopped {
            let left = end - EventLoop.bootMilliseconds()
            if left <= 0 || poll(&waited, 1, Int32(left)) > 0 { return }
        }
    }

    /// - Returns: How the recorder has ended.
    private func hear(_ recorder: Recorder, _ said: (Int) -> Void) throws(SoundError) -> String {
        var meter = try SoundMeter(raw: settings.format, calibration: settings.calibration)
        let source: Int32
        switch recorder {
        case .standardInput: source = STDIN_FILENO
        case .command:
            guard let started = recorder.start() else { return "it cannot be started" }
            source = started.output
            let mustEnd = state.withLock { state in
                state.process = started.process
                return state.isStopped
            }
            if mustEnd { kill(-started.process, SIGTERM) }
        }
        let fault = Result { () throws(SoundError) in try read(source, &meter, said) }
        guard case .command = recorder else {
            try fault.get()
            return "its end"
        }
        close(source)
        let process = state.withLock { state in
            defer { state.process = nil }
            return state.process
        }
        guard let process else { return "" }
        kill(-process, SIGTERM)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        if case .failure(let error) = fault { return "\(error)" }
        return status & 0x7F == 0 ? "exit code \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
    }

    private func read(_ source: Int32, _ meter: inout SoundMeter, _ said: (Int) -> Void) throws(SoundError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        // The last of the sound does not stay in memory that somebody else gets.
        defer {
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            buffer.deallocate()
        }
        var due: Int64?
        var silent = 0
        var waited = [
            pollfd(fd: source, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeRead, events: Int16(POLLIN), revents: 0),
        ]
        while !isStopped {
            guard poll(&waited, 2, -1) > 0 else { continue }
            if waited[1].revents != 0 { return }
            let count = Glibc.read(source, buffer.baseAddress, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return }
            due = due ?? EventLoop.bootMilliseconds() + Self.second + Self.ahead
            for level in try meter.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                if isPaced { keepPace(&due) }
                guard !isStopped else { return }
                said(level)
                silent = level <= Int((10 * (SoundMeter.silence + settings.calibration)).rounded()) ? silent + 1 : 0
                if silent == Self.mutedAfter { log.warning("nothing but zeros comes: is the microphone muted?") }
            }
        }
    }

    /// Waits until the second is nearly over that a level is of. A recorder whose clock is fast is followed slowly.
    private func keepPace(_ due: inout Int64?) {
        let now = EventLoop.bootMilliseconds()
        let time = due ?? now
        let lead = time - now
        if lead > Self.ahead { pause(lead - Self.ahead) }
        // After a gap it goes on from there, and does not hurry to make up for it.
        due = max(time, now - Self.second) + Self.second - min(max(lead, 0), Self.ahead) / Self.ahead
    }
}
