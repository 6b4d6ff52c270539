import Expectations
import Testing

@testable import IDXPrompt

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct SystemBrowserTests {
  private let page = "https://idp.example/start?a=b&c=%s"

  /// A browser that is a script.
  private func browser(_ script: Script, timeout: Duration = patience) -> SystemBrowser {
    SystemBrowser(
      environment: [
        "BROWSER": "/bin/sh \(script.path)", "PATH": "/usr/bin:/bin", "SSH_CONNECTION": "1",
      ],
      timeout: timeout)
  }

  @Test(
    "BROWSER contains commands, with or without a place for the address, which is never a program",
    .promise("page-address"))
  func named() {
    let browser = SystemBrowser(environment: [
      "BROWSER": "w3m -N %s:firefox", "SSH_CONNECTION": "1 2 3 4",
    ])
    expectEqual(browser.commands(for: page), [["w3m", "-N", page], ["firefox", page]])
    let unnamed = SystemBrowser(environment: [
      "BROWSER": " :%s:%s -N::firefox", "SSH_CONNECTION": "1 2 3 4",
    ])
    expectEqual(unnamed.commands(for: page), [["firefox", page]])
  }

  @Test("Over SSH, only BROWSER is used", arguments: ["SSH_CONNECTION", "SSH_TTY"])
  func remote(variable: String) async throws {
    let browser = SystemBrowser(environment: [variable: "1 2 3 4", "DISPLAY": ":0"])
    expectEmpty(browser.commands(for: page))
    await expectEqual(browser.open(try require(URL(string: "https://idp.example/"))), false)
  }

  #if os(Linux)
    @Test(
      "On Linux with a desktop, it is xdg-open, and without one, there is none",
      arguments: [
        (["DISPLAY": ":0"], true), (["WAYLAND_DISPLAY": "wayland-0"], true), ([:], false),
        (["DISPLAY": ""], false),
      ])
    func desktop(environment: [String: String], hasDesktop: Bool) {
      let browser = SystemBrowser(environment: environment)
      expectEqual(browser.commands(for: page), hasDesktop ? [["xdg-open", page]] : [])
    }
  #endif

  @Test(
    "The address is one argument of the program, and no shell reads it", .promise("page-address"))
  func oneArgument() async throws {
    let script = try Script(#"printf '%s|' "$#" "$@" > "$0.out"; echo noise; echo noise >&2"#)
    defer { script.remove() }
    let address = "https://idp.example/a?x=$(id)&y=%22;z"
    let url = try require(URL(string: address))
    await expect(browser(script).open(url))
    try expectEqual(script.output(), "1|\(address)|")
  }

  @Test("After a cancellation, no other program is tried")
  func cancelled() async throws {
    let (first, second) = (try Script(#": > "$0.out""#), try Script(#": > "$0.out""#))
    defer {
      first.remove()
      second.remove()
    }
    let url = try require(URL(string: "https://idp.example/"))
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await browser(first).open(url)
    }
    await expectEqual(task.value, false)
    await expect(browser(second).open(url))
    expectEqual((try? first.output()), nil)
  }

  @Test(
    "A program that keeps running counts as a browser; one that fails or does not exist is skipped")
  func running() async throws {
    let script = try Script(
      #"for i in $(seq 3000); do [ -e "$0.stop" ] && exit 1; sleep 0.01; done"#)
    defer { script.remove() }
    let url = try require(URL(string: "https://idp.example/"))
    await expect(browser(script, timeout: .zero).open(url))
    try script.stop()

    let failing = ["BROWSER": "/usr/bin/false:/no/such/program", "SSH_CONNECTION": "1"]
    await expectEqual(SystemBrowser(environment: failing, timeout: patience).open(url), false)
    let working = ["BROWSER": "/usr/bin/false:/no/such/program:/usr/bin/true"]
    await expect(SystemBrowser(environment: working, timeout: patience).open(url))
  }

  @Test(
    "Only web addresses are opened",
    arguments: ["file:///etc/passwd", "javascript:alert(1)", "ms-settings:x", "/etc/passwd"])
  func others(address: String) async throws {
    let browser = SystemBrowser(environment: ["BROWSER": "/usr/bin/true"])
    await expectEqual(browser.open(try require(URL(string: address))), false)
  }
}

/// A shell script in its own folder.
private struct Script {
  private let folder: URL

  init(_ text: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  var path: String { folder.appending(path: "program").path }

  func output() throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path + ".out")), as: UTF8.self)
  }

  func stop() throws { try Data().write(to: URL(filePath: path + ".stop")) }

  func remove() { try? FileManager.default.removeItem(at: folder) }
}
