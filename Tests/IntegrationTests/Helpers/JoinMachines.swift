// SPDX-License-Identifier: Apache-2.0

import Glibc
import Settings
import Support

/// The machine of a broker, in a folder of its own. `lockstep broker` sets it up, and a mosquitto runs on loopback.
final class BrokerMachine {
    let root = Result { try TemporaryDirectory() }
    let port = Port.free()
    private var child: pid_t?

    var directory: TemporaryDirectory { get throws { try root.get() } }
    var log: String { (try? directory.read("log")) ?? "" }

    /// Sets the broker up and starts it.
    init(_ options: String...) async throws {
        let result = try await CommandLine.run(
            ["broker", "setup", "--port", "\(port)", "--destdir", try directory.path] + options)
        guard result.code == 0 else { throw Failed("setup: \(result)") }
        try await start()
    }

    deinit { stop() }

    /// Runs `lockstep` for this machine.
    func lockstep(_ arguments: String...) async throws -> CommandResult {
        try await CommandLine.run(arguments + ["--destdir", try directory.path])
    }

    func start() async throws {
        let directory = try directory
        let config = directory.read("etc/mosquitto/conf.d/lockstep.conf").split(separator: "\n").map { line -> String in
            if line.hasPrefix("persistence") { return "#" }
            return String(line.replacing("/etc/mosquitto", with: directory.file("etc/mosquitto")))
        }
        for folder in ["run", "run/mosquitto"] { mkdir(directory.file(folder), 0o755) }
        let more = ["user root", "pid_file \(directory.file("run/mosquitto/mosquitto.pid"))", "log_type all", ""]
        let path = try directory.write((config + more).joined(separator: "\n"), to: "mosquitto.conf")
        child = try Spawn.start([try Spawn.find("mosquitto"), "-c", path], output: directory.file("log"))
        try await eventually("the broker runs") { log.contains(" running") }
    }

    func stop() {
        if let child { Spawn.end(child) }
        child = nil
    }

    /// Invites a node, and returns the token.
    func invite(_ arguments: String...) async throws -> String {
        let result = try await CommandLine.run(["invite", "--json", "--destdir", try directory.path] + arguments)
        let words = result.json.command.text?.split(separator: " ") ?? []
        guard words.starts(with: ["sudo", "lockstep", "join"]), words.count >= 4 else { throw Failed("\(result)") }
        return String(words[3])
    }

    /// The line of a member; `null` if there is none.
    func member(_ node: String) async throws -> JSON {
        let members = try await lockstep("members", "--json").json
        return members.members.items.first { $0.node.text == node } ?? .null
    }
}

/// A machine that joins, in a folder of its own. Stand-ins of systemd and its journal run the real services.
final class JoiningMachine {
    let directory: TemporaryDirectory
    private let isPersonal: Bool

    /// Makes the folder of the machine.
    /// - Parameter hasManager: Whether a service manager runs.
    init(isPersonal: Bool = false, hasManager: Bool = true) throws {
        directory = try TemporaryDirectory()
        self.isPersonal = isPersonal
        for folder in ["bin", "run", "run/systemd", "home"] { mkdir(directory.file(folder), 0o755) }
        guard hasManager else { return }
        mkdir(directory.file("run/systemd/system"), 0o755)
        try directory.write(standIn, to: "bin/systemctl")
        try directory.write("#!/bin/sh\ntail -n 1 \(directory.file("log.node"))\n", to: "bin/journalctl")
        for name in ["systemctl", "journalctl"] { chmod(directory.file("bin/\(name)"), 0o755) }
    }

    deinit {
        for part in ["node", "calm", "debt"] {
            if let child = pid_t(directory.read("running.\(part)").filter(\.isNumber)) { kill(child, SIGKILL) }
        }
    }

    private var settings: String { isPersonal ? "home/.config/lockstep" : "etc/lockstep" }

