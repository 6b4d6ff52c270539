import IDXBase

/// The messages that a person is shown: each once, and not more than fit on a screen.
///
/// A server may send any number of messages of any length.
package struct MessageExcerpt {
  /// A message and its text, shortened: the sentence, or the key if there is none; may be empty.
  package struct Entry {
    package let message: IDXMessage
    package let text: String
  }

  /// The first messages, in server order: at most 20, with about 4,000 characters together.
  package private(set) var entries: [Entry] = []
  /// How many more messages there are.
  package private(set) var omitted = 0

  /// Chooses among the messages of a step or a response.
  package init(_ messages: some Sequence<IDXMessage>) {
    var known: Set<String> = []
    var room = 4000
    for message in messages {
      let key = message.key?.rawValue.shortened() ?? ""
      let sentence = [message.text, message.instruction].compactMap { $0?.shortened() }
        .filter { !$0.isEmpty }.joined(separator: "\n")
      let text = sentence.isEmpty ? key : sentence
      // The same sentence can have several keys.
      let links = message.links.map(\.url.absoluteString)
      let identity = ([text] + links).joined(separator: " ")
      guard !known.contains(identity) else { continue }
      guard room > 0, entries.count < 20 else {
        omitted += 1
        continue
      }
      known.insert(identity)
      entries.append(Entry(message: message, text: text))
      // A line break takes as much room as a line.
      room -= text.unicodeScalars.count + 80 * text.count(where: \.isNewline)
    }
  }

  /// A line about the messages that are left out; nil if all are shown.
  package var remark: String? {
    omitted == 0 ? nil : "… and \(omitted) more \(omitted == 1 ? "message" : "messages")."
  }
}
