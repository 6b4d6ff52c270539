import IDX
import Foundation
for path in CommandLine.arguments.dropFirst() {
  do { let r = try Response(parsing: Data(contentsOf: URL(fileURLWithPath: path))); print(ResponseSummary(response: r).json.text) }
  catch { print(JSON.object(.init([.init("error", .string("\(error)"))])).text) }
}
