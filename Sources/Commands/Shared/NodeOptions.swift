// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import Shell

/// Where the broker is and how to speak to it.
public struct BrokerOptions: ParsableArguments, Sendable {
    @Option(help: "The broker: mqtt://host:1883, or mqtts://host:8883 for TLS. LOCKSTEP_BROKER")
    var broker: String?

    @Option(help: "The space, 1 to 32 of a-z, 0-9 and - (default: home). LOCKSTEP_SPACE")
    var space: String?

    @Option(
        help:
            "A file of mode 0600 with the password; the user stands in the address, else it is the node. LOCKSTEP_PASSWORD_FILE",
        completion: .file())
    var passwordFile: String?

    @Option(
        help: "The authority to trust (default: those of the operating system). LOCKSTEP_TLS_CA", completion: .file())
    var tlsCA: String?

    @Option(help: "A certificate of one's own, for a broker that asks. LOCKSTEP_TLS_CERT", completion: .file())
    var tlsCert: String?

    @Option(help: "The key that goes with it. LOCKSTEP_TLS_KEY", completion: .file())
    var tlsKey: String?

    /// Makes options that are read from a command line.
    public init() {}

    /// The options that were given, for another program that takes the same.
    public var arguments: [String] {
        [
            ("--broker", broker), ("--space", space), ("--password-file", passwordFile), ("--tls-ca", tlsCA),
            ("--tls-cert", tlsCert), ("--tls-key", tlsKey),
        ].flatMap { name, value in value.map { [name, $0] } ?? [] }
    }

    /// The settings that were given.
    public var values: SettingValues {
        var values = SettingValues()
        values.set(.broker, option: "--broker", to: broker)
        values.set(.space, option: "--space", to: space)
        values.set(.passwordFile, option: "--password-file", to: passwordFile)
        values.set(.tlsCA, option: "--tls-ca", to: tlsCA)
        values.set(.tlsCertificate, option: "--tls-cert", to: tlsCert)
        values.set(.tlsKey, option: "--tls-key", to: tlsKey)
        return values
    }
}

/// What a node is given on its command line.
public struct NodeOptions: ParsableArguments {
    @OptionGroup var broker: BrokerOptions

    @Option(help: "The node's id, 1 to 32 of a-z, 0-9 and - (default: the host's name). LOCKSTEP_NODE")
    var node: String?

    @Option(help: "The node's name for people (default: its id). LOCKSTEP_NAME")
    var name: String?

    @Option(help: "Where the node keeps its journal (default: ~/.local/state/lockstep). LOCKSTEP_STATE_DIR")
    var stateDir: String?

    @Option(help: "The socket of the local control (default: $XDG_RUNTIME_DIR/lockstep/node.sock). LOCKSTEP_SOCKET")
    var socket: String?

    @Option(
        help: """
            Serve the kiosk page and the HTTP API, e.g. on 127.0.0.1:7780 (default: nowhere). LOCKSTEP_HTTP; see \
            LOCKSTEP_HTTP_HOSTS and LOCKSTEP_HTTP_LOCAL_KEY in Config/node.env
            """)
    var http: String?

    /// Makes options that are read from a command line.
    public init() {}

    /// The settings that were given.
    public var values: SettingValues {
        var values = broker.values
        values.set(.http, option: "--http", to: http)
        values.set(.node, option: "--node", to: node)
        values.set(.name, option: "--name", to: name)
        values.set(.stateDirectory, option: "--state-dir", to: stateDir)
        values.set(.socket, option: "--socket", to: socket)
        return values
    }
}
