// SPDX-License-Identifier: Apache-2.0

import Glibc
import Platform
import Support
import Testing

/// A node that serves its pages over HTTPS.
@Suite(.limitedConcurrency, .retriedAfterStall) struct HTTPSTests {
    /// Whether a browser can be told which authority to trust.
    private static let isCertutilInstalled = (try? Spawn.find("certutil")) != nil

    private static func node(_ port: Int, environment: [String: String]) throws -> NodeProcess {
        try NodeProcess("desk", options: ["--https", "127.0.0.1:\(port)"], environment: environment)
    }

    private static func start(_ node: NodeProcess) async throws {
        try await node.start()
        try await eventually("its page is served") { node.log.contains("address=https://") }
    }

    /// Gets the authority of a node as a phone does before it trusts it, and returns the file.
    private static func authority(of node: NodeProcess, _ port: Int) async throws -> String {
        let answer = try await Curl.answer(
            "https://127.0.0.1:\(port)/authority.crt", trusting: "/dev/null", ["--insecure"])
        let start = try #require(answer.text.firstRange(of: "-----BEGIN CERTIFICATE"), "\(answer)").lowerBound
        return try node.directory.write(String(answer.text[start...]), to: "authority.crt")
    }

    private static func pair(_ node: NodeProcess, _ port: Int, trusting authority: String) async throws -> String {
        let added = try await node.lockstep("phone", "add", "phone", "--host", "127.0.0.1", "--json")
        let link = try #require(added.json.link.text, "\(added)")
        #expect(link.hasPrefix("https://127.0.0.1:\(port)/pair?code="), "\(link)")
        let answer = try await Curl.answer(link, trusting: authority).text
        let line = answer.firstMatch(of: /(__Host-lockstep=[A-Za-z0-9_-]{32});.*; Secure\r\n/)
        return "Cookie: \(try #require(line, "\(answer)").output.1)"
    }

