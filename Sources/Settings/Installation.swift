// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform

/// The parts of Lockstep on this machine, from which commands derive their advice to a person.
package struct Installation: Sendable {
    /// The socket of the machine's node.
    package static let machineSocket = "/run/lockstep/node.sock"
    /// The state directory of the machine's debt service, which holds the ledger.
    package static let machineLedger = "/var/lib/lockstep-debt"

    /// Whether the node of the machine has joined a broker.
    package let hasMachineJoined: Bool
    /// Whether the node of this person has joined a broker.
    package let hasPersonJoined: Bool
    /// Whether the debt service of the machine has joined a broker. Then the machine keeps the ledger of its group.
    package let keepsLedger: Bool
    /// Whether `lockstep broker setup` has set up a broker on this machine.
    package let hasBroker: Bool
    /// The file of the settings of the machine's debt service.
    package var ledgerSettings: String { machine.localPath(of: machine.files(of: .debt).ownSettings) }
    private let machine: JoinPaths
    private let person: JoinPaths

    /// Looks at the files of this machine and person.
    /// - Parameter root: The folder that everything lies below, for tests; empty for this machine.
    package init(environment: [String: String], root: String = "") {
        func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }
        machine = JoinPaths(isPersonal: false, root: root, environment: environment)
        person = JoinPaths(isPersonal: true, root: root, environment: environment)
        hasMachineJoined = exists(machine.files(of: .node).settings)
        hasPersonJoined = exists(person.files(of: .node).settings)
        keepsLedger = exists(machine.files(of: .debt).settings)
        hasBroker = exists("/etc/mosquitto/conf.d/lockstep.conf")
    }

    /// Whether a program listens on a socket, as far as this person can know.
    package static func isInUse(_ socket: String) -> Bool {
        UnixSocket.isServed(socket) || access(socket, W_OK) != 0 && errno == EACCES
    }

    /// Returns the file that sets the broker of the node with a socket. The settings of its owner have precedence.
    package func brokerSettings(ofNodeAt socket: String) -> String {
        let isMachine = socket == Self.machineSocket
        let paths = isMachine ? machine : person
        let files = paths.files(of: .node)
        var own = SettingValues()
        try? own.fill(file: paths.localPath(of: files.ownSettings))
        let isJoined = isMachine ? hasMachineJoined : hasPersonJoined
        return isJoined && !own.isGiven(.broker) ? files.settings : files.ownSettings
    }

    /// Returns the settings files of the node with a socket that exist, those with precedence first.
    ///
    /// `kiosk.env` is left out: a command writes it, mostly for the browser.
    package func settingsFiles(ofNodeAt socket: String) -> [String] {
        let folder = (socket == Self.machineSocket ? machine : person).localFolder
        return ["node", "joined"].map { "\(folder)/\($0).env" }.filter { access($0, F_OK) == 0 }
    }

    /// Returns the command with which the owner of the node with a socket leaves its group.
    package func leaveCommand(ofNodeAt socket: String) -> String {
        socket == Self.machineSocket ? "sudo lockstep leave" : "lockstep leave --user"
    }

    /// Returns the command with which the owner of the node with a socket starts it again.
    package func restartCommand(ofNodeAt socket: String) -> String {
        socket == Self.machineSocket
            ? "sudo systemctl restart lockstep-node" : "systemctl --user restart lockstep-node, or lockstep up again"
    }

    /// Returns the command that prints the log of a service beside the node with a socket. A person's node is a service
    /// or runs by `lockstep up`, whose log is not kept.
    package func logCommand(of unit: String, ofNodeAt socket: String) -> String {
        socket == Self.machineSocket
            ? "sudo journalctl -u \(unit)" : "journalctl --user -u \(unit), or the terminal of lockstep up"
    }

    private var startCommand: String {
        hasPersonJoined ? "systemctl --user start lockstep-node" : "sudo systemctl start lockstep-node"
    }

    private static let invitation =
        "this machine runs the broker of a group and has not joined it: sudo lockstep invite NAME, then run the line "
        + "that this prints on this machine, too"

    /// The advice where no node listens.
    package var adviceWithoutNode: String {
        if hasMachineJoined || hasPersonJoined { return "start the node that has joined: \(startCommand)" }
        if hasBroker { return Self.invitation }
        return
            "join the group of your other machines with sudo lockstep join, or start one for this machine alone with lockstep up"
    }

    /// Returns why `lockstep up` would start a second group on this machine; `nil` if it is the first one.
    /// - Parameter node: The socket of a running node.
    package func reasonAgainstUp(node: String?) -> String? {
        let reason: String
        if hasMachineJoined || hasPersonJoined {
            reason =
                "this machine has joined a group, and all commands use its node (\(startCommand), if it does not run)"
        } else if let node {
            reason = "a node listens on \(node), and all commands use it"
        } else if hasBroker {
            reason = Self.invitation
        } else {
            return nil
        }
        return reason + ". A second group, which no other machine sees, starts with lockstep up --separate"
    }

    /// The advice where the debt commands find no ledger.
    package var adviceWithoutLedger: String {
        hasMachineJoined || hasPersonJoined
            ? "run it on the machine with the debt service: sudo lockstep debt. lockstep nodes names that machine; without "
                + "one, sudo lockstep invite debt --role debt on the broker's machine makes an invitation for it"
            : "lockstep up starts one, and so does a machine that has joined with an invitation of --role debt"
    }
}
