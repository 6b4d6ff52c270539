// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]

let package = Package(
  name: "AppSignIn",
  platforms: [.macOS(.v14), .iOS(.v17)],
  products: [
    .library(name: "AppSignInUI", targets: ["AppSignInUI"]),
    .executable(name: "AppSignIn", targets: ["AppSignIn"]),
  ],
  dependencies: [.package(name: "idx-flow", path: "../..")],
  targets: [
    .target(
      name: "AppSignInUI",
      dependencies: [
        .product(name: "IDXFlow", package: "idx-flow"),
        .product(name: "IDXFrontEnds", package: "idx-flow"),
        .product(name: "IDXTesting", package: "idx-flow"),
      ],
      swiftSettings: settings),
    .executableTarget(name: "AppSignIn", dependencies: ["AppSignInUI"], swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
