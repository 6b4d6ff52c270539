import IDX
public import IDXBase
import IDXOAuth
import IDXQRCode

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// Screens as JSON, for a front-end in another language. The schema `screen-1.schema.json` of the documentation says
// what each member is; a change here needs one there.

extension Screen {
  /// The version of ``json``, which is in the name of its schema.
  ///
  /// Within a version, members and values may be added, and none is removed or changes its meaning.
  public static let jsonVersion = 1

  /// What a person sees and can do as JSON, for a front-end in another language: <doc:ScreensAsJSON>.
  ///
  /// It has no secrets, except those that the person or their devices need, such as the key of an authenticator app, and
  /// neither the state nor the step. What is nil has no member. Durations are in milliseconds, and times are those of
  /// RFC 3339.
  public var json: JSONValue {
    let json: JSONValue = [
      "number": .number(.init(number)), "title": .string(title), "host": .string(host),
      "attempt": .number(.init(attempt)), "startsByItself": .bool(startsByItself),
      "messages": .array(
        messages.map(\.json)),
      "notes": .texts(notes),
      "lists": .array(lists.map { ["title": .string($0.title), "items": .texts($0.items)] }),
      "inputs": .array(inputs.map(\.json)),
      "action": action.json, "options": .array(options.map(\.json)),
    ]
    return
      json
      .adding("guidance", guidance.map(JSONValue.string))
      .adding(
        "person",
        person.map { person in
          (["username": .string(person.username)] as JSONValue)
            .adding("change", person.changeID.map(JSONValue.string))
        }
      )
      .adding(
        "consent",
        consent.map { consent in
          [
            "input": .string(consent.inputID), "allow": .string(consent.allow),
            "deny": .string(consent.deny),
          ]
        }
      )
      .adding("messageInput", messageInputID.map(JSONValue.string))
      .adding("setUp", setUp?.json)
      .adding(
        "userCode",
        userCode.map { code in
          let picture = try? QRCode(code.scannedAddress.absoluteString)
          return code.json.adding("image", picture.map { .image("image/png", $0.png()) })
        }
      )
      .adding("wait", wait?.json)
      .adding("page", page.map(json(of:)))
      .adding("passkey", passkey?.taggedOptions)
      .adding("autoFillPasskey", autoFillPasskey?.json)
      .adding(
        "deviceChallenge",
        deviceChallenge.map { $0.members.adding("origin", .string($0.origin)) }
      )
      .adding("link", link.map { .string($0.absoluteString) })
      .adding("unsupported", unsupported.map(JSONValue.string))
  }

  /// A page that must not be opened has the reason in place of its address.
  private func json(of page: Page) -> JSONValue {
    let json: JSONValue = ["redirectURI": .string(page.redirectURI)]
    if let danger = dangerOfPage { return json.adding("danger", .string(danger)) }
    return json.adding("url", .string(page.url.absoluteString))
  }
}

extension Screen.Message {
  fileprivate var json: JSONValue {
    let json: JSONValue = ["kind": .string(kind.rawValue.lowercased()), "text": .string(text)]
    let links = links.map { link -> JSONValue in
      let json: JSONValue = ["url": .string(link.url.absoluteString)]
      return json.adding("label", link.label.map(JSONValue.string))
    }
    return json.adding("links", .array(links), if: !links.isEmpty)
  }
}

extension Screen.Option {
  fileprivate var json: JSONValue {
    let json: JSONValue = [
      "id": .string(id), "label": .string(label), "role": .string(role.rawValue),
      "prominent": .bool(isProminent),
    ]
    return
      json
      .adding("reason", reason.map(JSONValue.string))
      .adding("page", page.map { .string($0.absoluteString) })
      .adding("provider", provider?.json)
  }
}

extension Screen.Option.Provider {
  fileprivate var json: JSONValue {
    let json: JSONValue = [:]
    return json.adding("id", id.map(JSONValue.string)).adding("name", name.map(JSONValue.string))
  }
}

extension Screen.Input {
  fileprivate var json: JSONValue {
    let json: JSONValue = [
      "id": .string(id), "kind": .string(kind.name), "label": .string(label),
      "required": .bool(isRequired), "keyboard": .string(keyboard.rawValue),
      "rules": .texts(rules), "kept": .bool(isKept),
    ]
    let choices: [JSONValue]? =
      if case .choice(let choices) = kind { choices.map(\.json) } else { nil }
    return
      json
      .adding("hint", hint.map(JSONValue.string))
      // What was hidden while it was typed must not come back.
      .adding("suggestion", suggestion.map(JSONValue.string), if: kind != .secret)
      .adding("contentType", contentType.map { .string($0.rawValue) })
      .adding("problem", problem.map(JSONValue.string))
      .adding("repeats", repeats.map(JSONValue.string))
      .adding("choices", choices.map(JSONValue.array))
  }
}

extension Screen.Choice {
  fileprivate var json: JSONValue {
    ["id": .string(id), "label": .string(label), "inputs": .array(inputs.map(\.json))]
  }
}

extension Screen.Input.Kind {
  fileprivate var name: String {
    switch self {
    case .text: "text"
    case .secret: "secret"
    case .toggle: "toggle"
    case .choice: "choice"
    }
  }
}

extension Screen.Wait {
  fileprivate var json: JSONValue {
    let json: JSONValue = [
      "text": .string(text), "interval": .milliseconds(interval),
    ]
    return
      json
      .adding("number", number.map(JSONValue.string))
      .adding("instruction", instruction.map(JSONValue.string))
      .adding("end", end.map { .string($0.timestamp) })
  }
}

extension Screen.PasskeyRequest {
  fileprivate var taggedOptions: JSONValue {
    switch self {
    case .create: ["request": "create", "options": options]
    case .sign: ["request": "sign", "options": options]
    }
  }
}

extension AuthenticatorApp {
  fileprivate var json: JSONValue {
    let json: JSONValue = ["name": .string(name)]
    return
      json
      .adding("key", keyInGroups.map(JSONValue.string))
      .adding("uri", uri.map { .string($0.text.revealed) })
      .adding("issuer", (uri?.issuer).map(JSONValue.string))
      .adding("account", uri.map { .string($0.account) })
      .adding("image", picture)
  }

  private var picture: JSONValue? {
    if let png = qrCodePNG() { return .image("image/png", png) }
    return image.flatMap { image in
      image.mediaType.hasPrefix("image/") ? .image(image.mediaType, image.bytes) : nil
    }
  }
}

extension JSONValue {
  fileprivate static func texts(_ texts: [String]) -> JSONValue {
    .array(texts.map(JSONValue.string))
  }

  /// An image as a `data:` URI (RFC 2397).
  fileprivate static func image(_ mediaType: String, _ bytes: [UInt8]) -> JSONValue {
    .string("data:\(mediaType);base64,\(Data(bytes).base64EncodedString())")
  }
}
