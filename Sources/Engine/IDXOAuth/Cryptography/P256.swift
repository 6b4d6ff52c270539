/// ECDSA with the curve P-256 and SHA-256.
///
/// Signing takes the same time for every private key and message of the same length: no branch and no address depends on
/// their bytes. (Reading a key from its Base64url is not part of it.)
/// Verifying does not, because everything that it reads is public. Source: FIPS 186-4, appendix D.1.2.3; SEC 1,
/// section 4.1; RFC 6979.
package enum P256 {
  package struct PublicKey: Sendable, Hashable {
    /// The coordinates, 32 bytes each, most significant first.
    package let x: [UInt8]
    package let y: [UInt8]

    package init(x: [UInt8], y: [UInt8]) { (self.x, self.y) = (x, y) }

    /// Nil unless the coordinates are those of a point of the curve.
    init?(checkingX x: [UInt8], y: [UInt8]) {
      self.init(x: x, y: y)
      guard Point(self) != nil else { return nil }
    }
  }

  /// The two numbers of a signature, 32 bytes each, most significant first.
  package struct Signature: Sendable, Hashable {
    package let r: [UInt8]
    package let s: [UInt8]

    package init(r: [UInt8], s: [UInt8]) { (self.r, self.s) = (r, s) }

    /// Reads the signature of a JWT, `r` and then `s` (RFC 7518, section 3.4); nil unless it has 64 bytes.
    package init?(rawRepresentation bytes: [UInt8]) {
      guard bytes.count == 64 else { return nil }
      self.init(r: Array(bytes.prefix(32)), s: Array(bytes.suffix(32)))
    }

    /// The signature as a JWT has it: `r` and then `s` (RFC 7518, section 3.4).
    package var rawRepresentation: [UInt8] { r + s }
  }

  private typealias Number = Modulus256.Number

  private static let order = Modulus256(
    Number(
      a: 0xf3b9_cac2_fc63_2551, b: 0xbce6_faad_a717_9e84, c: 0xffff_ffff_ffff_ffff,
      d: 0xffff_ffff_0000_0000))

  package static func privateKey(_ random: RandomBytes) -> [UInt8] {
    while true {
      let key = random(32)
      if isPrivateKey(key) { return key }
    }
  }

  /// Whether these bytes are a private key: 32 of them, a number that is at least 1 and less than the order.
  package static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
    bytes.count == 32 && order.contains(Number(bytes))
  }

  package static func publicKey(of privateKey: [UInt8]) -> PublicKey {
    let point = Point(baseTimes: Number(privateKey)).affine
    return PublicKey(x: point.x.bytes, y: point.y.bytes)
  }

  /// Signs a message; the same message gets the same signature (RFC 6979, section 3.2).
  package static func sign(_ message: [UInt8], with privateKey: [UInt8]) -> Signature {
    let digest = digest(of: message)
    var nonces = NonceSource(privateKey: privateKey, digest: digest.bytes)
    while true {
      let nonce = Number(nonces.next())
      let (r, s) = signature(of: digest, with: Number(privateKey), nonce: nonce)
      // A nonce that fails, one of about 2^32, is not used, so the branch tells nothing about the one that is.
      if order.contains(nonce), order.contains(r), order.contains(s) {
        return Signature(r: r.bytes, s: s.bytes)
      }
    }
  }

  /// The two numbers of a signature, which may be zero.
  ///
  /// A function of its own, so that a check can tell the arithmetic from the decision of its caller.
  @inline(never)
  private static func signature(
    of digest: Number, with privateKey: Number, nonce: Number
  ) -> (r: Number, s: Number) {
    let r = order.reduced(Point(baseTimes: nonce).affine.x)
    let product = order.multiply(order.enter(r), order.enter(privateKey))
    let sum = order.add(order.enter(digest), product)
    return (r, order.leave(order.multiply(order.inverse(order.enter(nonce)), sum)))
  }

  package static func verify(
    _ signature: Signature, of message: [UInt8], by key: PublicKey
  ) -> Bool {
    guard signature.r.count == 32, signature.s.count == 32 else { return false }
    let (r, s) = (Number(signature.r), Number(signature.s))
    guard order.contains(r), order.contains(s), let point = Point(key) else { return false }
    let inverse = order.inverse(order.enter(s))
    let first = Point(baseTimes: order.multiply(digest(of: message), inverse))
    let sum = first + point * order.multiply(r, inverse)
    return !sum.isInfinite && order.reduced(sum.affine.x) == r
  }

  private static func digest(of message: [UInt8]) -> Number {
    order.reduced(Number(HashFunction.sha256.hash(message)))
  }
}

