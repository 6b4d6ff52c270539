extension QRCode {
  /// An image from which no text could be read.
  package struct Unreadable: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it, in a sentence that tells nothing of the content.
    package let description: String
  }
}

extension QRCode.Unreadable {
  static let imageIsNotPNG = Self(description: "The image is not a PNG.")
  static let imageIsCutShort = Self(description: "The image is cut short.")
  static let imageIsDamaged = Self(description: "The image is damaged.")
  static let imageIsTooLarge = Self(description: "The image is too large.")
  static let imageIsOfAnUnknownKind = Self(
    description: "The image is a PNG of a kind that is not read, such as an interlaced one.")
  static let nothingFound = Self(description: "The image shows no QR code.")
  static let codeIsDamaged = Self(description: "Too much of the QR code is damaged.")
  static let codeIsOfAnUnknownKind = Self(
    description: "The QR code holds something other than a text, or a part of one.")
}
