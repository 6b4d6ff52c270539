import IDXOAuth

extension CredentialStoreContract {
  static let keeping: [Check] = [
    Check("An empty store has no credential, no entry and no current one") { store in
      let credential = ContractCredentials.credential()
      try await expect(store, holds: [])
      try expect(
        try await store.credential(credential.id) == nil,
        "A credential that was never saved is to be nil, not an error.")
      try expect(try await store.currentID() == nil, "None is to be the current one.")
      try expect(!store.location.isEmpty, "The location is to be told in words.")
    },
    Check("A credential is found as it was saved, with all its parts") { store in
      let credential = ContractCredentials.credential()
      try await store.save(credential)
      try await expect(store, holds: [credential])
    },
    Check("A credential without the parts that may be absent is found as it was saved") { store in
      try await store.save(ContractCredentials.bare)
      try await expect(store, holds: [ContractCredentials.bare])
    },
    Check("Credentials whose ids differ in one part are kept side by side") { store in
      for credential in ContractCredentials.neighbours { try await store.save(credential) }
      try await expect(store, holds: ContractCredentials.neighbours)
    },
    Check("Odd characters in an id and a name do no harm") { store in
      var credentials: [Credential] = []
      for text in ContractCredentials.oddTexts {
        credentials.append(
          ContractCredentials.credential(client: text, subject: text, username: text))
        try await store.save(credentials[credentials.count - 1])
      }
      try await expect(store, holds: credentials)
      try await store.remove(credentials[0].id)
      try await expect(store, holds: Array(credentials.dropFirst()))
    },
    Check("A credential takes the place of the one of the same id, and of no other") { store in
      let other = ContractCredentials.credential(subject: "grace")
      try await store.save(other)
      for number in 1...3 {
        let credential = ContractCredentials.credential(token: "access-\(number)")
        try await store.save(credential)
        try await expect(store, holds: [credential, other])
      }
    },
    Check("Tokens of 16 KB are kept, and give way to short ones and back") { store in
      let long = ContractCredentials.credential(
        token: String(repeating: "0123456789abcdef", count: 1024))
      let short = ContractCredentials.credential(token: "short")
      for credential in [long, short, long, long, short] {
        try await store.save(credential)
        try await expect(store, holds: [credential])
      }
      try await store.save(long)
      try await store.remove(long.id)
      try await expect(store, holds: [])
    },
    Check("A credential that was removed is gone, and may be saved again") { store in
      let (credential, other) = (
        ContractCredentials.credential(), ContractCredentials.credential(subject: "grace")
      )
      try await store.save(credential)
      try await store.save(other)
      try await store.remove(credential.id)
      try expect(try await store.credential(credential.id) == nil, "It is to be gone.")
      try await expect(store, holds: [other])
      try await store.save(credential)
      try await expect(store, holds: [credential, other])
    },
    Check("Removing what is not there is no error") { store in
      let credential = ContractCredentials.credential()
      try await store.remove(credential.id)
      try await store.save(credential)
      try await store.remove(credential.id)
      try await store.remove(credential.id)
      try await expect(store, holds: [])
    },
    Check("A credential is kept where the task that saves it is cancelled") { store in
      let credential = ContractCredentials.credential()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.save(credential)
      }
      try await task.value
      try await expect(store, holds: [credential])
    },
  ]

  static let choosing: [Check] = [
    Check("The one that was chosen is the current one, until another is") { store in
      let (ada, grace) = (
        ContractCredentials.credential(), ContractCredentials.credential(subject: "grace")
      )
      try await store.save(ada)
      try await store.save(grace)
      try expect(
        try await store.currentID() == nil, "Saving is not to make a credential the current one.")
      for id in [ada.id, grace.id, grace.id, ada.id] {
        try await store.makeCurrent(id)
        try expect(try await store.currentID() == id, "The chosen one is to be the current one.")
      }
      try await store.save(ContractCredentials.credential(token: "access-2"))
      try await store.remove(grace.id)
      try expect(
        try await store.currentID() == ada.id,
        "It is to stay the current one as it is saved anew and another is removed.")
    },
    Check("What is not there cannot be made the current one") { store in
      let (ada, grace) = (
        ContractCredentials.credential(), ContractCredentials.credential(subject: "grace")
      )
      try await expect(.notFound, "An empty store is to throw that there is none.") {
        try await store.makeCurrent(ada.id)
      }
      try await store.save(ada)
      try await store.makeCurrent(ada.id)
      try await expect(.notFound, "It is to be thrown that there is none.") {
        try await store.makeCurrent(grace.id)
      }
      try expect(try await store.currentID() == ada.id, "The current one is to stay.")
    },
    Check("There is no current one once it was removed, not even as it is saved again") { store in
      let credential = ContractCredentials.credential()
      try await store.save(credential)
      try await store.makeCurrent(credential.id)
      try await store.remove(credential.id)
      try expect(try await store.currentID() == nil, "None is to be the current one.")
      try await store.save(credential)
      try expect(try await store.currentID() == nil, "None is to be the current one.")
    },
  ]
}
