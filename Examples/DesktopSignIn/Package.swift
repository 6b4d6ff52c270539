// swift-tools-version: 6.0
import PackageDescription

let package = Package(
  name: "DesktopSignIn",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "idx-flow", path: "../..")],
  targets: [
    .systemLibrary(name: "CGTK", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    .executableTarget(
      name: "DesktopSignIn",
      dependencies: [
        "CGTK",
        .product(name: "IDXFlow", package: "idx-flow"),
        .product(name: "IDXTesting", package: "idx-flow"),
      ],
      swiftSettings: [.enableUpcomingFeature("ExistentialAny")]),
  ],
  swiftLanguageModes: [.v6]
)
