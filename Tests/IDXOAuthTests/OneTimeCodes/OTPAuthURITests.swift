import Expectations
import Foundation
import Testing

@testable import IDXOAuth

/// otpauth URIs.
struct OTPAuthURITests {
  @Test("Settings are written unless they are the default")
  func written() {
    let short = OTPAuthURI(
      issuer: "shop.example", account: "amal@shop.example", secret: "MZXW6YTBOI4TQNBR")
    expectEqual(
      short.text.revealed,
      "otpauth://totp/shop.example:amal%40shop.example?secret=MZXW6YTBOI4TQNBR"
        + "&issuer=shop.example")
    let long = OTPAuthURI(
      issuer: "Shop & Söhne: 100%", account: "a/b?c#d", secret: "mzxw 6ytb", digits: 8, period: 60,
      algorithm: .sha256)
    expectEqual(
      long.text.revealed,
      "otpauth://totp/Shop%20%26%20S%C3%B6hne%3A%20100%25:a%2Fb%3Fc%23d?secret=MZXW6YTB"
        + "&issuer=Shop%20%26%20S%C3%B6hne%3A%20100%25&algorithm=SHA256&digits=8&period=60")
  }

  @Test(
    "A written URI is read back",
    arguments: [
      OTPAuthURI(issuer: nil, account: "amal", secret: "MZXW6YTB"),
      OTPAuthURI(issuer: "", account: "amal", secret: "MZXW6YTB"),
      OTPAuthURI(issuer: "Shop", account: "", secret: "MZXW6YTB"),
      OTPAuthURI(issuer: "A:B", account: "c:d", secret: "MZXW6YTB", digits: 10, period: 1),
      OTPAuthURI(issuer: "a+b c", account: "100% é &=?#/", secret: "MY", algorithm: .sha512),
      OTPAuthURI(issuer: "Shop", account: "amal", secret: "MY", digits: 3, period: -1),
    ])
  func roundTrip(_ uri: OTPAuthURI) throws {
    let read = try require(OTPAuthURI(parsing: uri.text.revealed))
    expectEqual(read, uri)
    expect(read.totp != nil)
  }

  @Test(
    "URIs of other programs are read",
    arguments: [
      "otpauth://totp/Shop:amal?secret=MZXW6YTB&issuer=Shop",
      "otpauth://totp/Shop:amal?secret=MZXW6YTB",
      "otpauth://totp/Shop%3Aamal?secret=MZXW6YTB",
      "otpauth://totp/Shop%3aamal?secret=MZXW6YTB",
      "otpauth://totp/Shop:%20amal?secret=MZXW6YTB",
      "otpauth://totp/Shop:%20%20amal?secret=MZXW6YTB&issuer=",
      "otpauth://totp/amal?secret=MZXW6YTB&issuer=Shop",
      "otpauth://totp/Old:amal?issuer=Shop&secret=MZXW6YTB",
      "OTPAUTH://TOTP/Shop:amal?SECRET=MZXW6YTB&Issuer=Shop",
      "otpauth://totp/Shop:amal?secret=MZXW6YTB&algorithm=sha1&digits=6&period=30&image=x&y",
      "otpauth://totp/Shop:amal?&secret=MZXW6YTB&&secret=MY",
    ])
  func lenient(_ text: String) throws {
    let uri = try require(OTPAuthURI(parsing: text))
    expectEqual(uri, OTPAuthURI(issuer: "Shop", account: "amal", secret: "MZXW6YTB"))
  }

  @Test(
    "A lowercase key is kept as given and can be used, and one that is not Base32 has no generator")
  func lowerCaseKey() throws {
    let uri = try require(OTPAuthURI(parsing: "otpauth://totp/a?secret=mzxw6ytboi4tqnbr"))
    expectEqual(uri.secret.revealed, "mzxw6ytboi4tqnbr")
    expectEqual(uri.issuer, nil)
    expectEqual(uri.totp?.code(at: Date(timeIntervalSince1970: 59)), "134683")
    expectEqual(OTPAuthURI(issuer: nil, account: "a", secret: "0189").totp, nil)
  }

  @Test(
    "A URI that is not valid is refused",
    arguments: [
      "", "otpauth://totp/", "otpauth://totp/a", "otpauth://totp/a?issuer=Shop",
      "otpauth://totp/a?secret=", "otpauth://totp/a?secret=0189", "otpauth://totp/a?secret=M",
      "otpauth://hotp/a?secret=MZXW6YTB&counter=0", "https://totp/a?secret=MZXW6YTB",
      "otpauth://totp/a%2?secret=MZXW6YTB", "otpauth://totp/%FF?secret=MZXW6YTB",
      "otpauth://totp/a?secret=MZXW6YTB&issuer=%zz", "otpauth://totp/a?secret=MZXW6YTB&digits=5",
      "otpauth://totp/a?secret=MZXW6YTB&digits=11", "otpauth://totp/a?secret=MZXW6YTB&digits=six",
      "otpauth://totp/a?secret=MZXW6YTB&period=0",
      "otpauth://totp/a?secret=MZXW6YTB&period=99999999999999999999",
      "otpauth://totp/a?secret=MZXW6YTB&algorithm=MD5",
    ])
  func refused(_ text: String) {
    expectEqual(OTPAuthURI(parsing: text), nil)
  }
}
