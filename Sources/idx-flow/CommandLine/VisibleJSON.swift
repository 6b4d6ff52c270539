import Foundation
import IDXBase

extension JSONValue {
  /// The JSON text, with characters that are invisible or change the direction of writing as escapes.
  ///
  /// Servers choose many texts, and terminals and editors show JSON to people.
  var visibleText: String {
    let text = self.text
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isHidden {
        for unit in String(scalar).utf16 {
          result += String(format: "\\u%04x", Int(unit)).unicodeScalars
        }
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate var isHidden: Bool {
    !isPrintable || properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
  }
}
