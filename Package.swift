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

/// The tests in the folder with this name in `Tests`.
func tests(
  _ name: String, exclude: [String] = [], _ dependencies: Target.Dependency...
) -> Target {
  .testTarget(
    name: name, dependencies: ["Expectations"] + dependencies, exclude: exclude,
    swiftSettings: settings)
}

/// What tests share, or start as a process, in the folder with this name in `Tests`; no product.
func support(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

func program(_ name: String, in folder: String, _ dependencies: Target.Dependency...) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: settings)
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
    // A web server needs no terminal and no window.
    .library(name: "IDXPages", targets: ["IDXPages"]),
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
    module("IDXSwiftUI", in: "FrontEnds", "IDX", "IDXOAuth", "IDXFlow"),
    .target(
      name: "IDXPages", dependencies: ["IDXBase", "IDX", "IDXOAuth", "IDXFlow"],
      path: "Sources/FrontEnds/IDXPages",
      resources: [
        "sign-in.css", "lists.css", "sign-in.js", "passkey.js", "okta-verify.js", "rules.js",
      ].map {
        .embedInCode("Static/\($0)")
      },
      swiftSettings: settings),

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
    program(
      "idx-benchmark", in: "Sources/Testing", "IDXBase", "IDX", "IDXOAuth", "IDXFlow",
      "IDXNetwork", "IDXSimulatedOrg", "IDXQRCode"),

    program(
      "idx-flow", in: "Sources", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth",
      "IDXClassicAuth", "IDXBrowserAuth", "IDXNetwork", "IDXStorage", "IDXPrompt", "IDXRecording",
      "IDXSimulatedOrg", "IDXSoftwarePasskeys", "IDXTesting", "IDXSystem"),

    program(
      "HeadlessSignIn", in: "Examples", "IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg",
      "IDXTesting"),
    program("StepByStep", in: "Examples", "IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg"),
    program(
      "StaySignedIn", in: "Examples", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXStorage",
      "IDXSimulatedOrg"),
    // What apps and sites write around the libraries, to copy; tests run each against the simulated org. No product.
    .target(
      name: "Embedding",
      dependencies: ["IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXStorage"],
      path: "Examples/Embedding", swiftSettings: settings),

    support("Expectations", "IDXBase"),
    // Sign-ins to the simulated org and to servers that tests write by hand.
    support(
      "SignInSupport", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXSimulatedOrg", "IDXTesting"),
    // Ports for the servers of tests.
    support("PortSupport"),
    // A pseudo-terminal.
    support("TerminalSupport", "IDXBase"),
    // A process that tests end in the middle of its work.
    program("StoreCrasher", in: "Tests", "IDXBase", "IDXOAuth", "IDXStorage"),
    // A process that answers questions of a script about cryptography.
    program("CryptographyAnswers", in: "Tests", "IDXOAuth"),
    // A process that sends the requests of a script.
    program("RequestSender", in: "Tests", "IDXBase", "IDXOAuth", "IDXNetwork"),

    tests("IDXBaseTests", "IDXBase"),
    tests("IDXTests", "IDXBase", "IDX"),
    tests(
      "IDXOAuthTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXStorage", "IDXSimulatedOrg",
      "SignInSupport"),
    tests("IDXQRCodeTests", "IDXQRCode"),
    tests(
      "IDXFlowTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth", "IDXStorage",
      "IDXSoftwarePasskeys", "IDXSimulatedOrg", "IDXTesting", "SignInSupport"),
    tests(
      "IDXScreensTests", "IDXBase", "IDXQRCode", "IDX", "IDXOAuth", "IDXFlow", "IDXStorage",
      "IDXSimulatedOrg", "IDXTesting", "SignInSupport"),
    tests(
      "IDXNetworkTests", "IDXBase", "IDXOAuth",
      .target(name: "CLibcurl", condition: .when(platforms: [.linux])), "IDXNetwork",
      "PortSupport"),
    tests(
      "IDXStorageTests", "IDXBase", "IDXOAuth", "IDXSystem", "IDXStorage", "IDXTesting",
      "StoreCrasher"),
    tests("IDXPagesTests", "IDX", "IDXOAuth", "IDXFlow", "IDXPages", "IDXSimulatedOrg"),
    tests(
      "IDXPromptTests", "IDXBase", "IDXQRCode", "IDX", "IDXOAuth", "IDXFlow", "IDXSystem",
      "IDXPrompt", "IDXSoftwarePasskeys", "IDXSimulatedOrg", "TerminalSupport"),
    tests(
      "IDXTestingTests", "IDX", "IDXOAuth", "IDXFlow", "IDXStorage", "IDXSimulatedOrg",
      "IDXTesting", "SignInSupport"),
    tests(
      "IDXSimulatedOrgTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow",
      "IDXTokenSigning", "IDXSoftwarePasskeys", "IDXSimulatedOrg"),
    tests(
      "IDXDirectAuthTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth",
      "IDXSoftwarePasskeys", "IDXSimulatedOrg", "IDXTesting"),
    tests("IDXClassicAuthTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXClassicAuth"),
    tests(
      "IDXBrowserAuthTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXBrowserAuth",
      "IDXSimulatedOrg", "IDXTesting", "SignInSupport"),
    tests(
      "ProtocolTests", exclude: ["SavedStates"], "IDXBase", "IDXQRCode", "IDX", "IDXOAuth",
      "IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXBrowserAuth", "IDXSystem", "IDXPrompt",
      "IDXPages", "IDXSoftwarePasskeys", "IDXSimulatedOrg", "IDXRecording", "IDXTesting",
      "SignInSupport", "TerminalSupport"),
    // The samples of the documentation; `pytest -k docs` compares them with the documents.
    tests(
      "SampleTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth",
      "IDXBrowserAuth", "IDXSoftwarePasskeys", "IDXSimulatedOrg", "IDXRecording", "IDXTesting",
      "SignInSupport"),
    tests(
      "EmbeddingTests", "IDXFlow", "IDXDirectAuth", "IDXClassicAuth", "IDXSimulatedOrg",
      "IDXTesting", "Embedding", "SignInSupport"),
    tests("BenchmarkTests", "IDX", "idx-benchmark"),
    tests(
      "CommandTests", "IDXBase", "IDX", "IDXOAuth", "IDXFlow", "IDXBrowserAuth", "IDXSystem",
      "IDXStorage", "IDXSimulatedOrg", "IDXRecording", "IDXTesting", "idx-flow", "HeadlessSignIn",
      "StepByStep", "StaySignedIn", "SignInSupport", "PortSupport", "TerminalSupport"),
  ],
  swiftLanguageModes: [.v6]
)
