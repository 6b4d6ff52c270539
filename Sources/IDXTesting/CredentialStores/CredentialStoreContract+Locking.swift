extension CredentialStoreContract {
  static let locking: [Check] = [
    Check("A lock lets one in at a time, and returns what its body returns") { store in
      let credential = ContractCredentials.credential()
      let visits = Visits()
      let results = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await store.withLock(on: credential.id) {
              await visits.enter()
              for _ in 0..<20 { await Task.yield() }
              await visits.leave()
              return number
            }
          }
        }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      try expect(await visits.most == 1, "One at a time is to have the lock.")
      try expect(results == Set(0..<8), "The body's result is to be returned.")
    },
    Check("Who has the lock of a credential may read, save and remove it") { store in
      let credential = ContractCredentials.credential()
      let changed = ContractCredentials.credential(token: "access-2")
      try await store.save(credential)
      try await store.withLock(on: credential.id) {
        let found = try await store.credential(credential.id)
        try expect(found == credential, "It is to be read under its lock.")
        try await store.save(changed)
        try await store.makeCurrent(credential.id)
      }
      try await expect(store, holds: [changed])
      try await store.withLock(on: credential.id) { try await store.remove(credential.id) }
      try await expect(store, holds: [])
    },
    Check("The locks of two credentials do not exclude each other") { store in
      let (ada, grace) = (
        ContractCredentials.credential(), ContractCredentials.credential(subject: "grace")
      )
      let isIn = try await store.withLock(on: ada.id) {
        try await store.withLock(on: grace.id) { true }
      }
      try expect(isIn, "The second lock is to be had.")
    },
    Check("A lock is free once its body has thrown, and the error is passed on") { store in
      let credential = ContractCredentials.credential()
      do {
        try await store.withLock(on: credential.id) { throw Interruption() }
        throw Violation(description: "The body's error is to be passed on.")
      } catch is Interruption {}
      try await store.withLock(on: credential.id) {}
    },
    Check("Cancelling a task ends its wait for a lock, and only its own") { store in
      let credential = ContractCredentials.credential()
      let visits = Visits()
      let (holder, others) = try await store.withLock(on: credential.id) {
        let tasks = (0..<2).map { _ in
          Task { try await store.withLock(on: credential.id) { await visits.enter() } }
        }
        for _ in 0..<20 { await Task.yield() }
        tasks[0].cancel()
        let result = await tasks[0].result
        return (result, tasks[1])
      }
      switch holder {
      case .success: throw Violation(description: "Who was cancelled is not to get the lock.")
      case .failure(let error):
        try expect(error is CancellationError, "A cancelled wait is to throw CancellationError.")
      }
      try await others.value
      try expect(await visits.all == 1, "Who was not cancelled is to get the lock.")
    },
    Check("A task that was cancelled before does not get the lock") { store in
      let credential = ContractCredentials.credential()
      let visits = Visits()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.withLock(on: credential.id) { await visits.enter() }
      }
      let result = await task.result
      try expect(await visits.all == 0, "The body is not to be run.")
      guard case .failure(let error) = result, error is CancellationError else {
        throw Violation(description: "A cancelled task is to be thrown CancellationError.")
      }
    },
  ]

  static let concurrent: [Check] = [
    Check("What is saved at once under several ids all stays") { store in
      let credentials = (0..<10).map { number in
        ContractCredentials.credential(subject: "user \(number)", token: "access-\(number)")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for credential in credentials {
          group.addTask {
            try await store.save(credential)
            try await store.makeCurrent(credential.id)
          }
        }
        try await group.waitForAll()
      }
      try await expect(store, holds: credentials)
      let current = try await store.currentID()
      try expect(credentials.contains { $0.id == current }, "One is to be the current one.")
    },
    Check("Of what is saved at once under one id, one stays whole; it is always found") { store in
      let versions = (0..<8).map { number in
        ContractCredentials.credential(
          token: String(repeating: "\(number)", count: number * 2000 + 1))
      }
      try await store.save(versions[0])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for version in versions {
          group.addTask { try await store.save(version) }
          group.addTask {
            let found = try await store.credential(version.id)
            try expect(
              found.map(versions.contains) == true, "A whole one is to be found at any time.")
          }
        }
        try await group.waitForAll()
      }
      let found = try await store.credential(versions[0].id)
      try expect(found.map(versions.contains) == true, "One of those saved is to be found, whole.")
      try await expect(store, holds: found.map { [$0] } ?? [])
    },
    Check("What is read, changed and saved under the lock loses no change") { store in
      let first = ContractCredentials.credential(token: "0")
      try await store.save(first)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 {
          group.addTask {
            try await store.withLock(on: first.id) {
              let text = try await store.credential(first.id)?.tokens.accessToken.revealed
              let count = text.flatMap(Int.init) ?? -1
              try await store.save(ContractCredentials.credential(token: "\(count + 1)"))
            }
          }
        }
        try await group.waitForAll()
      }
      try await expect(store, holds: [ContractCredentials.credential(token: "10")])
    },
  ]
}

/// An error of a body.
private struct Interruption: Error {}

/// Counts who is in, and how many have been at once.
private actor Visits {
  private(set) var all = 0
  private(set) var most = 0
  private var present = 0

  func enter() {
    all += 1
    present += 1
    most = max(most, present)
  }

  func leave() { present -= 1 }
}
