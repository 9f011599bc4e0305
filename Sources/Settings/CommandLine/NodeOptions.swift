// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The broker and how to connect to it.
package struct BrokerOptions: ParsableArguments, Sendable {
    @Option(help: "The broker: mqtt://host:1883, or mqtts://host:8883 for TLS. LOCKSTEP_BROKER")
    var broker: String?

    @Option(help: "The space, 1 to 32 of a-z, 0-9 and - (default: home). LOCKSTEP_SPACE")
    var space: String?

    @Option(
        help:
            "A file of mode 0600 with the password; the user is that of the address, else the node. LOCKSTEP_PASSWORD_FILE",
        completion: .file())
    var passwordFile: String?

    @Option(
        help: "The certificate authority to trust (default: those of the operating system). LOCKSTEP_TLS_CA",
        completion: .file())
    var tlsCA: String?

    @Option(help: "A client certificate, for a broker that requires one. LOCKSTEP_TLS_CERT", completion: .file())
    var tlsCert: String?

    @Option(help: "The key of the client certificate. LOCKSTEP_TLS_KEY", completion: .file())
    var tlsKey: String?

    package init() {}

    private var given: [(setting: Setting, option: String, value: String?)] {
        [
            (.broker, "--broker", broker), (.space, "--space", space),
            (.passwordFile, "--password-file", passwordFile), (.tlsCA, "--tls-ca", tlsCA),
            (.tlsCertificate, "--tls-cert", tlsCert), (.tlsKey, "--tls-key", tlsKey),
        ]
    }

    /// The given options, for another program with the same options.
    package var arguments: [String] { given.flatMap { entry in entry.value.map { [entry.option, $0] } ?? [] } }

    package var values: SettingValues {
        var values = SettingValues()
        add(to: &values)
        return values
    }

    package func add(to values: inout SettingValues) {
        for (setting, option, value) in given { values.set(setting, option: option, to: value) }
    }
}

/// The options of a node, which `lockstep-node` and `lockstep up` share.
package struct NodeOptions: ParsableArguments {
    @Option(help: "The node's id, 1 to 32 of a-z, 0-9 and - (default: the host's name). LOCKSTEP_NODE")
    var node: String?

    @Option(help: "The node's name for people (default: its id). LOCKSTEP_NAME")
    var name: String?

    @Option(help: "The directory of the journal (default: ~/.local/state/lockstep). LOCKSTEP_STATE_DIR")
    var stateDir: String?

    @Option(help: "The socket of the local control (default: $XDG_RUNTIME_DIR/lockstep/node.sock). LOCKSTEP_SOCKET")
    var socket: String?

    @Option(
        help: """
            Serve the kiosk page and the HTTP API, e.g. on 127.0.0.1:7780 (default: nowhere); a port alone is of \
            loopback, a host alone gets the port 7780. LOCKSTEP_HTTP; see LOCKSTEP_HTTP_HOSTS and \
            LOCKSTEP_HTTP_LOCAL_KEY in node.env
            """)
    var http: String?

    @Option(
        help: """
            Serve them over HTTPS, e.g. on 0.0.0.0:7743, the usual port (default: nowhere). LOCKSTEP_HTTPS; see \
            LOCKSTEP_HTTPS_CERT and LOCKSTEP_HTTPS_KEY in node.env
            """)
    var https: String?

    package init() {}

    package var values: SettingValues {
        var values = SettingValues()
        values.set(.http, option: "--http", to: http)
        values.set(.https, option: "--https", to: https)
        values.set(.node, option: "--node", to: node)
        values.set(.name, option: "--name", to: name)
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        values.set(.socket, option: "--socket", to: socket)
        return values
    }
}
