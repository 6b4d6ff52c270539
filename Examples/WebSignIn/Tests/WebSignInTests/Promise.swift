import Testing

/// The promises of SECURITY.md that a test checks, by their IDs.
///
/// `.ci/check-promises` compares the IDs with those of the document.
struct Promise: TestTrait, SuiteTrait {
  let ids: [String]
}

extension Trait where Self == Promise {
  static func promise(_ ids: String...) -> Self { Promise(ids: ids) }
}