    @Test func aPhoneTrustsTheAuthorityPairsAndPresses() async throws {
        let port = Port.free()
        let desk = try Self.node(port, environment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"])
        try await Self.start(desk)
        try desk.begin()
        let authority = try await Self.authority(of: desk, port)
        let cookie = try await Self.pair(desk, port, trusting: authority)
        let url = "https://127.0.0.1:\(port)"
        #expect(try await Curl.answer("\(url)/remote", trusting: authority).text.hasPrefix("HTTP/1.1 401"))
        let page = try await Curl.answer("\(url)/remote", trusting: authority, ["-H", cookie])
        #expect(page.text.hasPrefix("HTTP/1.1 200"), "\(page)")
        let press = try await Curl.answer(
            "\(url)/v1/intents", trusting: authority,
            ["-H", cookie, "-H", "Content-Type: application/json", "-H", "Origin: \(url)", "-d", #"{"op":"pause"}"#])
        #expect(press.text.hasPrefix("HTTP/1.1 200"), "\(press)")
        #expect(desk.status.status == "paused")

        // The authority survives the node.
        try await desk.end()
        try await Self.start(desk)
        let again = try await Curl.answer("\(url)/remote", trusting: authority, ["-H", cookie])
        #expect(again.text.hasPrefix("HTTP/1.1 200"), "\(again)")
        #expect(!desk.log.contains("has made an authority"))
        for name in ["authority", "certificate"] {
            #expect(try Files.mode(of: desk.directory.file("state/https/\(name).pem")) == 0o600)
        }
        try await desk.end()
    }

    @Test func bothAddressesAreServedAndLinksForOthersUseHTTPS() async throws {
        let (plain, secure) = (Port.free(), Port.free())
        let desk = try NodeProcess(
            "desk", options: ["--http", "127.0.0.1:\(plain)", "--https", "0.0.0.0:\(secure)"])
        try await Self.start(desk)
        try await eventually("the other one is served") { desk.log.contains("address=http://") }
        let authority = try await Self.authority(of: desk, secure)
        let answer = try await Curl.answer("https://127.0.0.1:\(secure)/v1/session", trusting: authority)
        #expect(answer.text.hasPrefix("HTTP/1.1 200"), "\(answer)")
        let plainly = try await Curl.answer("http://127.0.0.1:\(plain)/health", trusting: authority)
        #expect(plainly.text.hasPrefix("HTTP/1.1 200"), "\(plainly)")
        let link = try await desk.lockstep("kiosk", "--host", "192.168.1.5").output
        #expect(link.hasPrefix("https://192.168.1.5:\(secure)/?controls=0&key="), "\(link)")
        let named = try await desk.lockstep("kiosk").output
        #expect(named.contains(".local:\(secure)/?controls=0&key="), "\(named)")
        #expect(try await desk.lockstep("kiosk", "--local").output == "http://127.0.0.1:\(plain)/?controls=0\n")
        let phone = try await desk.lockstep("phone", "add", "phone").output
        #expect(phone.hasPrefix("https://"), "\(phone)")
        let proxied = try await desk.lockstep("phone", "add", "tablet", "--host", "https://pi.example.org/").output
        #expect(proxied.hasPrefix("https://pi.example.org/pair?code="), "\(proxied)")
        try await desk.end()
    }

    @Test func filesOfAPersonAreServedIfTheirKeyFits() async throws {
        let port = Port.free()
        let authority = try await CertificateAuthority()
        let (identity, other) = (try await authority.issue("pi"), try await authority.issue("other"))
        func node(key: String) throws -> NodeProcess {
            try Self.node(port, environment: ["LOCKSTEP_HTTPS_CERT": identity.certificate, "LOCKSTEP_HTTPS_KEY": key])
        }
        let desk = try node(key: identity.key)
        try await Self.start(desk)
        let answer = try await Curl.answer("https://localhost:\(port)/health", trusting: authority.file)
        #expect(answer.text.hasPrefix("HTTP/1.1 200"), "\(answer)")
        try await desk.end()
        let wrong = try node(key: other.key)
        try wrong.launch()
        #expect(try await wrong.ended() == 2)
        #expect(wrong.log.contains("does not belong to the certificate in"), "\(wrong.log)")
    }

    @Test(
        .requires("chromium", BrowserKind.chromium.isInstalled), .requires("certutil", isCertutilInstalled),
        .startingBrowsers)
    func aBrowserThatTrustsTheAuthorityInstallsTheRemotePage() async throws {
        let port = Port.free()
        let desk = try Self.node(port, environment: ["LOCKSTEP_HTTP_LOCAL_KEY": "on"])
        try await Self.start(desk)
        let authority = try await Self.authority(of: desk, port)
        try await Browsers.with(trusting: authority) { browsers in
            let chromium = try await browsers.chromium
            let added = try await desk.lockstep("phone", "add", "phone", "--host", "127.0.0.1", "--json")
            let page = try await chromium.open(try #require(added.json.link.text, "\(added)"), width: 360, height: 640)
            try await page.eventually(
                "the remote page", "location.pathname === '/remote' && typeof overview === 'object'")
            #expect(try await page.value("location.protocol") == "https:")
            #expect(try await page.value("isSecureContext") == true)
            #expect(try await page.value("document.cookie") == "")
            let isInstalled = "navigator.serviceWorker.ready.then((worker) => worker.active !== null)"
            #expect(try await page.value(isInstalled) == true)
            let cookies = try await page.call("Network.getCookies").cookies.items
            #expect(cookies.map(\.name.text) == ["__Host-lockstep"])
            #expect(cookies.map(\.secure) == [true])
            #expect(cookies.map(\.httpOnly) == [true])
            let security = try await chromium.events("Network.responseReceived", of: page.session)
                .first { $0.response.url.text?.hasSuffix("/remote") == true }?.response
            #expect(security?.securityState == "secure", "\(security as Any)")
            #expect(try await page.problems() == [])
        }
        try await desk.end()
    }
}
