// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "idx-flow",
  platforms: [.macOS(.v13), .iOS(.v16)],
  products: [
    .library(name: "IDX", targets: ["IDX"]),
    .library(name: "OAuth", targets: ["OAuth"]),
    .library(name: "IDXFlow", targets: ["IDXFlow"]),
    .library(name: "DirectAuth", targets: ["DirectAuth"]),
    .library(name: "ClassicAuth", targets: ["ClassicAuth"]),
    .library(name: "IDXNetwork", targets: ["IDXNetwork"]),
    .library(name: "IDXStorage", targets: ["IDXStorage"]),
    .library(name: "IDXPrompt", targets: ["IDXPrompt"]),
    .library(name: "IDXTesting", targets: ["IDXTesting"]),
    .executable(name: "idx-flow", targets: ["idx-flow"]),
  ],
  targets: [
    .target(name: "IDX", swiftSettings: settings),
    .target(name: "OAuth", swiftSettings: settings),
    .target(name: "QRCode", swiftSettings: settings),
    .target(name: "POSIX", swiftSettings: settings),
    .target(name: "IDXStorage", dependencies: ["OAuth", "POSIX"], swiftSettings: settings),
    .target(name: "IDXFlow", dependencies: ["IDX", "OAuth"], swiftSettings: settings),
    .target(
      name: "DirectAuth", dependencies: ["IDX", "OAuth", "IDXFlow"], swiftSettings: settings),
    .target(
      name: "ClassicAuth", dependencies: ["IDX", "OAuth", "IDXFlow"], swiftSettings: settings),
    .target(name: "IDXNetwork", dependencies: ["OAuth", "IDXFlow"], swiftSettings: settings),
    .target(
      name: "IDXPrompt", dependencies: ["IDX", "OAuth", "IDXFlow", "POSIX", "QRCode"],
      swiftSettings: settings),
    .target(
      name: "IDXTesting", dependencies: ["IDX", "OAuth", "IDXFlow", "POSIX", "QRCode"],
      swiftSettings: settings),
    .executableTarget(
      name: "idx-flow",
      dependencies: [
        "IDX", "OAuth", "IDXFlow", "DirectAuth", "ClassicAuth", "IDXNetwork", "IDXStorage",
        "IDXPrompt",
        "IDXTesting", "POSIX",
      ],
      swiftSettings: settings),
    // Measures the others; for whoever works on them, and no product.
    .executableTarget(
      name: "idx-benchmark", dependencies: ["IDX", "OAuth", "IDXFlow", "IDXTesting", "QRCode"],
      swiftSettings: settings),
    .executableTarget(
      name: "HeadlessSignIn", dependencies: ["IDX", "IDXFlow", "IDXTesting"],
      path: "Examples/HeadlessSignIn", swiftSettings: settings),
    .executableTarget(
      name: "StepByStep", dependencies: ["IDX", "IDXFlow", "IDXTesting"],
      path: "Examples/StepByStep", swiftSettings: settings),
    .executableTarget(
      name: "StaySignedIn", dependencies: ["IDX", "OAuth", "IDXFlow", "IDXStorage", "IDXTesting"],
      path: "Examples/StaySignedIn", swiftSettings: settings),
    .testTarget(name: "IDXTests", dependencies: ["IDX"], swiftSettings: settings),
    .testTarget(name: "OAuthTests", dependencies: ["OAuth"], swiftSettings: settings),
    .testTarget(name: "QRCodeTests", dependencies: ["QRCode"], swiftSettings: settings),
    .testTarget(
      name: "IDXFlowTests", dependencies: ["IDXFlow", "DirectAuth", "IDXStorage", "IDXTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "IDXNetworkTests", dependencies: ["IDXNetwork", "IDXTesting", "POSIX"],
      swiftSettings: settings),
    // A process that tests run to end it in the middle of its work; no product.
    .executableTarget(
      name: "StoreCrasher", dependencies: ["IDXStorage", "OAuth"], path: "Tests/StoreCrasher",
      swiftSettings: settings),
    .testTarget(
      name: "IDXStorageTests",
      dependencies: ["IDXStorage", "IDXTesting", "OAuth", "POSIX", "StoreCrasher"],
      swiftSettings: settings),
    .testTarget(
      name: "IDXPromptTests", dependencies: ["IDXPrompt", "IDXTesting", "POSIX"],
      swiftSettings: settings),
    .testTarget(
      name: "IDXTestingTests", dependencies: ["IDXTesting"], swiftSettings: settings),
    .testTarget(
      name: "DirectAuthTests", dependencies: ["DirectAuth", "IDXTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "ClassicAuthTests", dependencies: ["ClassicAuth", "IDXTesting"],
      swiftSettings: settings),
    .testTarget(
      name: "ProtocolTests", dependencies: ["DirectAuth", "ClassicAuth", "IDXTesting", "POSIX"],
      swiftSettings: settings),
    .testTarget(name: "BenchmarkTests", dependencies: ["idx-benchmark"], swiftSettings: settings),
    .testTarget(
      name: "CommandTests",
      dependencies: ["idx-flow", "HeadlessSignIn", "StepByStep", "StaySignedIn", "IDXTesting"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
