/// A picture in shades of grey, and from which shade on a pixel counts as dark.
struct Bitmap {
  let width: Int
  let height: Int
  /// Row by row, 0 for black and 255 for white.
  let shades: [UInt8]
  /// Halfway between the darkest pixel and the lightest: codes are not always black on white.
  let threshold: Double

  /// Nil where all pixels are much alike, so that there is nothing to see.
  init?(width: Int, height: Int, shades: [UInt8]) {
    guard width > 0, height > 0, shades.count == width * height,
      let darkest = shades.min(), let lightest = shades.max(), lightest - darkest >= 32
    else { return nil }
    self.width = width
    self.height = height
    self.shades = shades
    threshold = (Double(darkest) + Double(lightest)) / 2
  }

  /// Whether the pixel is dark; light everywhere outside the picture.
  subscript(x x: Int, y y: Int) -> Bool {
    guard x >= 0, x < width, y >= 0, y < height else { return false }
    return Double(shades[y * width + x]) < threshold
  }
}
