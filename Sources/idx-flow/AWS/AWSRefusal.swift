import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// Why AWS gave no keys.
struct AWSRefusal: Error {
  /// The code, such as `AccessDenied`; empty if the response is not one of AWS.
  let code: String
  /// The sentence of AWS; it may be empty.
  let message: String
  /// The status of the response.
  let status: Int
  let endpoint: URL

  /// Whether AWS may give the keys in a moment: it was busy, or could not reach the issuer.
  var isTransient: Bool {
    switch code {
    case "IDPCommunicationError": true
    case "InvalidIdentityToken": message.lowercased().contains("retrieve verification key")
    default: isThrottling
    }
  }

  private var isThrottling: Bool {
    [
      "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException",
    ].contains(code)
  }

  /// Whether the keys would be valid for longer than the role allows.
  var isAboutDuration: Bool {
    code == "ValidationError" && message.lowercased().contains("maxsessionduration")
  }

  /// What it means, and what to do about it.
  ///
  /// The values that have to be in the configuration of AWS are named, because a person has to compare them.
  func failure(_ role: AWSRole, _ credential: Credential, signIn: String) -> CommandFailure {
    failure(explanation(role, credential, signIn))
  }

  /// What it means for a SAML response of an app, which AWS checks with a provider.
  func failure(_ role: AWSSAMLRole, of app: SAMLAppAddress) -> CommandFailure {
    failure(explanation(role, app) ?? general(role.role))
  }

  private func failure(_ explanation: Explanation) -> CommandFailure {
    let said = [code, message].filter { !$0.isEmpty }.joined(separator: ": ")
    let quote: Sentence = said.isEmpty ? "" : " AWS says: \(said)"
    return CommandFailure(
      explanation.exitCode, "\(explanation.sentence)\(quote)",
      code: code.isEmpty ? "aws_response" : "aws_\(code)", remedy: explanation.remedy)
  }

  private typealias Explanation = (exitCode: ExitCode, sentence: Sentence, remedy: Sentence?)

  private func explanation(
    _ role: AWSRole, _ credential: Credential, _ signIn: String
  ) -> Explanation {
    let id = credential.id
    switch code {
    case "InvalidIdentityToken": return identityToken(role, id)
    case "ExpiredTokenException", "ExpiredToken":
      return (
        .refused, "For AWS, the ID token has expired.",
        "Run idx-flow refresh. If that does not help: \(Sentence(template: SetupProblem.clockRemedy))"
      )
    case "AccessDenied", "AccessDeniedException":
      let name = AWSRole.providerName(of: id.issuer)
      let subject = id.subject.map { subject -> Sentence in
        ", and if it has a condition for \(name):sub, that must accept \(subject)"
      }
      return (
        .refused,
        "The role \(role.arn) does not exist, or its trust policy does not accept this sign-in.",
        "In the trust policy of the role, the principal must be Federated \(role.provider(for: id.issuer)), "
          + "the action sts:AssumeRoleWithWebIdentity, the condition for \(name):aud must accept "
          + "\(id.clientID)\(subject ?? Sentence(text: ""))."
      )
    case "IDPRejectedClaim":
      return (
        .refused,
        "AWS asked \(id.issuer.absoluteString), which does not accept the ID token any more.",
        "Sign in again: \(signIn)"
      )
    case "IDPCommunicationError":
      return (
        .network, "AWS could not reach \(id.issuer.absoluteString) to check the ID token.",
        "Try again. AWS must reach the issuer from the internet."
      )
    default: return general(role)
    }
  }

  /// What it means whatever AWS was asked with.
  private func general(_ role: AWSRole) -> Explanation {
    if isThrottling {
      return (.rateLimited, "AWS gets too many requests.", "Try again in a minute.")
    }
    switch code {
    case "ValidationError": return validation(role)
    case "RegionDisabledException":
      return (
        .usage,
        "The account \(role.account) does not use AWS STS in the region of \(Origin(endpoint)).",
        "Use another one with --region, or activate it in the account settings of IAM."
      )
    case "PackedPolicyTooLarge", "MalformedPolicyDocument":
      return (
        .refused, "AWS cannot use the policies or the tags of the session.",
        "Ask the administrator of the app which tags of the session it sends to AWS."
      )
    default: return other
    }
  }

