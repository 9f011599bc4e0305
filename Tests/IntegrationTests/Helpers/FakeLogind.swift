// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Glibc
import Support

/// A private system bus.
final class PrivateBus: Sendable {
    let directory: TemporaryDirectory
    private let pid: pid_t

    var address: String { "unix:path=\(directory.file("bus"))" }

    /// Starts a bus without access rules.
    /// - Parameter directory: The place of its socket; `nil` for a new one.
    init(in directory: TemporaryDirectory? = nil) async throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        let file = try directory.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <listen>unix:path=\(directory.file("bus"))</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        pid = try Spawn.start(
            [try Spawn.find("dbus-daemon"), "--nofork", "--nopidfile", "--config-file=\(file)"],
            output: directory.file("bus.log"))
        // The path exists before the daemon listens.
        try await eventually("the bus accepts connections") { [address] in
            var bus: OpaquePointer?
            defer { sd_bus_close_unref(bus) }
            return sd_bus_new(&bus) >= 0 && sd_bus_set_address(bus, address) >= 0 && sd_bus_start(bus) >= 0
        }
    }

    deinit { end() }

    func end() { Spawn.end(pid) }
}

/// The part of logind that a node uses. It handles calls only while ``locks`` is read.
final class FakeLogind {
    struct Lock {
        var arguments: [String]
        /// Reads end of file when the other side has closed its end.
        var descriptor: Int32
        var isReleased = false
    }

    private let bus: OpaquePointer
    private var granted: [Lock] = []
    /// Whether it refuses locks, like logind without polkit.
    var refuses = false
    private(set) var refusals = 0
    /// Whether its machine can suspend, as `CanSuspend` and `CanHibernate` say.
    var canSleep = true
    private(set) var sleepQuestions = 0

    init(on privateBus: PrivateBus) throws {
        var made: OpaquePointer?
        guard sd_bus_new(&made) >= 0, let bus = made, sd_bus_set_address(bus, privateBus.address) >= 0,
            sd_bus_set_bus_client(bus, 1) >= 0, sd_bus_start(bus) >= 0,
            sd_bus_request_name(bus, "org.freedesktop.login1", 0) >= 0
        else { throw Failed("no connection to \(privateBus.address)") }
        self.bus = bus
    }

    deinit {
        for lock in granted { close(lock.descriptor) }
        sd_bus_flush_close_unref(bus)
    }

    /// The locks granted so far.
    var locks: [Lock] {
        get throws {
            var message: OpaquePointer?
            while sd_bus_process(bus, &message) > 0 {
                defer { sd_bus_message_unref(message) }
                if sd_bus_message_is_method_call(message, "org.freedesktop.login1.Manager", "Inhibit") > 0 {
                    try inhibit(message)
                } else if sd_bus_message_is_method_call(message, "org.freedesktop.login1.Manager", nil) > 0 {
                    // CanSuspend or CanHibernate.
                    try answer(message, canSleep ? "yes" : "na")
                }
                message = nil
            }
            for index in granted.indices {
                var byte: UInt8 = 0
                if read(granted[index].descriptor, &byte, 1) == 0 { granted[index].isReleased = true }
            }
            return granted
        }
    }

    private func inhibit(_ call: OpaquePointer?) throws {
        guard !refuses else { return try refuse(call) }
        let arguments = (0..<4).map { _ in
            var text: UnsafePointer<CChar>?
            sd_bus_message_read_basic(call, CChar(UInt8(ascii: "s")), &text)
            return text.map { String(cString: $0) } ?? ""
        }
        var ends = try Pipe.make()
        defer { close(ends.write) }
        var reply: OpaquePointer?
        defer { sd_bus_message_unref(reply) }
        guard sd_bus_message_new_method_return(call, &reply) >= 0,
            sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "h")), &ends.write) >= 0,
            sd_bus_send(bus, reply, nil) >= 0, sd_bus_flush(bus) >= 0
        else { throw Failed("no reply") }
        granted.append(Lock(arguments: arguments, descriptor: ends.read))
    }

    private func answer(_ call: OpaquePointer?, _ text: String) throws {
        sleepQuestions += 1
        var reply: OpaquePointer?
        defer { sd_bus_message_unref(reply) }
        guard sd_bus_message_new_method_return(call, &reply) >= 0,
            sd_bus_message_append_basic(reply, CChar(UInt8(ascii: "s")), text) >= 0,
            sd_bus_send(bus, reply, nil) >= 0, sd_bus_flush(bus) >= 0
        else { throw Failed("no reply") }
    }

    private func refuse(_ call: OpaquePointer?) throws {
        var reply: OpaquePointer?
        defer { sd_bus_message_unref(reply) }
        guard sd_bus_message_new_method_errno(call, &reply, -EACCES, nil) >= 0, sd_bus_send(bus, reply, nil) >= 0,
            sd_bus_flush(bus) >= 0
        else { throw Failed("no reply") }
        refusals += 1
    }

    /// Announces that a suspend begins or has ended.
    func prepareForSleep(_ begins: Bool) throws {
        var message: OpaquePointer?
        defer { sd_bus_message_unref(message) }
        var value: Int32 = begins ? 1 : 0
        guard
            sd_bus_message_new_signal(
                bus, &message, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep") >= 0,
            sd_bus_message_append_basic(message, CChar(UInt8(ascii: "b")), &value) >= 0,
            sd_bus_send(bus, message, nil) >= 0, sd_bus_flush(bus) >= 0
        else { throw Failed("no signal") }
    }
}
