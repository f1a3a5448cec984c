// Matches of bots, many at once, on one stream: a grid of boards, one of them large, and the standings as they form.
import { isCanceled, isLost, matches, sentence } from "../api.js";
import { Board } from "../board.js";
import { botName, bots, gameNamed, games, mainBot } from "../catalog.js";
import { picture, wordsOf } from "../pictures.js";
import { go } from "../router.js";
import { recall, remember } from "../storage.js";
import { pause, refusal } from "../table.js";
import { seating, standings } from "../tournament.js";
import { batch, html, Interval, percent, Problem, SeatBadge, useEffect, useRef, useSignal, Waiting, WinBar } from "../ui.js";
import { t } from "../words.js";

/** @typedef {import("../types").Match} Match */
/** @typedef {import("../types").Position} Position */
/** @typedef {{match: Match | null, svg: string, last: string, ended: string}} Tile */

const ACTIVE = 1, OVER = 2;
// Matches that one stream takes, entrants of a tournament, and boards that are shown at once.
const MOST = 100, MOST_BOTS = 8, MOST_SHOWN = 12;

/** `#/watch`, or `#/watch/ID,ID`. @param {{parts: string[]}} props */
export function View({ parts }) {
  const ids = [...new Set((parts[0] ?? "").split(",").filter(Boolean))].slice(0, MOST);
  return ids.length ? html`<${Grid} key=${parts[0]} ids=${ids} />` : html`<${Entry} />`;
}

/** The bots as they can be chosen: each level of the main one, then the others. */
function choices() {
  const main = mainBot();
  return [...(main?.levels.map((level) => `${main.name}/${level}`) ?? []), ...bots.value.filter((bot) => bot !== main).map((bot) => bot.name)];
}

/** @param {string} choice */
function specOf(choice) {
  const [name = "", level] = choice.split("/");
  return { name, level: level ? Number(level) : undefined };
}

