// SPDX-License-Identifier: Apache-2.0

package import Core
package import Mosquitto
package import Wire

extension NodeCore.Confirmation {
    /// Makes the confirmation of a result of the client. A message that the client had no room for counts as lost: the
    /// core sends it again on the next connection.
    package init(_ result: Result<PublishOutcome, MQTTError>) {
        switch result {
        case .success: self = .delivered
        case .failure(let error) where error.code == .tooLarge: self = .refused(isTooLarge: true)
        // A PUBACK with the reason 0x95, packet too large.
        case .failure(let error) where error.code == .publishRefused:
            self = .refused(isTooLarge: error.reason == 0x95)
        case .failure: self = .lost
        }
    }
}

extension MQTTMessage {
    package init(_ outgoing: Outgoing) {
        self.init(
            topic: outgoing.topic, payload: outgoing.payload, qos: outgoing.qos == 0 ? .atMostOnce : .atLeastOnce,
            retain: outgoing.retain)
    }
}
