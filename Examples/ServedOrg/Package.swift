// swift-tools-version: 6.0
import PackageDescription

func idx(_ name: String) -> Target.Dependency { .product(name: name, package: "idx-flow") }
func web(_ name: String) -> Target.Dependency { .product(name: name, package: "web-sign-in") }

let package = Package(
  name: "served-org",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "idx-flow", path: "../.."),
    // Its HTTP server, which needs libmicrohttpd.
    .package(name: "web-sign-in", path: "../WebSignIn"),
  ],
  targets: [
    .executableTarget(
      name: "ServedOrg",
      dependencies: [
        web("WebServer"), idx("IDXFlow"), idx("IDXPages"), idx("IDXTesting"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
