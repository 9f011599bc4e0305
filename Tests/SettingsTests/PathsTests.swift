// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Settings

@Suite(.timeLimit(.minutes(15))) struct PathsTests {
    @Test func homeHoldsThePathsOfAPerson() {
        let paths = Paths(environment: ["HOME": "/home/ada"])
        #expect(paths.stateDirectory == "/home/ada/.local/state/lockstep")
        #expect(paths.settings(of: .node) == "/home/ada/.config/lockstep/node.env")
        #expect(paths.socket(stateDirectory: "/x") == "/x/node.sock")
        #expect(paths.sockets == ["/home/ada/.local/state/lockstep/node.sock", "/run/lockstep/node.sock"])
    }

    @Test func xdgVariablesSetThePaths() {
        let paths = Paths(environment: [
            "HOME": "/home/ada", "XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c", "XDG_RUNTIME_DIR": "/run/user/7",
        ])
        #expect(paths.stateDirectory == "/s/lockstep")
        #expect(paths.settings(of: .node) == "/c/lockstep/node.env")
        #expect(paths.socket(stateDirectory: "/x") == "/run/user/7/lockstep/node.sock")
        #expect(paths.sockets.first == "/run/user/7/lockstep/node.sock")
    }

    @Test func systemdVariablesComeFirst() {
        let paths = Paths(environment: [
            "HOME": "/", "STATE_DIRECTORY": "/var/lib/lockstep:/other", "RUNTIME_DIRECTORY": "/run/lockstep",
            "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r",
        ])
        #expect(paths.stateDirectory == "/var/lib/lockstep")
        #expect(paths.socket(stateDirectory: "/x") == "/run/lockstep/node.sock")
    }

    @Test func emptyVariableIsIgnored() {
        #expect(Paths(environment: ["HOME": "/h", "XDG_STATE_HOME": ""]).stateDirectory == "/h/.local/state/lockstep")
    }

    /// A command without options must find a node without options.
    @Test(arguments: [
        ["HOME": "/h"], ["HOME": "/h", "XDG_RUNTIME_DIR": "/r"], ["HOME": "/h", "XDG_STATE_HOME": "/s"],
    ])
    func socketOfTheNodeIsSearched(environment: [String: String]) {
        let paths = Paths(environment: environment)
        #expect(paths.sockets.contains(paths.socket(stateDirectory: paths.stateDirectory)))
    }
}
