// What a page does across origins, told to the server of the page: see test_front_ends.py.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { think } from "./browser.js";
import { AdvisorService } from "./gen/pythia/v1/advisor_pb.js";
import { EngineService } from "./gen/pythia/v1/engine_pb.js";
import { MatchService } from "./gen/pythia/v1/match_pb.js";

const found: Record<string, unknown> = {};

async function attempt(name: string, work: () => Promise<unknown>) {
  try {
    found[name] = await work();
  } catch (error) {
    const refused = ConnectError.from(error);
    const details = refused.details.map((detail) => ("debug" in detail ? detail.debug : null));
    found[name] = { code: Code[refused.code], details };
  }
}

const baseUrl = new URLSearchParams(location.search).get("server")!;
const connect = createConnectTransport({ baseUrl });
const engine = createClient(EngineService, connect);
const advisor = createClient(AdvisorService, connect);
const matches = createClient(MatchService, connect);

await attempt("unary", async () => (await engine.getServerInfo({})).name);
if (found["unary"] === "pythia") {
  await attempt("grpc-web", async () => {
    const other = createClient(EngineService, createGrpcWebTransport({ baseUrl }));
    return (await other.listGames({})).games.map((game) => game.name);
  });
  const made = await matches.createMatch({ game: "delphi", seats: [{}, {}] });
  const seat = made.match!.toAct!;
  const seen = await matches.observe({ matchId: made.match!.id, seat, token: made.seatTokens[seat]! });
  const observation = seen.observation!;
  await attempt("stream", async () => {
    const options = { bot: { name: "ismcts", limit: { iterations: 2000n } } };
    let parts = 0;
    let last;
    for await (last of advisor.analyze({ observation, options, intervalMs: 20 })) parts += 1;
    return { parts, final: last!.final, iterations: Number(last!.analysis!.iterations) };
  });
  await attempt("cancel", async () => {
    const stop = new AbortController();
    const options = { bot: { name: "ismcts", limit: { seconds: 55 } } };
    for await (const _ of advisor.analyze({ observation, options, intervalMs: 20 }, { signal: stop.signal })) stop.abort();
  });
  await attempt("deadline", () => advisor.suggestMove({ observation }, { timeoutMs: 1 }));
  await attempt("error", () => advisor.suggestMove({ observation, options: { bot: { name: "nobody" } } }));
  await attempt("snippet", async () => {
    const stop = new AbortController();
    const shown = document.createElement("pre");
    const thinking = think(baseUrl, observation, shown, stop);
    while (!shown.textContent) await new Promise((resolve) => setTimeout(resolve, 20));
    stop.abort();
    await thinking.catch((error) => {
      if (ConnectError.from(error).code !== Code.Canceled) throw error;
    });
    return shown.textContent;
  });
}
await fetch("/report", { method: "POST", body: JSON.stringify(found) });
