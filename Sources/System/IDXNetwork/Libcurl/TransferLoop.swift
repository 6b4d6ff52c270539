#if canImport(Glibc)
  import CLibcurl
  import Dispatch
  import Foundation
  import Glibc
  import IDXBase
  import IDXSystem

  /// Runs the requests of a transport on one thread, which ends when this object is released.
  ///
  /// All requests share one handle of libcurl, so that it reads the certificate authorities once. No other thread
  /// uses libcurl, because TLS libraries keep something for each thread, which must be freed before the process ends.
  final class TransferLoop: Sendable {
    private let queue: CommandQueue

    /// Starts the thread, which opens the library, and waits for that; `now` is the clock for the limits of time.
    init(
      _ library: @escaping @Sendable () -> Result<Libcurl, Libcurl.Unavailable>,
      settings: Transfer.Settings, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws {
      let queue = try CommandQueue()
      self.queue = queue
      let waitSet = try WaitSet(with: queue.descriptor)
      let start = Locked<Result<Void, any Error>>(.success(()))
      let isStarted = DispatchSemaphore(value: 0)
      let thread = Thread {
        IDXUseBegin()
        let worker = Result { try Worker(library().get(), settings, waitSet, queue, now) }
        start.withLock { $0 = worker.map { _ in } }
        isStarted.signal()
        try? worker.get().run()
        IDXUseEndWithThread()
      }
      thread.name = "idx-flow.http"
      thread.start()
      isStarted.wait()
      try start.withLock { $0 }.get()
    }

    deinit { queue.add(.stop) }

    /// Sends the request of an order, unless it is finished already.
    func start(_ order: Transfer.Order) { queue.add(.start(order)) }

    /// Stops the request for which nobody waits any more.
    func stop(_ pending: PendingResponse) { queue.add(.cancel(pending)) }
  }

  /// What the thread of a loop has to do next.
  private enum Command {
    case start(Transfer.Order)
    case cancel(PendingResponse)
    case stop
  }

  /// Commands from other threads, and a file descriptor that is readable while there are some.
  private final class CommandQueue: Sendable {
    let descriptor: Int32
    private let commands = Locked<[Command]>([])

    init() throws(SystemFailure) {
      descriptor = IDXWakeUpCreate()
      guard descriptor >= 0 else { throw SystemFailure(call: "eventfd", code: errno) }
    }

    deinit { close(descriptor) }

    func add(_ command: Command) {
      let isFirst = commands.withLock { commands in
        commands.append(command)
        return commands.count == 1
      }
      guard isFirst else { return }
      var one: UInt64 = 1
      _ = write(descriptor, &one, 8)
    }

    func take() -> [Command] {
      var count: UInt64 = 0
      _ = read(descriptor, &count, 8)
      return commands.withLock { commands in
        defer { commands = [] }
        return commands
      }
    }
  }

  /// The file descriptors for which a loop waits.
  private final class WaitSet: Sendable {
    private let descriptor: Int32

    init(with first: Int32) throws(SystemFailure) {
      descriptor = IDXWaitSetCreate()
      guard descriptor >= 0, IDXWaitSetUpdate(descriptor, first, 1, 0) == 0 else {
        throw SystemFailure(call: "epoll_create1", code: errno)
      }
    }

    deinit { close(descriptor) }

    /// Waits for a descriptor to read or write, or for neither.
    func update(_ other: Int32, read: Bool, write: Bool) {
      // One that was closed is not in the set any more.
      _ = IDXWaitSetUpdate(descriptor, other, read ? 1 : 0, write ? 1 : 0)
    }

    /// Waits until descriptors are ready, or until the time is over; nil waits without end.
    func wait(_ time: Duration?) -> [IDXReadyDescriptor] {
      // A limit of time may be too long for an integer.
      let milliseconds = time.map { Int32(min(($0 / .milliseconds(1)).rounded(.up), 1e9)) }
      return [IDXReadyDescriptor](unsafeUninitializedCapacity: 64) { buffer, count in
        let found = IDXWaitSetWait(
          descriptor, buffer.baseAddress, Int32(buffer.count), max(milliseconds ?? -1, -1))
        count = Int(max(found, 0))
      }
    }
  }

  /// The work of the thread of a loop.
  private final class Worker {
    private let library: Libcurl
    private let multi: Libcurl.Multi
    private let settings: Transfer.Settings
    private let waitSet: WaitSet
    private let queue: CommandQueue
    private let now: @Sendable () -> ContinuousClock.Instant

    /// The requests that libcurl knows, also those for which nobody waits any more.
    private var transfers: [Libcurl.Easy: Transfer] = [:]
    /// The handles of the requests for which somebody waits.
    private var handles: [ObjectIdentifier: Libcurl.Easy] = [:]
    private var pools: [ConnectionGroup: ConnectionPool] = [:]
    /// When each request must be complete.
    private var deadlines = DeadlineQueue<(number: Int, pending: ObjectIdentifier)>()
    /// When each pool can be closed, unless it is used again.
    private var poolEnds = DeadlineQueue<ConnectionGroup>()
    private var lastNumber = 0
    /// When libcurl wants to be called although no descriptor is ready.
    private var timer: ContinuousClock.Instant?
    private var isStopped = false
    private let call = LibcurlCall()

    init(
      _ library: Libcurl, _ settings: Transfer.Settings, _ waitSet: WaitSet, _ queue: CommandQueue,
      _ now: @escaping @Sendable () -> ContinuousClock.Instant
    ) throws(SystemFailure) {
      guard let multi = library.multiInit() else {
        throw SystemFailure(call: "curl_multi_init", code: ENOMEM)
      }
      self.library = library
      self.multi = multi
      self.settings = settings
      self.waitSet = waitSet
      self.queue = queue
      self.now = now
    }

    /// Works until it is told to stop, and uses libcurl before and after.
    func run() {
      blockSignals()
      setCallbacks()
      while !isStopped {
        let timeToWait = timeToWait
        IDXUseEnd()
        let ready = waitSet.wait(timeToWait)
        IDXUseBegin()
        for ready in ready { act(on: ready) }
        if let timer, timer <= .now {
          self.timer = nil
          act(on: Int32(IDX_CURL_SOCKET_TIMEOUT), 0)
        }
        finishCompleted()
        endLateRequests()
        closeIdlePools()
      }
      for easy in Array(transfers.keys) { remove(easy) }
      pools = [:]
      _ = library.multiCleanup(multi)
    }

    /// Leaves signals to the other threads, but for those of crashes, which come from this one.
    ///
    /// Writing to a connection that was closed must not end the process (SIGPIPE).
    private func blockSignals() {
      var blocked = sigset_t()
      sigfillset(&blocked)
      for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS] {
        sigdelset(&blocked, crash)
      }
      pthread_sigmask(SIG_BLOCK, &blocked, nil)
    }

    private typealias SocketFunction =
      @convention(c) (
        OpaquePointer?, Int32, Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
      ) -> Int32
    private typealias TimerFunction =
      @convention(c) (OpaquePointer?, Int, UnsafeMutableRawPointer?) -> Int32

    private func setCallbacks() {
      let this = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
      let update: SocketFunction = { _, descriptor, interest, worker, _ in
        Worker.of(worker).waitSet.update(
          descriptor, read: Int(interest) & IDX_CURL_POLL_IN != 0,
          write: Int(interest) & IDX_CURL_POLL_OUT != 0)
        return 0
      }
      let setTimer: TimerFunction = { _, milliseconds, worker in
        Worker.of(worker).timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
        return 0
      }
      _ = library.set(
        multi, ofAll: IDX_CURLMOPT_SOCKETFUNCTION, unsafeBitCast(update, to: UnsafeRawPointer.self))
      _ = library.set(multi, ofAll: IDX_CURLMOPT_SOCKETDATA, this)
      _ = library.set(
        multi, ofAll: IDX_CURLMOPT_TIMERFUNCTION, unsafeBitCast(setTimer, to: UnsafeRawPointer.self)
      )
      _ = library.set(multi, ofAll: IDX_CURLMOPT_TIMERDATA, this)
      // With several streams on a connection, nobody could tell which of them the server processed.
      _ = library.set(multi, ofAll: IDX_CURLMOPT_MAX_CONCURRENT_STREAMS, 1)
    }

    private static func of(_ pointer: UnsafeMutableRawPointer?) -> Worker {
      guard let pointer else { preconditionFailure("libcurl lost the data of a callback") }
      return Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
    }

    // MARK: Waiting

    private var timeToWait: Duration? {
      let limit = [deadlines.first?.end, poolEnds.first?.end].compactMap { $0 }.min()
      let times = [
        timer.map { ContinuousClock.now.duration(to: $0) }, limit.map { now().duration(to: $0) },
      ]
      return times.compactMap { $0 }.min().map { max($0, Duration.zero) }
    }

    private func act(on ready: IDXReadyDescriptor) {
      guard ready.descriptor != queue.descriptor else {
        return queue.take().forEach(perform)
      }
      let events =
        (ready.canRead != 0 ? IDX_CURL_CSELECT_IN : 0)
        | (ready.canWrite != 0 ? IDX_CURL_CSELECT_OUT : 0)
        | (ready.hasFailed != 0 ? IDX_CURL_CSELECT_ERR : 0)
      act(on: ready.descriptor, Int32(events))
    }

    private func act(on descriptor: Int32, _ events: Int32) {
      var running: Int32 = 0
      call.begin(descriptor)
      _ = library.multiSocketAction(multi, descriptor, events, &running)
    }

    private func perform(_ command: Command) {
      switch command {
      case .start(let order):
        guard !order.pending.isFinished else { return }
        lastNumber += 1
        deadlines.append(
          (lastNumber, ObjectIdentifier(order.pending)), end: now() + settings.limits.time)
        start(order, number: lastNumber, isRepeated: false)
      case .cancel(let pending):
        if let easy = handles[ObjectIdentifier(pending)] { forget(easy) }
      case .stop: isStopped = true
      }
    }

    // MARK: Requests

    private func start(_ order: Transfer.Order, number: Int, isRepeated: Bool) {
      do throws(TransportError) {
        let pool = isRepeated ? nil : pool(for: order)
        let transfer = try Transfer(
          order, number: number, library: library, settings: settings, pool: pool, call: call)
        guard library.multiAdd(multi, transfer.easy) == 0 else {
          throw TransportFailure.other("there is no memory for the request").error(
            attempt: order.attempt, mayHaveArrived: false)
        }
        pool?.enter()
        transfers[transfer.easy] = transfer
        handles[ObjectIdentifier(order.pending)] = transfer.easy
      } catch {
        order.pending.finish(.failure(error))
      }
    }

    /// The pool of the sign-in; nil if the request needs a connection of its own.
    ///
    /// Without the callback before a request is sent, nothing would keep libcurl from sending it twice.
    private func pool(for order: Transfer.Order) -> ConnectionPool? {
      guard let group = order.request.connectionGroup, order.isTLS, order.proxy == nil,
        library.isAtLeast(.prerequest), library.supportsHTTP2
      else { return nil }
      if let pool = pools[group] { return pool }
      let pool = ConnectionPool(library, now: now())
      pools[group] = pool
      // In case the request cannot be started.
      if let end = pool?.end { poolEnds.append(group, end: end) }
      return pool
    }

    private func finishCompleted() {
      var left: Int32 = 0
      while let message = library.multiMessage(multi, &left) {
        guard Int(message.pointee.kind) == IDX_CURLMSG_DONE, let easy = message.pointee.transfer
        else { continue }
        // The message is gone after the transfer is removed.
        finish(OpaquePointer(easy), code: message.pointee.data.result)
      }
    }

    private func finish(_ easy: Libcurl.Easy, code: Int32) {
      guard let transfer = transfers[easy] else { return }
      let result = transfer.result(code)
      remove(easy)
      // A request without a pool has a connection of its own already, so it is not repeated again.
      if case .failure = result, transfer.isUnprocessed, transfer.pool != nil,
        !transfer.order.pending.isFinished
      {
        return start(transfer.order, number: transfer.number, isRepeated: true)
      }
      transfer.order.pending.finish(result.mapError { $0 })
    }

    /// Stops a request for which nobody waits any more.
    private func forget(_ easy: Libcurl.Easy) {
      guard let transfer = transfers[easy] else { return }
      handles[ObjectIdentifier(transfer.order.pending)] = nil
      if transfer.isLookingUp {
        transfer.abandon()
      } else {
        remove(easy)
      }
    }

    private func remove(_ easy: Libcurl.Easy) {
      guard let transfer = transfers.removeValue(forKey: easy) else { return }
      let pending = ObjectIdentifier(transfer.order.pending)
      if handles[pending] == easy { handles[pending] = nil }
      _ = library.multiRemove(multi, easy)
      guard let pool = transfer.pool, let group = transfer.order.request.connectionGroup else {
        return
      }
      pool.leave(at: now())
      if let end = pool.end { poolEnds.append(group, end: end) }
    }

    // MARK: Limits

    /// Ends the requests that have taken too long.
    private func endLateRequests() {
      guard deadlines.first != nil else { return }
      let time = now()
      while let (end, (number, pending)) = deadlines.first {
        if let easy = handles[pending], let transfer = transfers[easy], transfer.number == number {
          guard end <= time else { return }
          let failure = TransportFailure.timeLimit(
            settings.limits.time, answered: transfer.hasBegunResponse)
          transfer.order.pending.finish(
            .failure(
              failure.error(
                attempt: transfer.order.attempt, mayHaveArrived: transfer.mayHaveLeft)))
          forget(easy)
        }
        deadlines.removeFirst()
      }
    }

    private func closeIdlePools() {
      guard poolEnds.first != nil else { return }
      let time = now()
      while let (end, group) = poolEnds.first, end <= time {
        poolEnds.removeFirst()
        // If it was used since, it has a later end.
        if let end = pools[group]?.end, end <= time { pools[group] = nil }
      }
    }
  }

  /// Moments in the order in which they come, which is the order in which they are added.
  private struct DeadlineQueue<Element> {
    private var elements: [(end: ContinuousClock.Instant, element: Element)] = []
    private var start = 0

    var first: (end: ContinuousClock.Instant, element: Element)? {
      start < elements.count ? elements[start] : nil
    }

    mutating func append(_ element: Element, end: ContinuousClock.Instant) {
      elements.append((end, element))
    }

    mutating func removeFirst() {
      start += 1
      guard start == elements.count || start > 1000 else { return }
      elements.removeFirst(start)
      start = 0
    }
  }
#endif
