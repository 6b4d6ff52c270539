extension QRMatrix {
  /// How hard the modules are to read, by the four rules of the standard; less is better.
  ///
  /// Source: ISO/IEC 18004:2015, table 11.
  var penalty: Int {
    var result = 0
    for index in 0..<size {
      result += linePenalty(from: index * size, by: 1)
      result += linePenalty(from: index, by: size)
    }
    return result + squarePenalty + balancePenalty
  }

  /// Along one row or column: runs of five or more alike, and what looks like a finder (1:1:3:1:1)
  /// with four light modules before or after it.
  private func linePenalty(from start: Int, by step: Int) -> Int {
    var result = 0
    var run = 0
    var previous = false
    var window = 0
    for position in 0..<size {
      let dark = modules[start + position * step]
      run = dark == previous && position > 0 ? run + 1 : 1
      previous = dark
      if run == 5 { result += 3 } else if run > 5 { result += 1 }

      window = (window << 1 | (dark ? 1 : 0)) & 0b111_1111_1111
      if position >= 10, window == 0b101_1101_0000 || window == 0b000_0101_1101 { result += 40 }
    }
    return result
  }

  /// Squares of two by two alike, each of them, also where they overlap.
  private var squarePenalty: Int {
    var result = 0
    for y in 1..<size {
      for x in 1..<size {
        let index = y * size + x
        let dark = modules[index]
        if modules[index - 1] == dark, modules[index - size] == dark,
          modules[index - size - 1] == dark
        {
          result += 3
        }
      }
    }
    return result
  }

  /// Ten for each whole twentieth that the share of dark modules is away from a half.
  private var balancePenalty: Int {
    let dark = modules.lazy.filter { $0 }.count
    return abs(dark * 20 - modules.count * 10) / modules.count * 10
  }
}
