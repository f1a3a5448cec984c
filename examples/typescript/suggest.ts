// A suggestion for a position: node dist/suggest.js http://127.0.0.1:8080
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdvisorService } from "./gen/pythia/v1/advisor_pb.js";
import { MatchService } from "./gen/pythia/v1/match_pb.js";

const baseUrl = process.argv[2] ?? "http://127.0.0.1:8080";
const transport = createConnectTransport({ baseUrl, useBinaryFormat: true, defaultTimeoutMs: 20_000 });
const advisor = createClient(AdvisorService, transport);
const matches = createClient(MatchService, transport);

// Any position will do that your front-end can describe; here the first of a new match, as the seat to act sees it.
const made = await matches.createMatch({ game: "delphi", seats: [{}, {}] });
const seat = made.match!.toAct!;
const { observation } = await matches.observe({ matchId: made.match!.id, seat, token: made.seatTokens[seat]! });

try {
  const bot = { name: "ismcts", limit: { iterations: 300n } };
  const { analysis } = await advisor.suggestMove({ observation, options: { bot, lines: 3 } });
  console.log(`move: ${analysis!.move!.text}`);
  for (const line of analysis!.moves) {
    const chance = line.winProbability === undefined ? "not tried" : `${(100 * line.winProbability).toFixed(0)} %`;
    console.log(`  ${chance}  ${line.move!.text}`);
  }
} catch (error) {
  const refused = ConnectError.from(error);
  console.error(`${Code[refused.code]}: ${refused.rawMessage}`);
  process.exitCode = 1;
}
