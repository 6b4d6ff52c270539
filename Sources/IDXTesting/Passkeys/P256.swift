import IDXOAuth

/// ECDSA over the curve P-256 with SHA-256, for tests alone: it takes no care to hide the key from who
/// measures time.
///
/// Source: FIPS 186-4, appendix D.1.2.3; SEC 1, section 4.1; RFC 6979.
enum P256 {
  /// A point other than infinity: the public key.
  struct PublicKey: Sendable, Hashable {
    /// The coordinates, 32 bytes each, the highest first.
    let x: [UInt8]
    let y: [UInt8]
  }

  /// The two numbers of a signature, 32 bytes each, the highest first.
  struct Signature: Sendable, Hashable {
    let r: [UInt8]
    let s: [UInt8]
  }

  private static let field = Modulus([
    0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0, 0xffff_ffff_0000_0001,
  ])
  private static let order = Modulus([
    0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000,
  ])
  private static let constant = field.enter([
    0x3bce_3c3e_27d2_604b, 0x651d_06b0_cc53_b0f6, 0xb3eb_bd55_7698_86bc, 0x5ac6_35d8_aa3a_93e7,
  ])
  private static let base = Point(
    x: field.enter([
      0xf4a1_3945_d898_c296, 0x7703_7d81_2deb_33a0, 0xf8bc_e6e5_63a4_40f2, 0x6b17_d1f2_e12c_4247,
    ]),
    y: field.enter([
      0xcbb6_4068_37bf_51f5, 0x2bce_3357_6b31_5ece, 0x8ee7_eb4a_7c0f_9e16, 0x4fe3_42e2_fe1a_7f9b,
    ]),
    z: field.enter(Modulus.one))

  /// A private key, 32 bytes.
  static func privateKey(_ random: RandomBytes) -> [UInt8] {
    while true {
      let key = random(32)
      if isScalar(Modulus.number(key)) { return key }
    }
  }

  static func publicKey(of privateKey: [UInt8]) -> PublicKey {
    let point = (base * Modulus.number(privateKey)).affine
    return PublicKey(x: Modulus.bytes(point.x), y: Modulus.bytes(point.y))
  }

  /// Signs a message; the same message gets the same signature (RFC 6979, section 3.2).
  static func sign(_ message: [UInt8], with privateKey: [UInt8]) -> Signature {
    let digest = order.reduced(Modulus.number(HashFunction.sha256.hash(message)))
    let secret = order.enter(Modulus.number(privateKey))
    var nonces = NonceSource(privateKey: privateKey, digest: Modulus.bytes(digest))
    while true {
      let nonce = Modulus.number(nonces.next())
      guard isScalar(nonce) else { continue }
      let r = order.reduced((base * nonce).affine.x)
      let sum = order.add(order.enter(digest), order.multiply(order.enter(r), secret))
      let s = order.leave(order.multiply(order.inverse(order.enter(nonce)), sum))
      if r != Modulus.zero, s != Modulus.zero {
        return Signature(r: Modulus.bytes(r), s: Modulus.bytes(s))
      }
    }
  }

  static func verify(_ signature: Signature, of message: [UInt8], by key: PublicKey) -> Bool {
    let (r, s) = (Modulus.number(signature.r), Modulus.number(signature.s))
    guard isScalar(r), isScalar(s), let point = Point(key) else { return false }
    let digest = order.reduced(Modulus.number(HashFunction.sha256.hash(message)))
    let inverse = order.inverse(order.enter(s))
    let first = base * order.multiply(digest, inverse)
    let second = point * order.multiply(r, inverse)
    let sum = first + second
    return sum.z != Modulus.zero && order.reduced(sum.affine.x) == r
  }

  private static func isScalar(_ number: Modulus.Number) -> Bool {
    number != Modulus.zero && Modulus.isBelow(number, order.value)
  }

  /// A point by Jacobi's coordinates, each in Montgomery's form; `z` is zero at infinity.
  private struct Point {
    let x: Modulus.Number
    let y: Modulus.Number
    let z: Modulus.Number

    init(x: Modulus.Number, y: Modulus.Number, z: Modulus.Number) {
      (self.x, self.y, self.z) = (x, y, z)
    }

