import IDXDirectAuth
import IDXFlow
import IDXSimulatedOrg

func startDirectAuth() async -> (org: SimulatedOrg, model: SignInModel) {
  let org = SimulatedOrg(OrgScenario["push-number"])
  let demo = DirectAuthClient(
    transport: org, factors: [.password], tokens: org.tokenClient)
  let model = await SignInModel(client: demo)
  await model.start(org.configuration)
  return (org, model)
}