  private func identityToken(_ role: AWSRole, _ id: Credential.ID) -> Explanation {
    let issuer = id.issuer.absoluteString
    let text = message.lowercased()
    if text.contains("no openidconnect provider found") {
      return (
        .refused, "The account \(role.account) of AWS has no identity provider for \(issuer).",
        """
        In this account, an administrator runs
        aws iam create-open-id-connect-provider --url \(issuer.shellWord) --client-id-list \
        \(id.clientID.shellWord)
        """
      )
    }
    if text.contains("audience") {
      return (
        .refused,
        "The identity provider \(role.provider(for: id.issuer)) does not have the audience \(id.clientID).",
        """
        In this account, an administrator runs
        aws iam add-client-id-to-open-id-connect-provider --client-id \(id.clientID.shellWord) \
        --open-id-connect-provider-arn \(role.provider(for: id.issuer).shellWord)
        """
      )
    }
    if text.contains("verification key") || text.contains("thumbprint")
      || text.contains("certificate")
    {
      return (
        .refused, "AWS cannot get the keys of \(issuer), with which it checks the ID token.",
        "AWS must reach the issuer from the internet, with a certificate that it trusts. The identity "
          + "provider in IAM must have the issuer exactly as it is here."
      )
    }
    return (
      .refused, "AWS does not accept the ID token of \(issuer).",
      "Check that the identity provider in IAM is for exactly this issuer, with the audience "
        + "\(id.clientID). If the keys of the issuer were changed just now, try again later."
    )
  }

  // MARK: SAML

  /// What it means for a SAML response; nil if that is the same as for an ID token.
  private func explanation(_ role: AWSSAMLRole, _ app: SAMLAppAddress) -> Explanation? {
    switch code {
    case "InvalidIdentityToken":
      let text = message.lowercased()
      if text.contains("provider doesn't exist") || text.contains("provider does not exist") {
        return (
          .refused, "The account \(role.role.account) of AWS has no provider \(role.provider).",
          "In this account, an administrator creates it in IAM with the metadata of the app in Okta, or "
            + "the administrator of Okta corrects its ARN in the settings of the app."
        )
      }
      return (
        .refused, "AWS does not accept the SAML response of \(app.url.absoluteString).",
        "Compare the metadata of the app in Okta with that of the provider \(role.provider) in IAM: the issuer and "
          + "the certificate must be the same."
      )
    case "ExpiredTokenException", "ExpiredToken":
      return (
        .refused, "For AWS, the SAML response has expired: it is valid for five minutes.",
        "Sign in again. If that does not help: \(Sentence(template: SetupProblem.clockRemedy))"
      )
    case "AccessDenied", "AccessDeniedException":
      return (
        .refused,
        "The role \(role.role.arn) does not exist, or its trust policy does not accept this sign-in.",
        "In the trust policy of the role, the principal must be Federated \(role.provider), the action "
          + "sts:AssumeRoleWithSAML, and the condition for SAML:aud must accept the address of AWS that the app "
          + "sends responses to."
      )
    case "IDPRejectedClaim":
      return (.refused, "The provider \(role.provider) refused the sign-in.", nil)
    default: return nil
    }
  }

  private func validation(_ role: AWSRole) -> Explanation {
    if isAboutDuration {
      return (
        .usage, "--duration is longer than the maximum session duration of the role \(role.arn).",
        "Use a shorter one, or raise the maximum in the settings of the role."
      )
    }
    return (
      .usage, "AWS does not accept a value of the request.",
      "Check --role-arn, --session-name and --duration."
    )
  }

  private var other: Explanation {
    let place = Origin(endpoint).description.sanitized
    if code.isEmpty {
      return (
        status >= 500 ? .network : .unexpected,
        "\(place) responded with HTTP status \(status), and not as AWS STS does.",
        "Check --region, --endpoint, the proxy and the variables of AWS."
      )
    }
    return status >= 500
      ? (.network, "AWS failed for a moment.", "Try again.")
      : (.refused, "AWS refused to give keys.", nil)
  }
}
