// swift-tools-version: 6.3
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Whether the tests start programs that are built already, in the folder `LOCKSTEP_TEST_PROGRAMS`. `Deploy/test` then
// builds the tests with `-c release`, like those programs, so that what Lockstep depends on is compiled once.
// Lockstep's own modules are compiled again: open to tests, and without optimisation, which takes less time.
let hasPrograms = Context.environment["LOCKSTEP_TEST_PROGRAMS"] != nil

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ] + (hasPrograms ? [.unsafeFlags(["-Onone", "-enable-testing"])] : [])

// `swift build -c release` makes programs that run where no Swift is installed, by linking Swift's libraries into them.
// Foundation's own parts are named because modules that are compiled for its shared library do not name them. The other
// flags leave out the table of symbols for others to look up, and pack relocations (glibc 2.36), which takes 2 MB off a
// node.
let standalone: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-l_FoundationICU",
            "-lFoundationInternationalization", "-lCoreFoundation", "-use-ld=lld", "-Xlinker", "--no-export-dynamic",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
        ],
        .when(configuration: .release))
]

let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let sqlite = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")

let package = Package(
    name: "lockstep",
    products: [
        .library(name: "Mosquitto", targets: ["Mosquitto"]),
        .executable(name: "lockstep", targets: ["lockstep"]),
        .executable(name: "lockstep-node", targets: ["lockstep-node"]),
        .executable(name: "lockstep-calm", targets: ["lockstep-calm"]),
        .executable(name: "lockstep-debt", targets: ["lockstep-debt"]),
    ],
    traits: [
        .default(enabledTraits: ["HTTPS"]),
        .trait(
            name: "HTTPS", description: "The pages over TLS. Deploy/demo leaves it out: it takes a third of a build."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .target(name: "CMosquitto", linkerSettings: [.linkedLibrary("mosquitto")]),
        .systemLibrary(
            name: "CSystemd",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
        .systemLibrary(
            name: "COpenSSL",
            pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"])]
        ),
        .systemLibrary(
            name: "CQRencode",
            pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"])]
        ),
        .target(name: "CLinux"),
        .target(name: "CAssets"),
        // It loads libpq when a ledger on PostgreSQL is opened, and needs neither the library nor its headers
        // otherwise.
        .target(name: "CPostgres"),
        .target(name: "CWebAssets"),
        .target(
            name: "CNoLocales", cSettings: [.define("LOCKSTEP_STATIC", .when(configuration: .release))]),
        .target(name: "Platform", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "Mosquitto",
            dependencies: ["CMosquitto", "Platform"],
            swiftSettings: strict + [.strictMemorySafety()]
        ),
        .target(name: "Session", swiftSettings: strict),
        .target(name: "Wire", dependencies: ["Session"], swiftSettings: strict),
        .target(name: "API", dependencies: ["Session", "Wire"], swiftSettings: strict),
        .target(name: "Ledger", dependencies: ["Session", "Wire"], swiftSettings: strict),
        .target(name: "Core", dependencies: ["Ledger", "Session", "Wire"], swiftSettings: strict),
        .target(
            name: "Display", dependencies: ["API", "CAssets", "CQRencode", "Session", "Wire"],
            exclude: ["Languages"],
            swiftSettings: strict
        ),
        .target(name: "Client", dependencies: ["API", "Platform", "Session", "Wire"], swiftSettings: strict),
        .target(
            name: "Settings", dependencies: ["API", "Platform", "Session", "Wire", arguments, logging, subprocess],
            swiftSettings: strict),
        .target(
            name: "Joining",
            dependencies: ["API", "Platform", "Session", "Settings", subprocess, system],
            swiftSettings: strict
        ),
        .target(
            name: "Runtime",
            dependencies: [
                "CLinux", "CSystemd", "Core", "Mosquitto", "Platform", "Session", "Settings", "Wire", logging, signals,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "NodeRuntime",
            dependencies: [
                "API", "CLinux", "CSystemd", "Core", "Ledger", "Mosquitto", "Platform", "Runtime", "Session",
                "Settings", "Wire", logging, subprocess, system,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Web",
            dependencies: [
                "API", "COpenSSL", "CWebAssets", "Display", "Platform", "Session", "TLS", "Wire", lifecycle,
                logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird", condition: .when(traits: ["HTTPS"])),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: .when(traits: ["HTTPS"])),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Kiosk", "README.md", "Remote", "Shared", "Week"],
            swiftSettings: strict
        ),
        .target(name: "TLS", dependencies: ["COpenSSL", "Platform"], swiftSettings: strict),
        .target(
            name: "BrokerAdmin",
            dependencies: [
                "API", "CAssets", "COpenSSL", "Joining", "Mosquitto", "Platform", "Session", "Settings", "TLS", "Wire",
                subprocess, system,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Terminal", dependencies: ["API", "Display", "Platform", "Session"], swiftSettings: strict),
        .target(
            name: "Calm",
            dependencies: [
                "API", "Core", "Mosquitto", "Platform", "Runtime", "Session", "Settings", "Wire", logging, signals,
                subprocess, system,
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Debt",
            dependencies: [
                "API", "CPostgres", "Core", "Ledger", "Mosquitto", "Platform", "Runtime", "Session", "Settings", "Wire",
                logging,
                sqlite,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep",
            dependencies: [
                "API", "Client", "Display", "Joining", "Platform", "Session", "Settings", "Terminal", "Wire", arguments,
                signals, subprocess, system,
            ],
            path: "Sources/Commands/lockstep",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "lockstep-node",
            dependencies: [
                "API", "BrokerAdmin", "CSystemd", "Client", "Display", "Joining", "Mosquitto", "NodeRuntime",
                "Platform",
                "Runtime", "Session", "Settings", "TLS", "Web", "Wire", arguments, lifecycle, logging, signals,
            ],
            path: "Sources/Commands/lockstep-node",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "lockstep-calm",
            dependencies: ["Calm", "Settings", arguments, logging],
            path: "Sources/Commands/lockstep-calm",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "lockstep-debt",
            dependencies: [
                "API", "CNoLocales", "Debt", "Display", "Ledger", "Platform", "Runtime", "Session", "Settings", "Wire",
                arguments, logging,
            ],
            path: "Sources/Commands/lockstep-debt",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "lockstep-bench",
            dependencies: [
                "API", "CMosquitto", "Client", "Core", "Debt", "Harness", "Joining", "Ledger", "Mosquitto",
                "NodeRuntime", "Platform", "Runtime", "Session", "Settings", "Web", "Wire", arguments, logging,
                signals, subprocess, system,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Tools/lockstep-bench",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .executableTarget(
            name: "lockstep-sim",
            dependencies: ["Session", "Settings", "Simulation", arguments],
            path: "Tests/Tools/lockstep-sim",
            swiftSettings: strict,
            linkerSettings: standalone
        ),
        .target(name: "Harness", path: "Tests/Tools/Harness", swiftSettings: strict),
        .target(
            name: "Simulation", dependencies: ["Core", "Ledger", "Session", "Wire"], path: "Tests/Tools/Simulation",
            swiftSettings: strict),
        .target(
            name: "Support", dependencies: ["CLinux", "Harness", "Platform", "Session", "Wire", logging],
            path: "Tests/Support",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CalmTests",
            dependencies: [
                "API", "Calm", "Core", "Mosquitto", "Runtime", "Session", "Settings", "Support", "Wire", logging,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DebtTests",
            dependencies: [
                "API", "Core", "Debt", "Ledger", "Mosquitto", "Platform", "Runtime", "Session", "Settings", "Support",
                "Wire", logging, sqlite,
            ],
            swiftSettings: strict
        ),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: strict),
        .testTarget(
            name: "RuntimeTests",
            dependencies: ["Core", "Mosquitto", "Runtime", "Session", "Settings", "Support", "Wire"],
            swiftSettings: strict),
        .testTarget(name: "CoreTests", dependencies: ["Core", "Session", "Wire"], swiftSettings: strict),
        .testTarget(name: "LedgerTests", dependencies: ["Ledger", "Session", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "SessionTests", dependencies: ["API", "Core", "Session", "Support", "Wire"], swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Session", "Simulation", "Support"],
            exclude: ["Traces"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MosquittoTests",
            dependencies: ["CMosquitto", "Mosquitto", "Platform", "Support"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WireTests",
            dependencies: ["Core", "Session", "Support", "Wire"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "APITests", dependencies: ["API", "Session", "Support", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "ClientTests", dependencies: ["API", "Client", "Platform", "Session", "Support", "Wire"],
            swiftSettings: strict),
        .testTarget(
            name: "DisplayTests", dependencies: ["API", "Display", "Session", "Support", "Wire"],
            exclude: ["Discovery"],
            swiftSettings: strict),
        .testTarget(
            name: "TerminalTests",
            dependencies: ["API", "Display", "Platform", "Session", "Support", "Terminal", "Wire"],
            swiftSettings: strict),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "API", "Display", "Platform", "Session", "Support", "TLS", "Web", "Wire", lifecycle,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TLSTests",
            dependencies: ["Platform", "Support", "TLS"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "NodeRuntimeTests",
            dependencies: [
                "API", "Core", "Ledger", "Mosquitto", "NodeRuntime", "Platform", "Runtime", "Session", "Settings",
                "Support", "Wire", logging,
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "BrokerAdminTests",
            dependencies: ["BrokerAdmin", "Joining", "Platform", "Session", "Settings", "Support", "TLS", "Wire"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SettingsTests",
            dependencies: ["API", "Mosquitto", "Platform", "Runtime", "Session", "Settings", "Support", logging],
            swiftSettings: strict),
        .testTarget(
            name: "JoiningTests", dependencies: ["Joining", "Platform", "Session", "Settings", "Support"],
            swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "CSystemd", "Joining", "Mosquitto", "Platform", "Session", "Settings", "Support", "Wire",
            ] + (hasPrograms ? [] : ["lockstep", "lockstep-bench", "lockstep-calm", "lockstep-debt", "lockstep-node"]),
            exclude: ["Preload"],
            swiftSettings: strict
        ),
    ]
)

// A second simulator, whose modules can leave rules out. `Tests/Mutants/make` writes their sources and builds it.
if Context.environment["LOCKSTEP_MUTANTS"] != nil {
    let settings = strict + [.define("MUTANTS")]
    var written: [Target.Dependency] = []
    for module in ["Sources/Session", "Sources/Wire", "Sources/Ledger", "Sources/Core", "Tests/Tools/Simulation"] {
        let name = "Mutant\(module.split(separator: "/").last ?? "")"
        package.targets.append(
            .target(name: name, dependencies: written, path: ".build/mutants/\(module)", swiftSettings: settings))
        written.append(.target(name: name))
    }
    package.targets.append(
        .executableTarget(
            name: "lockstep-mutants",
            dependencies: ["MutantSession", "MutantSimulation", "Settings", arguments],
            path: ".build/mutants/Tests/Tools/lockstep-sim", swiftSettings: settings, linkerSettings: standalone))
}