extension P256 {
  /// A number modulo the field's prime, in Montgomery form.
  private struct Element: Hashable {
    static let field = Modulus256(
      Number(
        a: 0xffff_ffff_ffff_ffff, b: 0x0000_0000_ffff_ffff, c: 0, d: 0xffff_ffff_0000_0001))

    let number: Number

    init(inForm number: Number) { self.number = number }
    init(_ number: Number) { self.number = Self.field.enter(number) }

    var tripled: Self { self + self + self }

    static func + (left: Self, right: Self) -> Self {
      Self(inForm: field.add(left.number, right.number))
    }
    static func - (left: Self, right: Self) -> Self {
      Self(inForm: field.subtract(left.number, right.number))
    }
    static func * (left: Self, right: Self) -> Self {
      Self(inForm: field.multiply(left.number, right.number))
    }
  }

  /// A point in homogeneous coordinates; `z` is zero for the point at infinity.
  private struct Point {
    let x: Element
    let y: Element
    let z: Element

    private static let zero = Element(Number())
    private static let one = Element(Number(a: 1))
    private static let b = Element(
      Number(
        a: 0x3bce_3c3e_27d2_604b, b: 0x651d_06b0_cc53_b0f6, c: 0xb3eb_bd55_7698_86bc,
        d: 0x5ac6_35d8_aa3a_93e7))
    private static let threeB = b.tripled
    private static let base = Point(
      x: Element(
        Number(
          a: 0xf4a1_3945_d898_c296, b: 0x7703_7d81_2deb_33a0, c: 0xf8bc_e6e5_63a4_40f2,
          d: 0x6b17_d1f2_e12c_4247)),
      y: Element(
        Number(
          a: 0xcbb6_4068_37bf_51f5, b: 0x2bce_3357_6b31_5ece, c: 0x8ee7_eb4a_7c0f_9e16,
          d: 0x4fe3_42e2_fe1a_7f9b)),
      z: one)
    private static let infinity = Point(x: zero, y: one, z: zero)

    /// For each of the 64 hexadecimal digits of a number, the lowest first, the base times the 16 values that
    /// the digit can have.
    private static let baseMultiples: [[Point]] = {
      var rows: [[Point]] = []
      var point = base
      for _ in 0..<64 {
        let row = point.multiples
        rows.append(row)
        point = row[15] + point
      }
      return rows
    }()

    private init(x: Element, y: Element, z: Element) { (self.x, self.y, self.z) = (x, y, z) }

    /// The point of a public key; nil if it is not on the curve.
    init?(_ key: PublicKey) {
      let (x, y) = (Number(key.x), Number(key.y))
      let field = Element.field
      guard key.x.count == 32, key.y.count == 32, field.reduced(x) == x, field.reduced(y) == y
      else { return nil }
      self.init(x: Element(x), y: Element(y), z: Self.one)
      let cubic = self.x * (self.x * self.x - Self.one.tripled) + Self.b
      guard self.y * self.y == cubic else { return nil }
    }

    /// The generator of the curve times a number, in constant time.
    init(baseTimes scalar: Number) {
      var sum = Self.infinity
      var position = 0
      while position < 64 {
        sum = sum + Self.point(scalar.digit(position), of: Self.baseMultiples[position])
        position += 1
      }
      self = sum
    }