function Entry() {
  const all = choices();
  const game = useSignal(games.value[0]?.name ?? "");
  const seats = useSignal(0);
  const players = useSignal(/** @type {string[]} */ ([]));
  const number = useSignal(4), speed = useSignal(0.5);
  const problem = useSignal(""), busy = useSignal(false);
  const running = useSignal(/** @type {{id: string, game: string, names: string}[]} */ ([]));
  const info = gameNamed(game.value);
  const least = info?.minPlayers ?? 2;
  useEffect(() => {
    matches.listMatches({ status: ACTIVE, pageSize: 50 }).then((answer) => {
      running.value = answer.matches.filter((one) => one.seats.every((seat) => seat.bot))
        .map((one) => ({ id: one.id, game: one.game, names: one.seats.map((seat) => botName(seat.bot)).join(" – ") }));
    }, () => { /* a server may not list them */ });
  }, []);
  const size = Math.min(Math.max(seats.value, least), info?.maxPlayers ?? least);
  const chosen = Array.from({ length: Math.max(players.value.length, size) }, (_, seat) => players.value[seat] ?? all[Math.min(seat * 2, all.length - 1)] ?? "");
  const start = async (/** @type {Event} */ event) => {
    event.preventDefault();
    busy.value = true;
    problem.value = "";
    try {
      const owners = recall("watched", /** @type {Record<string, string>} */ ({}));
      const ids = [];
      for (let place = 0; place < number.value; place++) {
        const made = await matches.createMatch({
          game: game.value, seats: seating(chosen, size, place).map((one) => ({ bot: specOf(one) })), public: true,
          autoplay: { secondsPerMove: speed.value }, idempotencyKey: crypto.randomUUID(),
        });
        ids.push(made.match?.id ?? "");
        owners[made.match?.id ?? ""] = made.ownerToken;
      }
      remember("watched", Object.fromEntries(Object.entries(owners).slice(-200)));
      go("watch", ids.join(","));
    } catch (error) { problem.value = sentence(error); } finally { busy.value = false; }
  };
  return html`<main class="page"><section class="hero"><h1>${t("watch.title")}</h1><p>${t("watch.lead")}</p></section>
    <div class="columns"><form class="card new" onSubmit=${start}><h2>${t("watch.new")}</h2>
      <div class="games" role="group" aria-label=${t("play.game")}>${games.value.map((one) => html`<button type="button" class="game" aria-pressed=${one.name === game.value}
        onClick=${() => { batch(() => { game.value = one.name; seats.value = 0; players.value = []; }); }}><b>${one.title}</b></button>`)}</div>
      <fieldset><legend>${t("play.players")}</legend><div class="segments" role="group" aria-label=${t("play.players")}>${
        Array.from({ length: (info?.maxPlayers ?? 2) - least + 1 }, (_, place) => least + place).map((count) => html`<button type="button" aria-pressed=${size === count}
          onClick=${() => { batch(() => { seats.value = count; players.value = chosen.slice(0, chosen.length > size ? Math.max(chosen.length, count) : count); }); }}>${count}</button>`)}</div></fieldset>
      <fieldset><legend>${t("watch.bots")}</legend>
        <ol class="sittings">${chosen.map((one, place) => html`<li class="bot">
          <select aria-label=${t("watch.bot", { n: place + 1 })} value=${one} onChange=${(/** @type {any} */ event) => { players.value = chosen.map((old, other) => (other === place ? event.target.value : old)); }}>${
            all.map((choice) => html`<option value=${choice}>${botName(/** @type {any} */ (specOf(choice)))}</option>`)}</select>
          ${chosen.length > size && html`<button type="button" class="icon" aria-label=${t("watch.remove", { n: place + 1 })} title=${t("watch.remove", { n: place + 1 })}
            onClick=${() => { players.value = chosen.filter((_, other) => other !== place); }}>×</button>`}</li>`)}</ol>
        ${chosen.length < MOST_BOTS && html`<div class="row"><button type="button" onClick=${() => { players.value = [...chosen, all[Math.min(chosen.length * 2, all.length - 1)] ?? ""]; }}>${t("watch.add")}</button></div>`}
        <small>${t("watch.turns")}</small></fieldset>
      <label class="field"><span>${t("watch.number")}</span><input type="number" min="1" max=${MOST} value=${number.value}
        onInput=${(/** @type {any} */ event) => { number.value = Math.min(Math.max(Number(event.target.value) || 1, 1), MOST); }} /></label>
      <label class="field"><span>${t("play.speed")}</span><input type="number" min="0" max="60" step="0.1" value=${speed.value}
        onInput=${(/** @type {any} */ event) => { speed.value = Math.min(Math.max(Number(event.target.value) || 0, 0), 60); }} /></label>
      ${problem.value && html`<${Problem} text=${problem.value} />`}
      <button class="strong wide" disabled=${busy.value}>${t("play.start")}</button></form>
    <section class="card stack"><h2>${t("watch.running")}</h2>${running.value.length === 0 ? html`<p class="quiet-text">${t("watch.none")}</p>` : html`
      <a class="button" href=${`#/watch/${running.value.map((one) => one.id).slice(0, MOST_SHOWN).join(",")}`}>${t("watch.all")}</a>
      <ul class="tables">${running.value.map((one) => html`<li><a href=${`#/watch/${one.id}`}><b>${gameNamed(one.game)?.title ?? one.game}</b><small>${one.names}</small></a></li>`)}</ul>`}</section></div></main>`;
}

/** @param {{ids: string[]}} props */
function Grid({ ids }) {
  const tiles = useSignal(/** @type {Record<string, Tile>} */ (Object.fromEntries(ids.map((id) => [id, { match: null, svg: "", last: "", ended: "" }]))));
  const large = useSignal(/** @type {string | null} */ (ids.length === 1 ? ids[0] ?? null : null));
  const problem = useSignal(""), lost = useSignal(false);
  const owners = recall("watched", /** @type {Record<string, string>} */ ({}));
  const speed = useSignal(/** @type {number | null} */ (null));
  const change = (/** @type {string} */ id, /** @type {Partial<Tile>} */ part) => {
    tiles.value = { ...tiles.peek(), [id]: { .../** @type {Tile} */ (tiles.peek()[id]), ...part } };
  };
  const shown = useRef(/** @type {ReadonlySet<string>} */ (new Set()));
  useEffect(() => {
    const stop = new AbortController();
    follow(ids, change, (id) => shown.current.has(id), stop.signal, (on) => { lost.value = on; }).catch((error) => { if (!isCanceled(error)) problem.value = sentence(error); });
    return () => stop.abort();
  }, []);
  const all = Object.entries(tiles.value).flatMap(([id, tile]) => (tile.match ? [{ id, match: tile.match }] : []));
  const mine = all.filter(({ id, match }) => owners[id] && match.status !== OVER);
  const paused = mine.length > 0 && mine.every(({ match }) => match.autoplay?.paused);
  const each = async (/** @type {(id: string, token: string) => Promise<{match?: Match}>} */ call) => {
    try {
      await Promise.all(mine.map(async ({ id }) => { const { match } = await call(id, owners[id] ?? ""); if (match) change(id, { match }); }));
    } catch (error) { problem.value = sentence(error); }
  };
  // Those that are played first, then the last to end.
  const visible = large.value ? [large.value] : [...ids].sort((a, b) => rank(tiles.value[a]) - rank(tiles.value[b])).slice(0, MOST_SHOWN);
  shown.current = new Set(visible);
  const pace = speed.value ?? mine[0]?.match.autoplay?.secondsPerMove ?? 0.5;
  return html`<main class="page watch"><h1 class="hidden-title">${t("watch.title")}</h1>
    <div class="row bar">
      ${mine.length > 0 && html`<button class="strong" onClick=${() => each((matchId, token) => (paused ? matches.resumeMatch({ matchId, token }) : matches.pauseMatch({ matchId, token })))}>${t(paused ? "watch.resume" : "watch.pause")}</button>
        <label class="row">${t("play.speed")} <input type="range" min="0" max="3" step="0.1" value=${pace} aria-valuetext=${`${pace} s`} onChange=${(/** @type {any} */ event) => {
          speed.value = Number(event.target.value);
          each((matchId, token) => matches.resumeMatch({ matchId, token, secondsPerMove: Number(event.target.value) })); }} /> <output>${pace.toFixed(1)} s</output></label>`}
      <a class="button" href="#/watch">${t("watch.other")}</a></div>
    ${problem.value && html`<${Problem} text=${problem.value} />`}
    ${lost.value && html`<${Waiting} text=${t("table.lost")} />`}
    <div class="beside ${ids.length > 1 ? "" : "alone"}">
    <div class="tiles ${large.value ? "one" : ""}">${visible.map((id) => html`<${TileView} key=${id} id=${id} tile=${tiles.value[id]} large=${large.value === id}
      onSize=${() => { large.value = large.value === id ? null : id; }} />`)}</div>
    ${ids.length > 1 && html`<${Standings} all=${all.map(({ match }) => match)} total=${ids.length} />`}</div></main>`;
}

/** @param {Tile | undefined} tile */
function rank(tile) {
  return tile?.match?.status === OVER ? 1 : 0;
}

/** @param {{id: string, tile: Tile | undefined, large: boolean, onSize: () => void}} props */
function TileView({ id, tile, large, onSize }) {
  const match = tile?.match;
  if (!tile || !match) return html`<section class="panel tile">${tile?.ended ? html`<${Problem} text=${tile.ended} />` : html`<${Waiting} />`}</section>`;
  const winners = match.result?.winners ?? [];
  return html`<section class="panel tile"><div class="row head"><span class="names">${match.seats.map((one, seat) => html`<span class=${match.toAct === seat ? "acts" : winners.includes(seat) ? "won" : ""}>
      <${SeatBadge} seat=${seat} /> ${botName(one.bot) || one.name}${match.scores[seat] ? html` <b class="points">${Math.round(match.scores[seat]?.total ?? 0)}</b>` : ""}${winners.includes(seat) ? " ★" : ""}</span>`)}</span>
    <span class="row">${match.status === OVER && html`<a href=${`#/review/${id}`}>${t("nav.review")}</a>`}
    <button class="icon" aria-label=${t(large ? "watch.smaller" : "watch.larger")} title=${t(large ? "watch.smaller" : "watch.larger")} aria-expanded=${large} onClick=${onSize}>${large ? "⤡" : "⤢"}</button></span></div>
    ${match.values.length > 0 && html`<${WinBar} values=${match.values} names=${match.seats.map((one) => botName(one.bot) || one.name)} />`}
    ${tile.svg ? html`<${Board} svg=${tile.svg} game=${match.game} whole=${!large} label=${match.seats.map((one) => botName(one.bot)).join(" – ")} />` : html`<${Waiting} />`}
    <small class="last">${match.status === OVER ? t("table.reason", { reason: match.result?.reason.replaceAll("_", " ") ?? "" }) : tile.last}</small></section>`;
}

/** Who won how often, with 95 % intervals, as they form. @param {{all: readonly Match[], total: number}} props */
function Standings({ all, total }) {
  const over = all.filter((match) => match.result).length;
  return html`<section class="panel standings"><div class="row head"><h2>${t("watch.standings")}</h2><small role="status">${t("watch.over", { n: over, total })}</small></div>
    <table class="sums"><thead><tr><th>Bot</th><th>${t("watch.games")}</th><th>${t("watch.won")}</th></tr></thead>
    <tbody>${standings(all, (seat) => botName(seat.bot)).map(({ name, games: played, share, low, high }) => html`<tr>
      <td>${name}${played > 0 && html`<${Interval} value=${share} low=${low} high=${high} />`}</td><td>${played}</td>
      <td>${played ? html`${percent(share)}<small>${percent(low)} – ${percent(high)}</small>` : "–"}</td></tr>`)}</tbody></table></section>`;
}

/**
 * All matches on one stream, again when it is lost. Boards are drawn one by one, each from the newest position, and only
 * where somebody sees them.
 * @param {string[]} ids @param {(id: string, part: Partial<Tile>) => void} change @param {(id: string) => boolean} isShown
 * @param {AbortSignal} signal @param {(lost: boolean) => void} onLost
 */
async function follow(ids, change, isShown, signal, onLost) {
  /** @type {Map<string, {position: Position, version: bigint}>} what spectators see of each match */
  const seen = new Map();
  /** @type {Map<string, () => Promise<void>>} */
  const waiting = new Map();
  let drawing = false;
  const draw = async () => {
    if (drawing) return;
    drawing = true;
    for (let next = pickShown(waiting, isShown); next && !signal.aborted; next = pickShown(waiting, isShown)) {
      const [id, work] = next;
      waiting.delete(id);
      try { await work(); } catch { /* the next one will do */ }
    }
    drawing = false;
  };
  const show = (/** @type {string} */ id, /** @type {Match | undefined} */ match, /** @type {Position} */ position, /** @type {bigint} */ version, /** @type {string} */ move) => {
    const before = seen.get(id);
    seen.set(id, { position, version });
    waiting.set(id, async () => {
      const names = match ? match.seats.map((one) => botName(one.bot) || one.name) : [];
      const follows = move && before?.version === version - 1n;
      const [svg, last] = await Promise.all([picture(position, "", names), follows ? wordsOf(before.position, move).catch(() => move) : move]);
      change(id, last ? { svg, last } : { svg });
    });
    draw();
  };
  const again = setInterval(draw, 500); // boards that come into sight when others end
  signal.addEventListener("abort", () => clearInterval(again), { once: true });
  await Promise.all(ids.map(async (id) => {
    try {
      const { match } = await matches.getMatch({ matchId: id }, { signal });
      const { observation, version } = await matches.observe({ matchId: id }, { signal });
      if (match) change(id, { match });
      if (observation) show(id, match, observation, version, "");
    } catch (error) { if (!isCanceled(error)) change(id, { ended: refusal(error) }); }
  }));
  const open = new Set(seen.keys());
  while (open.size && !signal.aborted) {
    try {
      const wanted = [...open].map((matchId) => ({ matchId, afterVersion: seen.get(matchId)?.version ?? 0n }));
      for await (const answer of matches.watchMany({ matches: wanted, observations: true }, { signal })) {
        onLost(false);
        const id = answer.matchId, event = answer.event;
        if (answer.match) change(id, { match: answer.match });
        const move = event?.kind.case === "move" ? event.kind.value.text : "";
        if (answer.observation) show(id, answer.match, answer.observation, event?.version ?? answer.match?.version ?? 0n, move);
        if (answer.ended) open.delete(id);
      }
      if (open.size) await pause(1, signal);
    } catch (error) {
      if (isCanceled(error)) return;
      if (!isLost(error)) throw error;
      onLost(true);
      await pause(2, signal);
    }
  }
}

/** @template T @param {Map<string, T>} waiting @param {(id: string) => boolean} isShown */
function pickShown(waiting, isShown) {
  return [...waiting].find(([id]) => isShown(id));
}