    private var standIn: String {
        """
        #!/bin/bash
        root=\(directory.path) unit=${!#}
        part=${unit%.service} part=${part#lockstep-}
        [ "$1" != --user ] || shift
        echo "$*" >>"$root/calls"
        end() {
            [ -e "$root/running.$part" ] || return 0
            pid=$(cat "$root/running.$part")
            rm "$root/running.$part"
            kill "$pid" 2>/dev/null
            while [ -e "/proc/$pid/exe" ]; do sleep 0.05; done
        }
        case "$1" in
        is-enabled) test -e "$root/enabled.$part" ;;
        is-active) test -e "$root/running.$part" ;;
        enable) touch "$root/enabled.$part" ;;
        disable) rm -f "$root/enabled.$part"; case "$*" in *--now*) end ;; esac ;;
        stop) end ;;
        restart)
            end
            if [ -e "$root/hang" ]; then
                touch "$root/hangs"
                while [ -e "$root/hang" ]; do sleep 0.05; done
                exit 1
            fi
            [ ! -e "$root/broken" ] || { echo 'it is broken' >&2; exit 1; }
            name=joined; [ $part = node ] || name=joined-$part
            set -a
            source <(sed "s|=/etc/|=$root/etc/|" "$root/\(settings)/$name.env")
            set +a
            "\(Program.path("lockstep-"))$part" --config /dev/null --state-dir "$root/state.$part" \
                $([ $part != node ] || echo --socket "$root/node.sock") >>"$root/log.$part" 2>&1 </dev/null &
            echo $! >"$root/running.$part" ;;
        esac

        """
    }

    func lockstep(_ arguments: String...) async throws -> CommandResult {
        try await CommandLine.run(arguments + place, environment: environment)
    }

    /// Starts `lockstep join`, whose service does not come up before the file `hang` is gone.
    /// - Returns: The process, in which the join waits for its service.
    func joinThatHangs(_ token: String) async throws -> pid_t {
        for name in ["hangs", "output", "errors"] { unlink(directory.file(name)) }
        try directory.write("", to: "hang")
        let child = try start("join", token)
        try await eventually("the service is started: \(directory.read("errors"))") {
            access(directory.file("hangs"), F_OK) == 0
        }
        return child
    }

    func start(_ arguments: String...) throws -> pid_t {
        try Spawn.start(
            [Program.path("lockstep")] + arguments + place,
            environment: Program.environment(home: directory.file("home"), environment),
            output: directory.file("output"), errors: directory.file("errors"))
    }

    /// Sends a signal to a process, and waits for its end.
    func end(_ child: pid_t, _ signal: Int32) async throws -> CommandResult {
        kill(child, signal)
        let code = try await Spawn.end(of: child, "the process ends")
        return CommandResult(code: code, output: directory.read("output"), errors: directory.read("errors"))
    }

    /// Joins by an invitation on standard input.
    func join(readingFromInput invitation: String) async throws -> CommandResult {
        try await CommandLine.run(
            ["-c", "printf '%s' \"$0\" | \"$@\"", invitation, Program.path("lockstep"), "join"] + place,
            program: "/bin/sh", environment: environment)
    }

    private var place: [String] { isPersonal ? ["--user"] : ["--destdir", directory.path] }

    private var environment: [String: String] {
        let path = Program.environment(home: "")["PATH"] ?? ""
        return ["PATH": directory.file("bin") + ":" + path, "HOME": directory.file("home")]
    }

    /// All files of the settings with their modes, and what the service manager knows.
    var tree: [String] {
        get throws {
            let find = try Spawn.find("find")
            let child = try Spawn.start(
                [find, directory.path, "-path", "*lockstep*", "-type", "f", "-printf", "%P %m\\n"],
                output: directory.file("tree"))
            _ = Spawn.wait(for: child)
            defer { unlink(directory.file("tree")) }
            return directory.read("tree").split(separator: "\n").map(String.init)
                .filter {
                    $0.hasPrefix(settings) || $0.hasPrefix("enabled") || $0.hasPrefix("running") || $0.hasPrefix("run/")
                }.sorted()
        }
    }

    func setting(_ key: String, in file: String = "joined.env") -> String? {
        directory.read("\(settings)/\(file)").split(separator: "\n").first { $0.hasPrefix(key + "=") }
            .map { String($0.dropFirst(key.count + 1)) }
    }

    /// Waits until the node of this machine is connected, which can be after the end of `join`.
    func waitUntilLinked() async throws {
        try await eventually("the node is connected: \(directory.read("log.node"))") { isNodeLinked }
    }

    var isNodeLinked: Bool {
        let socket = LocalSocket(path: directory.file("node.sock"))
        return socket.request("GET", "/v1/session")?.body.linked == true
    }
}
