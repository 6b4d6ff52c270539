// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A module of the folder with this name in `Sources`.
func module(_ name: String, in folder: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Sources/\(folder)/\(name)",
    swiftSettings: settings)
}

let package = Package(
  name: "idx-flow",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    // What every app needs: the engine, and the network and the stores of the system.
    .library(
      name: "IDXFlow",
      targets: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXScreens", "IDXNetwork", "IDXStorage",
      ]),
    .library(
      name: "IDXProtocols", targets: ["IDXDirectAuth", "IDXClassicAuth", "IDXBrowserAuth"]),
    .library(name: "IDXFrontEnds", targets: ["IDXPrompt", "IDXSwiftUI"]),
    .library(
      name: "IDXTesting",
      targets: ["IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTesting", "IDXRecording"]),
    .executable(name: "idx-flow", targets: ["idx-flow"]),
  ],
  targets: [
    // The page IDXFlow of the documentation has a table of the libraries; comments here describe the other modules.
    // The sign-in as values, and the loop over them; what others use, and what needs no system.
    module("IDXBase", in: "Engine"),
    // QR codes, written and read, and PNG images.
    module("IDXQRCode", in: "Engine", "IDXBase"),
    module("IDX", in: "Engine", "IDXBase"),
    module("IDXOAuth", in: "Engine", "IDXBase"),
    module("IDXFlow", in: "Engine", "IDXBase", "IDX", "IDXOAuth", "IDXQRCode"),
    // Exports IDXFlow again, for one version.
    module("IDXScreens", in: "Engine", "IDXFlow"),

    // Clients of other protocols, which the engine uses like that of Identity Engine.
    module("IDXDirectAuth", in: "Protocols", "IDXBase", "IDX", "IDXOAuth", "IDXFlow"),
    module("IDXClassicAuth", in: "Protocols", "IDXBase", "IDX", "IDXOAuth", "IDXFlow"),
    module("IDXBrowserAuth", in: "Protocols", "IDXBase", "IDX", "IDXOAuth", "IDXFlow"),

    // The network and the stores of the system.
    // CLibcurl has what IDXNetwork needs of libcurl's binary interface, and of epoll; used on Linux.
    .target(name: "CLibcurl", path: "Sources/System/CLibcurl"),
    // Files, signals and other programs, through POSIX.
    module("IDXSystem", in: "System", "IDXBase"),
    module(
      "IDXNetwork", in: "System", "IDXBase", "IDXSystem",
      .target(name: "CLibcurl", condition: .when(platforms: [.linux]))),
    module("IDXStorage", in: "System", "IDXBase", "IDXOAuth", "IDXSystem"),

    // What people see. The views for Apple platforms are empty elsewhere.
    module(
      "IDXPrompt", in: "FrontEnds", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXSystem",
      "IDXQRCode"),
    module("IDXSwiftUI", in: "FrontEnds", "IDXBase", "IDX", "IDXOAuth", "IDXFlow"),

    // What tests need: an org without an org, recordings, and tokens signed with keys that everybody knows.
    module("IDXTokenSigning", in: "Testing", "IDXBase", "IDXOAuth"),
    // Passkeys in memory, and how a server checks them.
    module("IDXSoftwarePasskeys", in: "Testing", "IDXBase", "IDXOAuth", "IDXFlow"),
    module(
      "IDXSimulatedOrg", in: "Testing", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXTokenSigning",
      "IDXSoftwarePasskeys", "IDXQRCode"),
    module(
      "IDXRecording", in: "Testing", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXBrowserAuth",
      "IDXTokenSigning",
      "IDXQRCode"),
    module(
      "IDXTesting", in: "Testing", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg"),
    // Measures the libraries; no product.
    .executableTarget(
      name: "idx-benchmark",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXNetwork", "IDXSimulatedOrg", "IDXQRCode",
      ],
      path: "Sources/Testing/idx-benchmark", swiftSettings: settings),

    .executableTarget(
      name: "idx-flow",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth",
        "IDXBrowserAuth", "IDXNetwork", "IDXStorage", "IDXPrompt", "IDXRecording",
        "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTesting", "IDXSystem",
      ],
      swiftSettings: settings),

    .executableTarget(
      name: "HeadlessSignIn",
      dependencies: ["IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg", "IDXTesting"],
      path: "Examples/HeadlessSignIn", swiftSettings: settings),
    .executableTarget(
      name: "StepByStep", dependencies: ["IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg"],
      path: "Examples/StepByStep", swiftSettings: settings),
    .executableTarget(
      name: "StaySignedIn",
      dependencies: ["IDX", "IDXBase", "IDXOAuth", "IDXFlow", "IDXStorage", "IDXSimulatedOrg"],
      path: "Examples/StaySignedIn", swiftSettings: settings),
    // What apps and sites write around the libraries, to copy; tests run each against the simulated org. No product.
    .target(
      name: "Embedding",
      dependencies: ["IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXStorage"],
      path: "Examples/Embedding", swiftSettings: settings),
    // Checks that tests share; no product.
    .target(
      name: "Expectations", dependencies: ["IDXBase"], path: "Tests/Expectations",
      swiftSettings: settings),
    // Sign-ins to the simulated org and to servers that tests write by hand; no product.
    .target(
      name: "SignInSupport",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg", "IDXTesting",
      ],
      path: "Tests/SignInSupport", swiftSettings: settings),
    .testTarget(
      name: "IDXBaseTests", dependencies: ["Expectations", "IDXBase"], swiftSettings: settings),
    .testTarget(name: "IDXTests", dependencies: ["Expectations", "IDX"], swiftSettings: settings),
    .testTarget(
      name: "IDXOAuthTests",
      dependencies: [
        "Expectations", "IDXOAuth", "IDXFlow", "IDXStorage", "IDXSimulatedOrg", "SignInSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXQRCodeTests", dependencies: ["Expectations", "IDXQRCode"], swiftSettings: settings),
    .testTarget(
      name: "IDXFlowTests",
      dependencies: [
        "Expectations", "IDXFlow", "IDXDirectAuth", "IDXStorage", "IDXSimulatedOrg",
        "IDXSoftwarePasskeys", "IDXTesting", "SignInSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXScreensTests",
      dependencies: [
        "Expectations", "IDXFlow", "IDXQRCode", "IDXStorage", "IDXSimulatedOrg",
        "IDXTesting", "SignInSupport",
      ],
      swiftSettings: settings),
    // Ports for the servers of tests; no product.
    .target(name: "PortSupport", path: "Tests/PortSupport", swiftSettings: settings),
    .testTarget(
      name: "IDXNetworkTests",
      dependencies: [
        "Expectations", "IDXNetwork", "IDXSimulatedOrg", "PortSupport",
        .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: settings),
    // A process that tests run to end it in the middle of its work; no product.
    .executableTarget(
      name: "StoreCrasher", dependencies: ["IDXStorage", "IDXOAuth"], path: "Tests/StoreCrasher",
      swiftSettings: settings),
    // A process that answers questions of a script about cryptography; no product.
    .executableTarget(
      name: "CryptographyAnswers", dependencies: ["IDXOAuth"], path: "Tests/CryptographyAnswers",
      swiftSettings: settings),
    // A process that sends the requests of a script; no product.
    .executableTarget(
      name: "RequestSender", dependencies: ["IDXBase", "IDXNetwork", "IDXOAuth"],
      path: "Tests/RequestSender", swiftSettings: settings),
    .testTarget(
      name: "IDXStorageTests",
      dependencies: [
        "Expectations", "IDXStorage", "IDXSimulatedOrg", "IDXTesting", "IDXOAuth", "IDXSystem",
        "StoreCrasher",
      ],
      swiftSettings: settings),
    // A pseudo-terminal that tests share; no product.
    .target(
      name: "TerminalSupport", dependencies: ["IDXBase"], path: "Tests/TerminalSupport",
      swiftSettings: settings),
    .testTarget(
      name: "IDXPromptTests",
      dependencies: [
        "Expectations", "IDXPrompt", "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXSystem",
        "TerminalSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXTestingTests",
      dependencies: [
        "Expectations", "IDXTesting", "IDXStorage", "IDXSimulatedOrg", "SignInSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXSimulatedOrgTests",
      dependencies: [
        "Expectations", "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTokenSigning",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXDirectAuthTests",
      dependencies: [
        "Expectations", "IDXDirectAuth", "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTesting",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXClassicAuthTests",
      dependencies: ["Expectations", "IDXClassicAuth", "IDXFlow"],
      swiftSettings: settings),
    .testTarget(
      name: "IDXBrowserAuthTests",
      dependencies: [
        "Expectations", "IDXBrowserAuth", "IDXSimulatedOrg", "IDXTesting",
        "SignInSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ProtocolTests",
      dependencies: [
        "Expectations", "IDXDirectAuth", "IDXClassicAuth", "IDXBrowserAuth",
        "IDXPrompt", "IDXQRCode", "IDXRecording", "IDXSimulatedOrg", "IDXSoftwarePasskeys",
        "IDXTesting", "IDXSystem", "SignInSupport", "TerminalSupport",
      ],
      exclude: ["SavedStates"], swiftSettings: settings),
    // The samples of the documentation; `pytest -k docs` compares them with the documents.
    .testTarget(
      name: "SampleTests",
      dependencies: [
        "Expectations", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXBrowserAuth",
        "IDXRecording", "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTesting", "SignInSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "EmbeddingTests",
      dependencies: [
        "Expectations", "Embedding", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth",
        "IDXSimulatedOrg",
        "IDXTesting", "SignInSupport",
      ], swiftSettings: settings),
    .testTarget(
      name: "BenchmarkTests", dependencies: ["Expectations", "idx-benchmark"],
      swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "Expectations", "idx-flow", "HeadlessSignIn", "StepByStep", "StaySignedIn",
        "IDXRecording", "IDXSimulatedOrg", "IDXTesting", "PortSupport", "SignInSupport",
        "TerminalSupport",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
