// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Dispatch
import Glibc
package import Logging
import Platform

/// A watch that notifies a node before its machine suspends and after it wakes up, by signals of logind. It holds
/// logind's delay lock: the machine suspends when other nodes have been notified, or after half a second. Without a
/// system bus or logind it does nothing, which is no error: containers have neither.
package enum SleepWatch {
    /// Seconds until a lost system bus is tried again. An update of the system restarts the bus in less time.
    private static let retrySeconds: UInt32 = 5

    /// Starts a thread that watches until the process ends. The system bus is that of `DBUS_SYSTEM_BUS_ADDRESS`.
    /// - Parameters:
    ///   - onSleep: Called on the thread when the machine is about to suspend. It must call `done`, on any thread, when
    ///     the machine may suspend.
    ///   - onWake: Called on the thread when the machine is awake again.
    ///   - onLock: Called on the thread with `nil` when logind has granted the lock, or with the reason of its refusal.
    package static func start(
        log: Logger, onSleep: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void,
        onWake: @escaping @Sendable () -> Void, onLock: @escaping @Sendable (_ refusal: String?) -> Void
    ) {
        do throws(FileError) {
            // Not on the node's thread: a bus that hangs must not block it.
            try Thread.start(name: "suspend") {
                var wasWatching = false
                while true {
                    var isWatching = false
                    do throws(BusError) {
                        var watch = Watch(bus: try Bus(), log: log, onSleep: onSleep, onWake: onWake, onLock: onLock)
                        try watch.begin()
                        isWatching = true
                        if wasWatching { log.info("suspends are watched again") }
                        try watch.run()
                    } catch {
                        guard isWatching || wasWatching else {
                            log.debug(
                                "suspends are not watched: no logind", metadata: ["reason": "\(error.description)"])
                            return
                        }
                        wasWatching = true
                        if isWatching {
                            log.warning(
                                "suspends are not noticed until the system bus is back",
                                metadata: ["reason": "\(error.description)"])
                            // The signal of the end of a suspend may be lost.
                            onWake()
                        }
                        sleep(retrySeconds)
                    }
                }
            }
        } catch {
            log.debug("suspends are not watched: no thread", metadata: ["reason": "\(error)"])
        }
    }
}

/// A follower of logind's signals, which holds the lock that delays a suspend.
private struct Watch: ~Copyable {
    let bus: Bus
    let log: Logger
    let onSleep: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    let onWake: @Sendable () -> Void
    let onLock: @Sendable (_ refusal: String?) -> Void
    var isRefusalLogged = false
    /// The descriptor that delays a suspend while it is open.
    var lock: Int32?

    deinit {
        if let lock { close(lock) }
    }

    mutating func begin() throws(BusError) {
        try bus.subscribe(
            "type='signal',sender='\(Logind.name)',path='\(Logind.path)',interface='\(Logind.interface)',"
                + "member='\(Logind.signal)'")
        takeLock()
    }

    mutating func run() throws(BusError) {
        while true {
            switch try bus.nextSignal() {
            case .begins: sleep()
            case .ended: wake()
            case nil: break
            }
        }
    }

    private mutating func sleep() {
        log.info("the machine is about to suspend")
        if let lock {
            let notified = DispatchSemaphore(value: 0)
            onSleep { notified.signal() }
            _ = notified.wait(timeout: .now() + .milliseconds(500))
            close(lock)
        } else {
            onSleep {}
        }
        lock = nil
    }

    private mutating func wake() {
        log.info("the machine is awake again")
        onWake()
        takeLock()
    }

    private mutating func takeLock() {
        guard lock == nil else { return }
        do throws(BusError) {
            lock = try bus.inhibitSleep()
            onLock(nil)
        } catch {
            guard !error.isServiceMissing else {
                return log.debug("a suspend is not delayed", metadata: ["reason": "\(error.description)"])
            }
            guard bus.mayMachineSleep else {
                return log.debug("this machine never suspends", metadata: ["reason": "\(error.description)"])
            }
            onLock(error.description)
            guard !isRefusalLogged else { return }
            isRefusalLogged = true
            log.warning(
                "a suspend is not delayed, so other nodes notice it late: install polkit (Debian: polkitd)",
                metadata: ["reason": "\(error.description)"])
        }
    }
}

/// The names of logind on the bus.
private enum Logind {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let interface = "org.freedesktop.login1.Manager"
    static let signal = "PrepareForSleep"
}

/// A signal of logind about a suspend of the machine.
private enum SuspendSignal { case begins, ended }

/// A connection to the system bus. All calls block.
private struct Bus: ~Copyable {
    private let bus: OpaquePointer

    init() throws(BusError) {
        var bus: OpaquePointer?
        let code = sd_bus_open_system(&bus)
        guard code >= 0, let bus else { throw BusError("no system bus", code) }
        self.bus = bus
    }

    deinit { sd_bus_flush_close_unref(bus) }

    func subscribe(_ rule: String) throws(BusError) {
        try BusError.check(sd_bus_add_match(bus, nil, rule, nil, nil), "the system bus refuses the subscription")
    }

    /// Waits for a message. Returns `nil` if it is no signal about a suspend.
    func nextSignal() throws(BusError) -> SuspendSignal? {
        var message: OpaquePointer?
        let code = sd_bus_process(bus, &message)
        try BusError.check(code, "the system bus is gone")
        defer { sd_bus_message_unref(message) }
        guard let message else {
            if code == 0 {
                let waited = sd_bus_wait(bus, .max)
                if waited != -EINTR { try BusError.check(waited, "the system bus is gone") }
            }
            return nil
        }
        var begins: Int32 = 0
        guard sd_bus_message_is_signal(message, Logind.interface, Logind.signal) > 0,
            sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &begins) > 0
        else { return nil }
        return begins != 0 ? .begins : .ended
    }

    /// Whether the machine can suspend or hibernate. Many boards of kiosks cannot.
    var mayMachineSleep: Bool {
        ["CanSuspend", "CanHibernate"].contains { method in
            var call: OpaquePointer?
            var reply: OpaquePointer?
            defer {
                sd_bus_message_unref(call)
                sd_bus_message_unref(reply)
            }
            guard
                sd_bus_message_new_method_call(bus, &call, Logind.name, Logind.path, Logind.interface, method) >= 0,
                sd_bus_call(bus, call, 0, nil, &reply) >= 0
            else { return true }
            var text: UnsafePointer<CChar>?
            guard sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "s")), &text) > 0, let text else { return true }
            return String(cString: text) != "na"
        }
    }

    /// Requests a lock that delays each suspend until its descriptor is closed, which is the caller's task.
    func inhibitSleep() throws(BusError) -> Int32 {
        var call: OpaquePointer?
        let code = sd_bus_message_new_method_call(bus, &call, Logind.name, Logind.path, Logind.interface, "Inhibit")
        try BusError.check(code, "no call")
        defer { sd_bus_message_unref(call) }
        for argument in ["sleep", "Lockstep", "Notifies the other screens that this one is suspended", "delay"] {
            try BusError.check(
                sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), argument), "no argument")
        }
        var reply: OpaquePointer?
        try BusError.check(sd_bus_call(bus, call, 0, nil, &reply), "logind grants no lock")
        defer { sd_bus_message_unref(reply) }
        var descriptor: Int32 = -1
        try BusError.check(
            sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "h")), &descriptor), "logind sent no descriptor")
        // The message closes its own descriptor, so this is a copy.
        let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard lock >= 0 else { throw BusError("no descriptor left", -errno) }
        return lock
    }
}
