// swift-tools-version: 6.0
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
]

func idx(_ name: String) -> Target.Dependency { .product(name: name, package: "idx-flow") }

let package = Package(
  name: "web-sign-in",
  platforms: [.macOS(.v15)],
  products: [
    // Examples/ServedOrg uses it too.
    .library(name: "WebServer", targets: ["WebServer"])
  ],
  dependencies: [.package(name: "idx-flow", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
    .systemLibrary(
      name: "CHiredis", pkgConfig: "hiredis",
      providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
    // An HTTP server; it knows nothing of sign-ins.
    .target(name: "WebServer", dependencies: ["CMicroHTTPD"], swiftSettings: settings),
    // The web site: pages and replies by HTTP, and the sign-ins in memory or in Redis.
    .target(
      name: "SignInSite",
      dependencies: [
        "WebServer", "CHiredis", idx("IDXFlow"), idx("IDXPages"), idx("IDXProtocols"),
        idx("IDXTesting"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "WebSignIn",
      dependencies: [
        "SignInSite", "WebServer", idx("IDXFlow"), idx("IDXProtocols"), idx("IDXTesting"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "WebSignInTests",
      dependencies: [
        "SignInSite", "WebServer", idx("IDXFlow"), idx("IDXPages"), idx("IDXTesting"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
