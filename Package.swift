// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "idx-flow",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    .library(name: "IDXBase", targets: ["IDXBase"]),
    .library(name: "IDX", targets: ["IDX"]),
    .library(name: "IDXOAuth", targets: ["IDXOAuth"]),
    .library(name: "IDXFlow", targets: ["IDXFlow"]),
    .library(name: "IDXScreens", targets: ["IDXScreens"]),
    .library(name: "IDXSwiftUI", targets: ["IDXSwiftUI"]),
    .library(name: "IDXDirectAuth", targets: ["IDXDirectAuth"]),
    .library(name: "IDXClassicAuth", targets: ["IDXClassicAuth"]),
    .library(name: "IDXBrowserAuth", targets: ["IDXBrowserAuth"]),
    .library(name: "IDXNetwork", targets: ["IDXNetwork"]),
    .library(name: "IDXStorage", targets: ["IDXStorage"]),
    .library(name: "IDXPrompt", targets: ["IDXPrompt"]),
    .library(name: "IDXRecording", targets: ["IDXRecording"]),
    .library(name: "IDXSimulatedOrg", targets: ["IDXSimulatedOrg"]),
    .library(name: "IDXTesting", targets: ["IDXTesting"]),
    .executable(name: "idx-flow", targets: ["idx-flow"]),
  ],
  targets: [
    .target(name: "IDXBase", swiftSettings: settings),
    .target(name: "IDXQRCode", dependencies: ["IDXBase"], swiftSettings: settings),
    .target(name: "IDXSystem", dependencies: ["IDXBase"], swiftSettings: settings),
    .target(name: "IDX", dependencies: ["IDXBase"], swiftSettings: settings),
    .target(name: "IDXOAuth", dependencies: ["IDXBase"], swiftSettings: settings),
    // What IDXNetwork needs of libcurl's binary interface, and of epoll; used on Linux.
    .target(name: "CLibcurl"),
    .target(
      name: "IDXNetwork",
      dependencies: [
        "IDXBase", "IDXSystem",
        .target(name: "CLibcurl", condition: .when(platforms: [.linux])),
      ],
      swiftSettings: settings),
    .target(
      name: "IDXStorage", dependencies: ["IDXBase", "IDXOAuth", "IDXSystem"],
      swiftSettings: settings),
    .target(
      name: "IDXFlow", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXQRCode"],
      swiftSettings: settings),
    .target(name: "IDXScreens", dependencies: ["IDXFlow"], swiftSettings: settings),
    // Views for Apple platforms; empty elsewhere.
    .target(
      name: "IDXSwiftUI", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      swiftSettings: settings),
    .target(
      name: "IDXDirectAuth", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      swiftSettings: settings),
    .target(
      name: "IDXClassicAuth", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      swiftSettings: settings),
    .target(
      name: "IDXBrowserAuth", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      swiftSettings: settings),
    .target(
      name: "IDXPrompt",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXSystem", "IDXQRCode",
      ],
      swiftSettings: settings),
    // Signs tokens for tests, with keys that everybody knows; no product.
    .target(
      name: "IDXTokenSigning", dependencies: ["IDXBase", "IDXOAuth"], swiftSettings: settings),
    .target(
      name: "IDXRecording",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXTokenSigning", "IDXQRCode",
      ],
      swiftSettings: settings),
    .target(
      name: "IDXSimulatedOrg",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXTokenSigning", "IDXQRCode",
      ],
      swiftSettings: settings),
    .target(
      name: "IDXTesting", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      swiftSettings: settings),
    .executableTarget(
      name: "idx-flow",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth",
        "IDXBrowserAuth", "IDXNetwork", "IDXStorage", "IDXPrompt", "IDXRecording",
        "IDXSimulatedOrg", "IDXSystem",
      ],
      swiftSettings: settings),
    // Measures the libraries; no product.
    .executableTarget(
      name: "idx-benchmark",
      dependencies: [
        "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXNetwork", "IDXSimulatedOrg",
        "IDXQRCode",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "HeadlessSignIn", dependencies: ["IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg"],
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
        "IDXTesting", "SignInSupport",
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
        "Expectations", "IDXPrompt", "IDXSimulatedOrg", "IDXSystem",
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
        "Expectations", "IDXSimulatedOrg", "IDXTokenSigning",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "IDXDirectAuthTests",
      dependencies: [
        "Expectations", "IDXDirectAuth", "IDXSimulatedOrg", "IDXTesting",
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
        "IDXPrompt", "IDXQRCode", "IDXRecording", "IDXSimulatedOrg", "IDXTesting", "IDXSystem",
        "SignInSupport", "TerminalSupport",
      ],
      exclude: ["SavedStates"], swiftSettings: settings),
    // The samples of the documentation; `.ci/check-docs` compares them with the documents.
    .testTarget(
      name: "SampleTests",
      dependencies: [
        "Expectations", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXBrowserAuth",
        "IDXRecording", "IDXSimulatedOrg", "IDXTesting", "SignInSupport",
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
        "IDXRecording", "IDXSimulatedOrg", "PortSupport", "SignInSupport", "TerminalSupport",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
