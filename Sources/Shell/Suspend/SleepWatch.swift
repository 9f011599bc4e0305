// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Dispatch
import Glibc
public import Logging
import Mosquitto

/// Tells a node before its machine suspends and after it wakes, where logind is there to say so.
///
/// It holds logind's delay lock: the machine suspends only when the others have heard that this node sleeps, or after
/// half a second. Without a system bus or without logind nothing is told, which is no error: containers have neither.
public enum SleepWatch {
    /// Watches from now on, for as long as the process lives. The system bus is that of `DBUS_SYSTEM_BUS_ADDRESS`.
    /// - Parameters:
    ///   - log: Where it says what happens.
    ///   - onSleep: Called on a thread of its own when the machine is about to suspend. Calls back, on any thread, when
    ///     it may.
    ///   - onWake: Called on that thread when the machine is awake again.
    ///   - onLock: Called on that thread when logind has given the lock, with `nil`, or has refused it, with the reason.
    public static func start(
        log: Logger, onSleep: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void,
        onWake: @escaping @Sendable () -> Void, onLock: @escaping @Sendable (_ refusal: String?) -> Void
    ) {
        do throws(MQTTError) {
            // Not on the node's thread: a bus that hangs must hold nothing up.
            try Thread.startDetached(name: "suspend") {
                do throws(BusError) {
                    var watch = Watch(bus: try Bus(), log: log, onSleep: onSleep, onWake: onWake, onLock: onLock)
                    try watch.run()
                } catch {
                    log.debug("suspends are not told", metadata: ["reason": "\(error.description)"])
                }
            }
        } catch {
            log.debug("suspends are not told", metadata: ["reason": "\(error)"])
        }
    }
}

private struct Watch: ~Copyable {
    let bus: Bus
    let log: Logger
    let onSleep: @Sendable (_ done: @escaping @Sendable () -> Void) -> Void
    let onWake: @Sendable () -> Void
    let onLock: @Sendable (_ refusal: String?) -> Void
    /// Whether the log says already that logind refuses.
    private var isRefusalSaid = false
    /// The descriptor that holds up a suspend while it is open.
    private var lock: Int32?

    init(
        bus: consuming Bus, log: Logger, onSleep: @escaping @Sendable (_ done: @escaping @Sendable () -> Void) -> Void,
        onWake: @escaping @Sendable () -> Void, onLock: @escaping @Sendable (_ refusal: String?) -> Void
    ) {
        self.onLock = onLock
        self.bus = bus
        self.log = log
        self.onSleep = onSleep
        self.onWake = onWake
    }

    deinit {
        if let lock { close(lock) }
    }

    mutating func run() throws(BusError) {
        try bus.subscribe(
            "type='signal',sender='\(Logind.name)',path='\(Logind.path)',interface='\(Logind.interface)',"
                + "member='\(Logind.signal)'")
        takeLock()
        while true {
            guard let begins = try bus.nextSuspend() else { continue }
            if begins { sleep() } else { wake() }
        }
    }

    private mutating func sleep() {
        log.info("the machine is about to suspend")
        if let lock {
            let isTold = DispatchSemaphore(value: 0)
            onSleep { isTold.signal() }
            _ = isTold.wait(timeout: .now() + .milliseconds(500))
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
            guard !error.isNobodyThere else {
                return log.debug("a suspend is not held up", metadata: ["reason": "\(error.description)"])
            }
            onLock(error.description)
            guard !isRefusalSaid else { return }
            isRefusalSaid = true
            log.warning(
                "a suspend is not held up, so the others hear late of it: install polkit (Debian: polkitd)",
                metadata: ["reason": "\(error.description)"])
        }
    }
}

private enum Logind {
    static let name = "org.freedesktop.login1"
    static let path = "/org/freedesktop/login1"
    static let interface = "org.freedesktop.login1.Manager"
    static let signal = "PrepareForSleep"
}

/// What the bus did not do, in words.
private struct BusError: Error {
    var description: String
    private let code: Int32

    init(_ what: String, _ code: Int32) {
        description = "\(what): \(String(cString: strerror(-code)))"
        self.code = code
    }

    /// Whether there is no such service on the bus, as in a container.
    var isNobodyThere: Bool { [-EHOSTUNREACH, -ENXIO, -ENOENT].contains(code) }

    static func check(_ code: Int32, _ what: String) throws(BusError) {
        if code < 0 { throw BusError(what, code) }
    }
}

/// A connection to the system bus. All of it blocks.
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
        try BusError.check(sd_bus_add_match(bus, nil, rule, nil, nil), "the system bus takes no match")
    }

    /// Waits for a message.
    /// - Returns: Whether a suspend begins or has ended; `nil` when the message was about something else.
    func nextSuspend() throws(BusError) -> Bool? {
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
        return begins != 0
    }

    /// Takes a lock that delays each suspend until it is closed.
    /// - Returns: Its descriptor; the caller closes it.
    func inhibitSleep() throws(BusError) -> Int32 {
        var call: OpaquePointer?
        let code = sd_bus_message_new_method_call(bus, &call, Logind.name, Logind.path, Logind.interface, "Inhibit")
        try BusError.check(code, "no call")
        defer { sd_bus_message_unref(call) }
        for argument in ["sleep", "Lockstep", "Tells the other screens that this one sleeps", "delay"] {
            try BusError.check(
                sd_bus_message_append_basic(call, CChar(UInt8(ascii: "s")), argument), "no argument")
        }
        var reply: OpaquePointer?
        try BusError.check(sd_bus_call(bus, call, 0, nil, &reply), "no lock of logind")
        defer { sd_bus_message_unref(reply) }
        var descriptor: Int32 = -1
        try BusError.check(
            sd_bus_message_read_basic(reply, CChar(UInt8(ascii: "h")), &descriptor), "no descriptor of logind")
        // The message closes its own.
        let lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard lock >= 0 else { throw BusError("no descriptor left", -errno) }
        return lock
    }
}
