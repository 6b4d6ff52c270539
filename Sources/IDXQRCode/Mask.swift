/// A pattern laid over the data so that no large areas of one colour stay.
///
/// Source: ISO/IEC 18004:2015, table 10.
enum Mask: Int, CaseIterable {
  case checkerboard
  case rows
  case columns
  case diagonals
  case blocks
  case crosses
  case meshes
  case lattices

  /// Whether the module of a column and a row changes its colour.
  func flips(x: Int, y: Int) -> Bool {
    switch self {
    case .checkerboard: (x + y) % 2 == 0
    case .rows: y % 2 == 0
    case .columns: x % 3 == 0
    case .diagonals: (x + y) % 3 == 0
    case .blocks: (x / 3 + y / 2) % 2 == 0
    case .crosses: x * y % 2 + x * y % 3 == 0
    case .meshes: (x * y % 2 + x * y % 3) % 2 == 0
    case .lattices: ((x + y) % 2 + x * y % 3) % 2 == 0
    }
  }
}
