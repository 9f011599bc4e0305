// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
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
        .executable(name: "lockstep-bench", targets: ["lockstep-bench"]),
        .executable(name: "lockstep-sim", targets: ["lockstep-sim"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CMosquitto",
            pkgConfig: "libmosquitto",
            providers: [.apt(["libmosquitto-dev"])]
        ),
        .systemLibrary(
            name: "CSystemd",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
        .systemLibrary(name: "CTimex"),
        .target(name: "CAssets"),
        .target(
            name: "Mosquitto",
            dependencies: ["CMosquitto"],
            swiftSettings: strict + [.strictMemorySafety()]
        ),
        .target(name: "Session", swiftSettings: strict),
        .target(name: "Wire", dependencies: ["Session"], swiftSettings: strict),
        .target(
            name: "Display", dependencies: ["CAssets", "Session"], exclude: ["Languages"], swiftSettings: strict),
        .target(
            name: "Shell",
            dependencies: ["CSystemd", "CTimex", "Session", "Wire", "Mosquitto", logging, subprocess, system],
            swiftSettings: strict
        ),
        .target(
            name: "Web",
            dependencies: [
                "Display", "Session", "Wire", lifecycle, logging,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            exclude: ["Kiosk", "Week", "HTTP/openapi.json"],
            swiftSettings: strict
        ),
        .target(name: "Calm", dependencies: ["Session", "Wire"], swiftSettings: strict),
        .target(name: "Debt", dependencies: ["Session", "Wire", sqlite], swiftSettings: strict),
        .target(name: "Simulation", dependencies: ["Session", "Wire"], swiftSettings: strict),
        .target(
            name: "Commands",
            dependencies: ["Mosquitto", "Session", "Shell", "Wire", arguments],
            path: "Sources/Commands/Shared",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep",
            dependencies: [
                "Calm", "Commands", "Session", "Wire", "Display", "Shell", "Web", "Mosquitto", arguments, logging,
                signals, subprocess, system,
            ],
            path: "Sources/Commands/lockstep",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep-node",
            dependencies: [
                "Commands", "Session", "Wire", "Display", "Shell", "Web", "Mosquitto", arguments, lifecycle, logging,
                signals,
            ],
            path: "Sources/Commands/lockstep-node",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep-calm",
            dependencies: [
                "Calm", "Commands", "Mosquitto", "Session", "Shell", "Wire", arguments, logging, signals,
            ],
            path: "Sources/Commands/lockstep-calm",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep-debt",
            dependencies: [
                "Commands", "Debt", "Display", "Mosquitto", "Session", "Shell", "Wire", arguments, logging, signals,
            ],
            path: "Sources/Commands/lockstep-debt",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep-bench",
            dependencies: [
                "CMosquitto", "Commands", "Debt", "Mosquitto", "Session", "Support", "Wire", "Shell", "Web", arguments,
                logging,
                signals, .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/Commands/lockstep-bench",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "lockstep-sim",
            dependencies: ["Commands", "Simulation", arguments],
            path: "Sources/Commands/lockstep-sim",
            swiftSettings: strict
        ),
        .target(name: "Support", path: "Tests/Support", swiftSettings: strict),
        .testTarget(
            name: "CalmTests", dependencies: ["Calm", "Session", "Support", "Wire"], swiftSettings: strict),
        .testTarget(
            name: "DebtTests", dependencies: ["Debt", "Session", "Support", "Wire", sqlite], swiftSettings: strict),
        .testTarget(name: "SessionTests", dependencies: ["Session", "Support"], swiftSettings: strict),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Session", "Simulation", "Support"],
            exclude: ["Traces"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "MosquittoTests",
            dependencies: ["CMosquitto", "Mosquitto", "Support"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "WireTests",
            dependencies: ["Session", "Support", "Wire"],
            swiftSettings: strict
        ),
        .testTarget(name: "DisplayTests", dependencies: ["Display", "Session", "Support"], swiftSettings: strict),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Display", "Session", "Support", "Web", "Wire", lifecycle,
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
            name: "ShellTests",
            dependencies: ["Session", "Shell", "Wire", "Mosquitto", "Support", logging],
            swiftSettings: strict
        ),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "CSystemd", "Mosquitto", "Session", "Support", "Wire", "lockstep", "lockstep-node", "lockstep-calm",
                "lockstep-debt", "lockstep-bench",
            ],
            exclude: ["Preload"],
            swiftSettings: strict
        ),
    ]
)
