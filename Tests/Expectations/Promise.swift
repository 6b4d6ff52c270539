package import Testing

/// The promises of SECURITY.md that a test checks, by their IDs.
///
/// `.ci/check-promises` compares the IDs with those of the document.
package struct Promise: TestTrait, SuiteTrait {
  package let ids: [String]
}

extension Trait where Self == Promise {
  package static func promise(_ ids: String...) -> Self { Promise(ids: ids) }
}
