// SPDX-License-Identifier: Apache-2.0

import API
import Settings
import TLS

/// The address at which the broker listens, as the file `address` holds it.
struct BrokerListener: Equatable {
    var isEncrypted: Bool
    var host: HostName
    var port: Int

    var text: String { "\(isEncrypted ? "mqtts" : "mqtt") \(host.text) \(port)\n" }
    var urlHost: String { host.text.urlHost }
    var url: String { "\(isEncrypted ? "mqtts" : "mqtt")://\(urlHost):\(port)" }
}

extension BrokerListener {
    init?(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 3, words[0] == "mqtt" || words[0] == "mqtts", let host = HostName(String(words[1])),
            let port = Int(words[2]), Endpoint.ports.contains(port)
        else { return nil }
        self.init(isEncrypted: words[0] == "mqtts", host: host, port: port)
    }
}
