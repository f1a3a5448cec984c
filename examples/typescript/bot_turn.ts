// A whole turn of a bot, with the service as referee: node dist/bot_turn.js http://127.0.0.1:8080
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { MatchService } from "./gen/pythia/v1/match_pb.js";

const baseUrl = process.argv[2] ?? "http://127.0.0.1:8080";
const matches = createClient(MatchService, createConnectTransport({ baseUrl, useBinaryFormat: true }));
const bot = { name: "ismcts", limit: { iterations: 200n } };
const made = await matches.createMatch({ game: "keltis", seats: [{ name: "you" }, { bot }] });
const you = { matchId: made.match!.id, token: made.seatTokens[0]! };

// You play until the bot is to act; a front-end would ask its player which of the moves.
let match = made.match!;
while (match.toAct === 0) {
  const { moves } = await matches.listLegalMoves(you);
  const move = moves[0]!.text;
  const done = await matches.submitMove({ ...you, move, expectedVersion: match.version });
  match = done.match!;
  console.log(`you  ${move}`);
}

// The bot's moves arrive one by one, and the outcomes of chance among them.
for await (const part of matches.streamBotTurn(you, { timeoutMs: 60_000 })) {
  for (const event of part.events) {
    if (event.kind.case === "move") {
      console.log(`${event.by < 0 ? "draw" : "bot "} ${event.kind.value.text || "(hidden)"}`);
    }
  }
  match = part.match!;
}
console.log(`to act: seat ${match.toAct}, version ${match.version}`);
