// SPDX-License-Identifier: Apache-2.0

import CMosquitto
import Glibc
import Synchronization

/// An epoll, an eventfd to wake it, and a timerfd for all timers. Another timerfd is cancelled when the wall clock is
/// set.
final class Poll: Sendable {
    /// Whether a poll waits for an event.
    enum Wait: Int32 {
        case no = 0
        case untilEvent = -1
    }

    /// The events of a descriptor that are waited for.
    struct Interest: OptionSet {
        let rawValue: UInt32
        static let read = Interest(rawValue: EPOLLIN.rawValue | EPOLLRDHUP.rawValue)
        static let write = Interest(rawValue: EPOLLOUT.rawValue)
        static let edge = Interest(rawValue: EPOLLET.rawValue)
    }

    /// The events of a descriptor that have happened.
    struct Ready: Sendable {
        let token: UInt64
        let writable: Bool
        /// Whether a read would return data, the connection's end or an error.
        let readable: Bool
    }

    /// The handlers of the watched descriptors, by token.
    struct Watches {
        var handlers: [UInt64: @Sendable (Ready) -> Void] = [:]
        /// The next token; those below 3 are of the poll's own descriptors.
        var next: UInt64 = 3
    }

    static let wakeToken: UInt64 = 0
    static let timerToken: UInt64 = 1
    static let clockToken: UInt64 = 2

    private let epoll: Int32
    private let eventfd: Int32
    private let timerfd: Int32
    private let clockfd: Int32
    private let watches = Mutex(Watches())
    private let closed = Atomic<Bool>(false)

    init() throws(MQTTError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system("open an epoll", errno) }
        eventfd = CMosquitto.eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        timerfd = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        clockfd = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
        guard eventfd >= 0, timerfd >= 0, clockfd >= 0 else {
            let error = errno
            close()
            throw .system("open an eventfd and two timerfds", error)
        }
        setClockTimer()
        do throws(MQTTError) {
            // Edge-triggered: each write is one event, so the counter need not be read.
            try control(EPOLL_CTL_ADD, eventfd, [.read, .edge], Self.wakeToken)
            try control(EPOLL_CTL_ADD, timerfd, .read, Self.timerToken)
            try control(EPOLL_CTL_ADD, clockfd, .read, Self.clockToken)
        } catch {
            close()
            throw error
        }
    }

    func close() {
        guard !closed.exchange(true, ordering: .relaxed) else { return }
        for descriptor in [epoll, eventfd, timerfd, clockfd] where descriptor >= 0 { Glibc.close(descriptor) }
    }

    func wake() {
        var increment: UInt64 = 1
        _ = unsafe write(eventfd, &increment, 8)
    }

    /// Waits for the next events, at most 64. Returns none after a signal.
    func wait(_ wait: Wait) -> [Ready] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { buffer in
            guard let events = buffer.baseAddress else { return [] }
            let count = unsafe epoll_wait(epoll, events, Int32(buffer.count), wait.rawValue)
            return (0..<max(0, Int(count))).map { index in
                let event = unsafe buffer[index]
                let write = unsafe event.events & EPOLLOUT.rawValue != 0
                let read = unsafe event.events & ~EPOLLOUT.rawValue != 0
                return unsafe Ready(token: event.data.u64, writable: write, readable: read)
            }
        }
    }

    /// Sets the time of the next timer event, in boot milliseconds. A past time fires at once, `nil` never.
    func setTimer(_ milliseconds: Int64?) {
        var time = itimerspec()
        if let milliseconds {
            // Zero would disarm the timer.
            let milliseconds = max(1, milliseconds)
            time.it_value.tv_sec = Int(milliseconds / 1000)
            time.it_value.tv_nsec = Int(milliseconds % 1000) * 1_000_000
        }
        _ = unsafe timerfd_settime(timerfd, Int32(TFD_TIMER_ABSTIME), &time, nil)
    }

    /// Sets a timer for the year 2242. Setting the wall clock cancels it, which makes its descriptor readable.
    private func setClockTimer() {
        var never = itimerspec()
        never.it_value.tv_sec = 1 << 33
        _ = unsafe timerfd_settime(clockfd, Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET), &never, nil)
    }

    /// Makes the descriptor of the cancelled timer unreadable until the wall clock is set again.
    func readClockTimer() { readCount(of: clockfd) }
    func readTimer() { readCount(of: timerfd) }

    private func readCount(of descriptor: Int32) {
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
    }

    /// Calls `handler` on the loop's thread whenever the descriptor is ready.
    ///
    /// - Returns: The watch's token. Events carry it and not the descriptor, whose number may have been reused.
    func watch(
        _ descriptor: Int32,
        _ interest: Interest,
        _ handler: @escaping @Sendable (Ready) -> Void
    ) throws(MQTTError) -> UInt64 {
        let token = watches.withLock { watches in
            defer { watches.next += 1 }
            watches.handlers[watches.next] = handler
            return watches.next
        }
        do throws(MQTTError) {
            try control(EPOLL_CTL_ADD, descriptor, interest, token)
        } catch {
            _ = watches.withLock { $0.handlers.removeValue(forKey: token) }
            throw error
        }
        return token
    }

    func change(_ descriptor: Int32, _ interest: Interest, _ token: UInt64) {
        try? control(EPOLL_CTL_MOD, descriptor, interest, token)
    }

    /// Ends a watch. A closed descriptor has already left the epoll.
    func remove(_ descriptor: Int32, _ token: UInt64) {
        _ = watches.withLock { $0.handlers.removeValue(forKey: token) }
        try? control(EPOLL_CTL_DEL, descriptor, [], token)
    }

    func removeAll() {
        watches.withLock { $0.handlers = [:] }
    }

    func handler(_ token: UInt64) -> (@Sendable (Ready) -> Void)? {
        watches.withLock { $0.handlers[token] }
    }

    private func control(
        _ operation: Int32,
        _ descriptor: Int32,
        _ interest: Interest,
        _ token: UInt64
    ) throws(MQTTError) {
        guard !closed.load(ordering: .relaxed) else { throw .system("watch a descriptor", EBADF) }
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data(u64: token))
        guard unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0 else {
            throw .system("watch a descriptor", errno)
        }
    }
}
