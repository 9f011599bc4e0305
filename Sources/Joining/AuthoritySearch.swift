// SPDX-License-Identifier: Apache-2.0

import Session
import Settings

/// Finds the broker of an invitation by the fingerprint of its authority, before anything secret is sent.
enum AuthoritySearch {
    /// The answer of an endpoint.
    private enum Answer: Sendable {
        /// The certificate of the authority, as PEM.
        case found(String)
        /// No certificate has the fingerprint.
        case foreign
        /// No certificate was received, for this reason.
        case silent(String)
        /// An endpoint answered a moment ago, so the others are not waited for any more.
        case waitedLongEnough
    }

    /// The seconds that an endpoint has for its answer.
    private static let timeout = 5

    /// Asks all endpoints at once, and prefers the first in the list that has the authority.
    /// - Returns: The index of the endpoint, and the certificate of the authority.
    static func find(
        _ fingerprint: [UInt8], at endpoints: [Endpoint]
    ) async throws(SetupError) -> (endpointIndex: Int, certificate: [UInt8]) {
        var answers = [Answer?](repeating: nil, count: endpoints.count)
        await withTaskGroup(of: (Int, Answer).self) { group in
            for (index, endpoint) in endpoints.enumerated() {
                group.addTask { (index, await ask(endpoint, for: fingerprint)) }
            }
            var isWaiting = false
            while let (index, answer) = await group.next() {
                if case .waitedLongEnough = answer { break }
                answers[index] = answer
                guard case .found = answer, !isWaiting else { continue }
                // Earlier endpoints get a moment more: they are names, and an address may change.
                isWaiting = true
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(500))
                    return (0, .waitedLongEnough)
                }
            }
            group.cancelAll()
        }
        for (index, answer) in answers.enumerated() {
            if case .found(let certificate) = answer { return (index, Array(certificate.utf8)) }
        }
        for (index, answer) in answers.enumerated() {
            if case .foreign = answer {
                throw SetupError(
                    """
                    the machine at \(endpoints[index]) is not the broker of this invitation: its authority has another \
                    fingerprint. The secret was not sent. If the broker was set up again, make another invitation \
                    there; else another machine has its name or address
                    """)
            }
        }
        let reasons = zip(endpoints, answers).map { endpoint, answer in
            if case .silent(let reason) = answer { "\(endpoint): \(reason)" } else { "\(endpoint): no answer" }
        }
        throw SetupError(
            .unreachable,
            "the broker was not found. Is it running, and is this machine in the same network?\n  "
                + reasons.joined(separator: "\n  "))
    }

    private static func ask(_ endpoint: Endpoint, for fingerprint: [UInt8]) async -> Answer {
        let result: Child.Output
        do throws(ValueError) {
            result = try await Child.run(
                "openssl", ["s_client", "-connect", endpoint.line, "-showcerts"], seconds: timeout)
        } catch {
            return .silent(error.description)
        }
        let certificates = certificates(in: result.output)
        guard !certificates.isEmpty else { return .silent(reason(in: result.errors)) }
        for certificate in certificates where await has(fingerprint, certificate) { return .found(certificate) }
        return .foreign
    }

    private static func certificates(in text: String) -> [String] {
        var certificates: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n") {
            if line == "-----BEGIN CERTIFICATE-----" { lines = [] }
            lines?.append(line)
            if line == "-----END CERTIFICATE-----", let whole = lines {
                certificates.append(whole.joined(separator: "\n") + "\n")
                lines = nil
            }
        }
        return certificates
    }

    private static func has(_ fingerprint: [UInt8], _ certificate: String) async -> Bool {
        let arguments: [LineText] = ["x509", "-noout", "-fingerprint", "-sha256"]
        let result = try? await Child.run("openssl", arguments, input: certificate, seconds: timeout)
        // The output is “sha256 Fingerprint=0A:1B:…”.
        let pairs = fingerprint.map { $0.padded(to: 2, radix: 16).uppercased() }
        return result?.output[...].trimmed.hasSuffix("=" + pairs.joined(separator: ":")) == true
    }

    /// Returns the part of an error of openssl that helps a person.
    private static func reason(in errors: String) -> String {
        let knownReasons = [
            "Connection refused", "No route to host", "Network is unreachable", "Name or service not known",
            "Temporary failure in name resolution", "no answer in \(timeout) s",
        ]
        return knownReasons.first(where: errors.contains) ?? "no TLS"
    }
}
