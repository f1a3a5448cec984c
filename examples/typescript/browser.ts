// For a page: shows what a bot thinks of a position while it thinks. `stop.abort()` ends the search on the server.
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AdvisorService } from "./gen/pythia/v1/advisor_pb.js";
import type { Position } from "./gen/pythia/v1/position_pb.js";

export async function think(baseUrl: string, observation: Position, into: HTMLElement, stop: AbortController) {
  const advisor = createClient(AdvisorService, createConnectTransport({ baseUrl }));
  const options = { bot: { name: "ismcts", limit: { seconds: 5 } }, lines: 3 };
  const request = { observation, options, intervalMs: 200 };
  for await (const { analysis, final } of advisor.analyze(request, { signal: stop.signal })) {
    const lines = analysis!.moves.map((line) => `${line.winProbability?.toFixed(2) ?? "not tried"} ${line.move!.text}`);
    into.textContent = `${final ? "done" : "thinking"}\n${lines.join("\n")}`;
  }
}
