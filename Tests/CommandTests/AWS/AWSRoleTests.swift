import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import idx_flow

/// Roles of AWS.
struct AWSRoleTests {
  @Test(
    "The ARN of a role has a partition and an account, a path belongs to the name, and other texts are no role"
  )
  func arn() throws {
    let role = try require(AWSRole("arn:aws-us-gov:iam::123456789012:role/team/a+b=c,d.e@f_g-h"))
    expectEqual(role.partition, "aws-us-gov")
    expectEqual(role.account, "123456789012")
    let issuer = try require(URL(string: "https://dev-1234.okta.com/oauth2/default"))
    expectEqual(
      role.provider(for: issuer),
      "arn:aws-us-gov:iam::123456789012:oidc-provider/dev-1234.okta.com/oauth2/default")
    for text in [
      "", "NAME", "arn:aws:iam::123456789012:role/", "arn:aws:iam::12345678901:role/a",
      "arn:aws:iam::123456789012:user/a", "arn:aws:sts::123456789012:assumed-role/a/b",
      "arn:aws:iam::123456789012:role/a b", "arn:aws:iam::123456789012:role/a\n",
      " arn:aws:iam::123456789012:role/a", "arn:AWS:iam::123456789012:role/a",
      "arn:aws:iam::１23456789012:role/a", "arn:aws:iam::123456789012:role/é",
    ] {
      expect(AWSRole(text) == nil, "\(text)")
    }
  }

  @Test(
    "The address of STS follows from the partition of the role and the region; a region of another partition is refused",
    .promise("aws-token"))
  func endpoint() throws {
    for (partition, region, address) in [
      ("aws", nil, "https://sts.amazonaws.com/"),
      ("aws", "eu-west-1", "https://sts.eu-west-1.amazonaws.com/"),
      ("aws-cn", nil, "https://sts.cn-north-1.amazonaws.com.cn/"),
      ("aws-cn", "cn-northwest-1", "https://sts.cn-northwest-1.amazonaws.com.cn/"),
      ("aws-us-gov", nil, "https://sts.us-gov-west-1.amazonaws.com/"),
      ("aws-us-gov", "us-gov-east-1", "https://sts.us-gov-east-1.amazonaws.com/"),
    ] as [(String, String?, String)] {
      let role = try require(AWSRole("arn:\(partition):iam::123456789012:role/a"))
      let url = try AWSKeyRequest.endpoint(of: role, region: region.map { ("--region", $0) })
      expectEqual(url.absoluteString, address)
    }
    for (partition, region) in [
      ("aws", "cn-north-1"), ("aws-cn", "eu-west-1"), ("aws-us-gov", "us-east-1"),
      ("aws", "eu-west-1.evil.example/"), ("aws", "EU-WEST-1"), ("aws", "x"),
      ("aws-iso", "us-iso-east-1"),
    ] {
      let role = try require(AWSRole("arn:\(partition):iam::123456789012:role/a"))
      let failure = #expect(throws: CommandFailure.self) {
        try AWSKeyRequest.endpoint(of: role, region: ("AWS_REGION", region))
      }
      expectEqual(failure?.exitCode, .usage, "\(partition) \(region)")
    }
  }

  @Test(
    "The name of the session is the username in the characters of AWS",
    arguments: [
      ("ada@example.com", "ada@example.com"), ("Ada Byron/x", "Ada-Byron-x"), ("Zoë\n", "Zo--"),
      (String(repeating: "a", count: 80), String(repeating: "a", count: 64)), ("a", "idx-flow"),
      ("", "idx-flow"), ("李", "idx-flow"),
    ])
  func sessionName(username: String, name: String) {
    let id = Credential.ID(issuer: URL(filePath: "/"), clientID: "", subject: "00u1")
    let credential = Credential(
      id: id, username: username, tokens: Tokens(accessToken: "a"), receivedAt: Date())
    expectEqual(AWSKeyRequest.sessionName(of: credential), name)
  }
}
