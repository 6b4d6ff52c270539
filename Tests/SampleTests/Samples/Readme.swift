import IDXFlow

func handlersOfReadme(asking person: any FrontEnd) -> Handlers {
  var handlers = Handlers.showing(on: person)
  handlers.on(.selectAuthenticatorEnroll) { _ in
    .submit(["authenticator": .authenticator(.googleAuthenticator)])
  }
  return handlers
}
