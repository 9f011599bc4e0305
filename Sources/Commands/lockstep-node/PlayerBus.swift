// SPDX-License-Identifier: Apache-2.0

import API
import CSystemd
import Display
import Glibc
import NodeRuntime
import Platform
import Runtime
import Session
import Synchronization

/// Passes the newest view of a node to the thread of the player.
final class PlayerViewBox: Sendable {
    private let pipe: WakePipe
    private let view = Mutex<NodeView?>(nil)

    init() throws(FileError) { pipe = try WakePipe() }

    var descriptor: Int32 { pipe.readEnd }

    /// - Parameter view: `nil` while the node is away.
    func store(_ view: NodeView?) {
        self.view.withLock { $0 = view }
        pipe.wake()
    }

    func take() -> NodeView? {
        _ = pipe.drain()
        return view.withLock(\.self)
    }
}

/// The player on the session bus. It has its name there only while a session lives. Only one thread uses it.
final class PlayerBus {
    private static let path = "/org/mpris/MediaPlayer2"
    private static let interface = "org.mpris.MediaPlayer2.Player"
    private static let gone = "the session bus is gone"

    private let bus: OpaquePointer
    private let strings: Strings
    private let ask: (Player.Request) -> Void
    private var player: Player?
    /// The name of the player on the bus; `nil` without a session.
    private var name: String?

    /// Connects to the bus of `DBUS_SESSION_BUS_ADDRESS`, else of the person's runtime directory.
    /// - Parameter ask: Receives the requests of media keys.
    init(strings: Strings, ask: @escaping (Player.Request) -> Void) throws(BusError) {
        var opened: OpaquePointer?
        let code = sd_bus_open_user(&opened)
        guard code >= 0, let opened else {
            throw BusError(
                "no session bus; run it in a desktop session, as with systemctl --user enable --now lockstep-desktop",
                code)
        }
        bus = opened
        self.strings = strings
        self.ask = ask
        let added = csystemd_add_player(
            bus, Self.path,
            { _, _, _, property, reply, data, _ in PlayerBus.of(data)?.append(property, to: reply) ?? -EINVAL },
            { call, data, _ in PlayerBus.of(data)?.answer(call) ?? -EINVAL }, Unmanaged.passUnretained(self).toOpaque())
        try BusError.check(added, "the session bus takes no player")
    }

    deinit { sd_bus_flush_close_unref(bus) }

    /// Shows the session of the newest view, until the bus is gone. It wakes for a view, a call and its next change.
    func run(_ box: PlayerViewBox) throws(BusError) {
        while true {
            try show(box.take())
            while try BusError.check(sd_bus_process(bus, nil), Self.gone) > 0 {}
            try BusError.check(sd_bus_flush(bus), Self.gone)
            var waited = [
                pollfd(fd: box.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: sd_bus_get_fd(bus), events: Int16(POLLIN), revents: 0),
            ]
            let wait = player?.nextChange.map { max(($0 - Clocks.boot()).count, 0) }
            _ = poll(&waited, nfds_t(waited.count), Int32(clamping: wait ?? -1))
        }
    }

    private func show(_ view: NodeView?) throws(BusError) {
        let now = Clocks.boot()
        let earlier = player
        player = view.flatMap { Player($0, at: now, strings: strings) }
        guard let player else {
            if let name { try BusError.check(sd_bus_release_name(bus, name), Self.gone) }
            return name = nil
        }
        guard name != nil, let earlier else { return try takeName() }
        var changes = player.changes(since: earlier).map { strdup($0) } + [nil]
        defer { for change in changes { free(change) } }
        if changes.count > 1 {
            try BusError.check(
                sd_bus_emit_properties_changed_strv(bus, Self.path, Self.interface, &changes), Self.gone)
        }
        if player.hasJumped(since: earlier) { try tellPosition(at: now) }
    }

    /// Takes the name of the player. A second player gets the suffix that the specification asks for.
    private func takeName() throws(BusError) {
        var wanted = "org.mpris.MediaPlayer2.lockstep"
        var code = sd_bus_request_name(bus, wanted, 0)
        if code == -EEXIST {
            wanted += ".instance\(getpid())"
            code = sd_bus_request_name(bus, wanted, 0)
        }
        try BusError.check(code, "the session bus refuses the name \(wanted)")
        name = wanted
    }

    private func tellPosition(at now: BootTime) throws(BusError) {
        var signal: OpaquePointer?
        defer { sd_bus_message_unref(signal) }
        try BusError.check(
            sd_bus_message_new_signal(bus, &signal, Self.path, Self.interface, "Seeked"), Self.gone)
        if let position = Player.value(of: "Position", in: player, at: now) { _ = Self.append(position, to: signal) }
        try BusError.check(sd_bus_send(bus, signal, nil), Self.gone)
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> PlayerBus? {
        data.map { Unmanaged<PlayerBus>.fromOpaque($0).takeUnretainedValue() }
    }

    private func answer(_ call: OpaquePointer?) -> Int32 {
        let method = sd_bus_message_get_member(call).map { String(cString: $0) } ?? ""
        if let request = player?.request(for: method) { ask(request) }
        var reply: OpaquePointer?
        defer { sd_bus_message_unref(reply) }
        let code = sd_bus_message_new_method_return(call, &reply)
        return code < 0 ? code : sd_bus_send(bus, reply, nil)
    }

    private func append(_ property: UnsafePointer<CChar>?, to reply: OpaquePointer?) -> Int32 {
        let now = Clocks.boot()
        let value = property.flatMap { Player.value(of: String(cString: $0), in: player, at: now) }
        return value.map { Self.append($0, to: reply) } ?? -ENOENT
    }

    /// Appends a value; returns a negative error code if a part cannot be written.
    private static func append(_ value: Player.Value, to message: OpaquePointer?) -> Int32 {
        func basic(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) -> Int32 {
            sd_bus_message_append_basic(message, CChar(UInt8(ascii: type)), value)
        }
        func within(_ type: Unicode.Scalar, _ contents: String, _ write: () -> [Int32]) -> Int32 {
            let opened = sd_bus_message_open_container(message, CChar(UInt8(ascii: type)), contents)
            return ([opened] + write() + [sd_bus_message_close_container(message)]).min() ?? 0
        }
        switch value {
        case .text(let text): return basic("s", text)
        case .path(let path): return basic("o", path)
        case .flag(let flag):
            var number: Int32 = flag ? 1 : 0
            return basic("b", &number)
        case .real(var number): return basic("d", &number)
        case .whole(var number): return basic("x", &number)
        case .texts(let texts): return within("a", "s") { texts.map { basic("s", $0) } }
        case .entries(let entries):
            return within("a", "{sv}") {
                entries.map { entry in
                    within("e", "sv") {
                        let value = { within("v", entry.value.signature) { [append(entry.value, to: message)] } }
                        return [basic("s", entry.key), value()]
                    }
                }
            }
        }
    }
}

extension Player.Value {
    fileprivate var signature: String {
        switch self {
        case .text: "s"
        case .texts: "as"
        case .path: "o"
        case .flag: "b"
        case .real: "d"
        case .whole: "x"
        case .entries: "a{sv}"
        }
    }
}
