import IDXFlow

extension SetupProblem {
  /// The remedy, with the options of this program, and for people who are not administrators.
  var remedyWithOptions: Sentence {
    if let others = remedyForOthers { return "\(remedySentence) \(others)" }
    return switch kind {
    case .classicEngine: "\(remedySentence) The options are --flow classic and --flow browser."
    case .identityEngine:
      "\(remedySentence) The options are --flow idx, --flow hosted and --flow browser."
    case .untrustedCertificate:
      """
      \(remedySentence) With --ca-file FILE or SSL_CERT_FILE=FILE, the authorities in FILE are trusted, and no others.
      """
    default: remedySentence
    }
  }

  /// The remedy for every command but doctor, which can find out more about some problems.
  var remedyWithDoctor: Sentence {
    switch kind {
    case .proxyFailed, .unknownHost, .wrongClock, .notHTTPS, .wrongAuthorizationServer:
      // A command at the end of the remedy can be copied.
      "\(remedyWithOptions)\nTo find out more, run idx-flow doctor with the same options."
    default: remedyWithOptions
    }
  }

  /// What to do for a person who cannot change the app or the org; nil if the problem is on this computer.
  private var remedyForOthers: Sentence? {
    switch kind {
    case .adminAddress, .wrongAuthorizationServer, .wrongClientID, .clientSecret, .wrongRedirectURI,
      .unknownScope:
      "If you are not an administrator, ask the person who gave you this value."
    case .grantTypeDisabled, .noMatchingPolicy, .notAssigned:
      "If you are not an administrator, send this message to one."
    default: nil
    }
  }
}