    /// The point of a public key; nil where it is not on the curve.
    init?(_ key: PublicKey) {
      let (x, y) = (Modulus.number(key.x), Modulus.number(key.y))
      guard key.x.count == 32, key.y.count == 32, Modulus.isBelow(x, field.value),
        Modulus.isBelow(y, field.value)
      else { return nil }
      self.init(x: field.enter(x), y: field.enter(y), z: field.enter(Modulus.one))
      let square = field.multiply(self.x, self.x)
      let threefold = field.add(self.x, field.add(self.x, self.x))
      let cubic = field.subtract(field.multiply(square, self.x), threefold)
      guard field.multiply(self.y, self.y) == field.add(cubic, constant) else { return nil }
    }

    var affine: (x: Modulus.Number, y: Modulus.Number) {
      let inverse = field.inverse(z)
      let square = field.multiply(inverse, inverse)
      return (
        field.leave(field.multiply(x, square)),
        field.leave(field.multiply(y, field.multiply(square, inverse)))
      )
    }

    private var doubled: Point {
      let squareY = field.multiply(y, y)
      let product = field.multiply(x, squareY)
      let fourfold = Self.times(4, product)
      let squareZ = field.multiply(z, z)
      let slope = Self.times(
        3, field.multiply(field.subtract(x, squareZ), field.add(x, squareZ)))
      let newX = field.subtract(field.multiply(slope, slope), Self.times(2, fourfold))
      let newY = field.subtract(
        field.multiply(slope, field.subtract(fourfold, newX)),
        Self.times(8, field.multiply(squareY, squareY)))
      return Point(x: newX, y: newY, z: Self.times(2, field.multiply(y, z)))
    }

    static func + (left: Point, right: Point) -> Point {
      if left.z == Modulus.zero { return right }
      if right.z == Modulus.zero { return left }
      let (leftSquare, rightSquare) = (
        field.multiply(left.z, left.z), field.multiply(right.z, right.z)
      )
      let leftX = field.multiply(left.x, rightSquare)
      let leftY = field.multiply(left.y, field.multiply(rightSquare, right.z))
      let width = field.subtract(field.multiply(right.x, leftSquare), leftX)
      let height = field.subtract(
        field.multiply(right.y, field.multiply(leftSquare, left.z)), leftY)
      if width == Modulus.zero {
        // The same point twice, or one and its opposite.
        return height == Modulus.zero
          ? left.doubled : Point(x: left.x, y: left.y, z: Modulus.zero)
      }
      let square = field.multiply(width, width)
      let cube = field.multiply(square, width)
      let middle = field.multiply(leftX, square)
      let x = field.subtract(
        field.subtract(field.multiply(height, height), cube), times(2, middle))
      let y = field.subtract(
        field.multiply(height, field.subtract(middle, x)), field.multiply(leftY, cube))
      return Point(x: x, y: y, z: field.multiply(field.multiply(left.z, right.z), width))
    }

    static func * (point: Point, scalar: Modulus.Number) -> Point {
      var result = Point(x: point.x, y: point.y, z: Modulus.zero)
      for bit in (0..<256).reversed() {
        result = result.doubled
        if scalar[bit / 64] >> UInt64(bit % 64) & 1 == 1 { result = result + point }
      }
      return result
    }

    /// A number two, three, four or eight times.
    private static func times(_ factor: Int, _ number: Modulus.Number) -> Modulus.Number {
      let twice = field.add(number, number)
      switch factor {
      case 2: return twice
      case 3: return field.add(twice, number)
      case 4: return field.add(twice, twice)
      default: return times(2, times(4, number))
      }
    }
  }

  /// Candidates for the number that a signature is made with (RFC 6979, section 3.2).
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
  /// The signature as WebAuthn writes it: a sequence of two integers in DER.
  var der: [UInt8] {
    func integer(_ number: [UInt8]) -> [UInt8] {
      let digits = Array(number.drop { $0 == 0 })
      let signed = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits
      return [0x02, UInt8(signed.count)] + signed
    }
    let content = integer(r) + integer(s)
    return [0x30, UInt8(content.count)] + content
  }

  /// Reads DER; nil where it is not exactly what ``der`` writes.
  init?(der bytes: [UInt8]) {
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