    /// One of 16 points; all are read, so that the address does not tell which one.
    private static func point(_ digit: UInt64, of row: [Point]) -> Point {
      var (x, y, z) = (Number(), Number(), Number())
      var position = 0
      while position < 16 {
        let mask = (digit ^ UInt64(position)).isNotZero &- 1
        let point = row[position]
        x = Number.choose(point.x.number, over: x, by: mask)
        y = Number.choose(point.y.number, over: y, by: mask)
        z = Number.choose(point.z.number, over: z, by: mask)
        position += 1
      }
      return Point(x: Element(inForm: x), y: Element(inForm: y), z: Element(inForm: z))
    }

    var isInfinite: Bool { z == Self.zero }

    var affine: (x: Number, y: Number) {
      let inverse = Element(inForm: Element.field.inverse(z.number))
      return (Element.field.leave((x * inverse).number), Element.field.leave((y * inverse).number))
    }

    /// One formula for all pairs of points of a curve of odd order, with the curve's `a` as -3
    /// (Renes, Costello, Batina: Complete addition formulas, 2015, section 3).
    static func + (left: Point, right: Point) -> Point {
      let (xx, yy, zz) = (left.x * right.x, left.y * right.y, left.z * right.z)
      let xy = left.x * right.y + right.x * left.y
      let xz = left.x * right.z + right.x * left.z
      let yz = left.y * right.z + right.y * left.z
      let first = threeB * zz - xz.tripled
      let second = threeB * xz - (xx + zz.tripled).tripled
      let third = (xx - zz).tripled
      let (less, more) = (yy - first, yy + first)
      return Point(
        x: xy * less - yz * second, y: third * second + more * less, z: yz * more + xy * third)
    }

    /// Takes less time for some numbers, so use it only with public ones.
    static func * (point: Point, scalar: Number) -> Point {
      let multiples = point.multiples
      var result = infinity
      for position in (0..<64).reversed() {
        for _ in 0..<4 { result = result + result }
        result = result + multiples[Int(scalar.digit(position))]
      }
      return result
    }

    /// The point times 0 to 15.
    private var multiples: [Point] {
      var points = [Self.infinity]
      for _ in 1..<16 { points.append(points[points.count - 1] + self) }
      return points
    }
  }

  /// Candidates for the secret number of a signature (RFC 6979, section 3.2).
  private struct NonceSource {
    private var key = [UInt8](repeating: 0, count: 32)
    private var value = [UInt8](repeating: 1, count: 32)
    private var isUsed = false

    init(privateKey: [UInt8], digest: [UInt8]) {
      for separator: UInt8 in [0, 1] { update([separator] + privateKey + digest) }
    }

    mutating func next() -> [UInt8] {
      if isUsed { update([0]) }
      isUsed = true
      value = HashFunction.sha256.hmac(key: key, value)
      return value
    }

    private mutating func update(_ bytes: [UInt8]) {
      key = HashFunction.sha256.hmac(key: key, value + bytes)
      value = HashFunction.sha256.hmac(key: key, value)
    }
  }
}

extension P256.Signature {
  /// The signature in WebAuthn's format: a sequence of two integers in DER.
  package var der: [UInt8] {
    func integer(_ number: [UInt8]) -> [UInt8] {
      let digits = Array(number.drop { $0 == 0 })
      let signed = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
      return [0x02, UInt8(signed.count)] + signed
    }
    let content = integer(r) + integer(s)
    return [0x30, UInt8(content.count)] + content
  }

  /// Reads DER; nil unless it is exactly the format of ``der``.
  package init?(der bytes: [UInt8]) {
    func integer(from rest: inout ArraySlice<UInt8>) -> [UInt8]? {
      guard rest.popFirst() == 0x02, let count = rest.popFirst(), (1...33).contains(count),
        rest.count >= count
      else { return nil }
      let digits = Array(rest.prefix(Int(count)).drop { $0 == 0 })
      rest = rest.dropFirst(Int(count))
      guard digits.count <= 32 else { return nil }
      return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
    var rest = bytes.dropFirst(2)
    guard let r = integer(from: &rest), let s = integer(from: &rest) else { return nil }
    self.init(r: r, s: s)
    guard der == bytes else { return nil }
  }
}
