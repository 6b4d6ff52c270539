import Expectations
import IDXNetwork

extension HTTPTransport.Limits {
  /// A time in which every request ends, however busy the machine is.
  static let patient = patient(body: 4 << 20)

  static func patient(body: Int) -> Self { Self(time: patience, body: body) }
}
