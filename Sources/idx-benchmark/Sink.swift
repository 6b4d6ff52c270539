import IDX

/// Where what is read goes, so that reading it cannot be left out.
struct Sink {
  var count = 0

  mutating func resolve(_ response: Response) {
    count += response.everyMessage.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    for form in response.remediations + response.actions {
      count += form.authenticators.count
      resolve(form.form)
    }
  }

  private mutating func resolve(_ form: Form) {
    for field in form.fields {
      if field.authenticator != nil { count += 1 }
      field.form.map { resolve($0) }
      for option in field.options {
        if option.authenticator != nil { count += 1 }
        option.form.map { resolve($0) }
      }
    }
  }

  /// Reads all that the model has.
  mutating func read(_ response: Response) {
    read([response.version, response.intent, response.stateHandle, response.expiresAtText])
    read([response.user?.id, response.user?.identifier])
    read([response.application?.id, response.application?.name, response.application?.label])
    read(response.messages)
    for form in response.remediations + response.actions { read(form) }
    for authenticator in response.authenticators {
      read([authenticator.id, authenticator.key?.rawValue, authenticator.type?.rawValue])
      read([authenticator.displayName] + authenticator.methods.map(\.rawValue))
      for action in authenticator.actions { read(action) }
    }
  }

  private mutating func read(_ form: Remediation) {
    read([form.name.rawValue, form.method, form.href, form.accepts, form.produces])
    if form.refresh != nil { count += 1 }
    count += form.authenticators.count
    read([form.identityProvider?.id, form.identityProvider?.name])
    read(form.messages)
    read(form.form)
  }

  private mutating func read(_ form: Form) {
    for field in form.fields {
      read([field.name, field.label, field.type?.rawValue])
      count += [field.isRequired, field.isVisible, field.isMutable, field.isSecret].count { $0 }
      if field.value != nil { count += 1 }
      if field.authenticator != nil { count += 1 }
      read(field.messages)
      field.form.map { read($0) }
      for option in field.options {
        read([option.label])
        if option.value != nil { count += 1 }
        if option.authenticator != nil { count += 1 }
        option.form.map { read($0) }
      }
    }
  }

  private mutating func read(_ messages: [Message]) {
    for message in messages { read([message.kind?.rawValue, message.text, message.key?.rawValue]) }
  }

  private mutating func read(_ texts: [String?]) {
    for text in texts { count += text?.utf8.count ?? 0 }
  }
}
