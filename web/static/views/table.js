// A table: the board, whose turn it is, my moves, hints, and what happened.
import { AnalysisPanel } from "../analysis.js";
import { Code, isCanceled, isCode, matches, sentence } from "../api.js";
import { Board } from "../board.js";
import { gameNamed } from "../catalog.js";
import { Log, told } from "../log.js";
import { MovePanel, useChoice } from "../moves.js";
import { picture, wordsOfAll } from "../pictures.js";
import { become, link } from "../router.js";
import { forget, keepTable, recall, remember, tables } from "../storage.js";
import { driveBots, refusal, Table } from "../table.js";
import { Ask, html, Problem, save, SeatBadge, ShareLink, useEffect, useMemo, useSignal, useSignalEffect, Waiting } from "../ui.js";
import { language, t } from "../words.js";
import { open } from "./play.js";

/** @typedef {import("../types").Match} Match */
/** @typedef {import("../types").MoveDescription} MoveDescription */
/** @typedef {import("../types").Seat} Seat */

const NOTHING = /** @type {readonly string[]} */ ([]);

/** `#/table/ID`, or `#/table/ID/seat/TOKEN` from a link that takes a seat. @param {{parts: string[]}} props */
export function View({ parts }) {
  const [id = "", word, token] = parts;
  const seat = useSignal(/** @type {Seat | null} */ (null));
  const problem = useSignal("");
  useEffect(() => {
    if (word === "seat" && token) {
      take(id, token).then((taken) => { seat.value = taken; become("table", id); }, (error) => { problem.value = taking(error); });
    } else {
      seat.value = tables.peek()[id] ?? { id, game: "", names: [], at: Date.now() };
    }
  }, [id, word, token]);
  if (problem.value) {
    return html`<main class="page"><${Problem} text=${problem.value}><div class="row">
      <a class="button" href=${`#/table/${id}`} onClick=${() => { problem.value = ""; seat.value = tables.peek()[id] ?? { id, game: "", names: [], at: Date.now() }; }}>${t("nav.watch")}</a>
      <a class="button" href="#/play">${t("table.new")}</a></div><//></main>`;
  }
  return seat.value ? html`<${AtTable} key=${`${id}/${seat.value.seat ?? ""}`} seat=${seat.value} />` : html`<main class="page"><${Waiting} text=${t("table.connecting")} /></main>`;
}

/**
 * Takes the seat of a link. The token of the link is replaced at once, so that the link works once.
 * @param {string} id @param {string} token @returns {Promise<Seat>}
 */
async function take(id, token) {
  const known = tables.peek()[id];
  if (known?.token === token || known?.taken === token) return known;
  if (known?.token && await sits(known)) throw new Error(t("error.seated"));
  // A lost answer must not lose the seat: with the same key, asking again gives the same token.
  const taking = `taking.${id}`;
  const before = recall(taking, { token: "", key: "" });
  const idempotencyKey = before.token === token ? before.key : crypto.randomUUID();
  if (!remember(taking, { token, key: idempotencyKey })) throw new Error(t("error.storage"));
  const answer = await matches.rotateToken({ matchId: id, token, idempotencyKey });
  const match = /** @type {Match} */ ((await matches.getMatch({ matchId: id, token: answer.token })).match);
  const observed = await matches.observe({ matchId: id, token: answer.token });
  const seat = /** @type {any} */ (observed.observation?.game.value)?.observer ?? 0;
  /** @type {Seat} */
  const taken = { id, game: match.game, seat, token: answer.token, taken: token, names: match.seats.map((one) => one.name), at: Date.now() };
  if (!keepTable(taken)) throw new Error(t("error.storage"));
  forget(taking);
  return taken;
}

/** Whether the token of a seat still works. @param {Seat} seat */
async function sits(seat) {
  try {
    await matches.observe({ matchId: seat.id, seat: seat.seat, token: seat.token });
    return true;
  } catch (error) {
    if (isCode(error, Code.PermissionDenied) || isCode(error, Code.Unauthenticated)) return false;
    throw error;
  }
}

/** @param {unknown} error */
function taking(error) {
  return isCode(error, Code.PermissionDenied) || isCode(error, Code.Unauthenticated) ? t("error.taken") : refusal(error);
}

/** @param {{seat: Seat}} props */
function AtTable({ seat }) {
  const table = useMemo(() => new Table(seat), [seat.id]);
  useEffect(() => () => table.close(), [table]);
  const drive = useMemo(() => driveBots(table), [table]);
  useSignalEffect(() => { void table.match.value; drive(); });
  useEffect(() => { table.retell(); }, [language.value]);

  const match = table.match.value;
  const moves = table.moves.value;
  const choice = useChoice(moves);
  /** Another picture than that of now: a past event, a hint, a chosen move. */
  const look = useSignal(/** @type {{svg: string, label: string, version?: bigint} | null} */ (null));
  const asking = useSignal(false);
  const sharing = useSignal(false);
  /** On a phone the panel of moves shows only what is needed until it is opened. */
  const opened = useSignal(false);
  const hint = useHint(table);
  useEffect(() => { look.value = null; }, [table.svg.value]);
  useEffect(() => {
    if (match && !seat.game) keepTable({ ...seat, game: match.game });
  }, [match?.id]);

  if (table.state.value === "gone") {
    return html`<main class="page"><${Problem} text=${table.problem.value}><a class="button" href="#/play">${t("table.new")}</a><//></main>`;
  }
  if (!match || !table.svg.value) {
    return html`<main class="page"><${Waiting} text=${table.state.value === "lost" ? t("table.lost") : t("table.connecting")} /></main>`;
  }

  const names = table.namesIn(match);
  const mark = async (/** @type {string | null} */ move) => {
    if (!move || !table.position.value) { if (look.value?.version === undefined) look.value = null; return; }
    try { look.value = { svg: await picture(table.position.value, move, names), label: "" }; } catch { /* the picture without a mark stays */ }
  };
  const play = (/** @type {MoveDescription} */ move) => {
    hint.close();
    look.value = null;
    opened.value = false;
    table.play(move.move?.text ?? "");
  };
  const past = async (/** @type {import("../types").MatchEvent} */ event) => {
    const label = told(event, table.labels.value);
    try {
      const position = await table.at(event.version - 1n);
      const move = event.kind.case === "move" ? event.kind.value.text : "";
      const svg = await picture(position, move, names).catch(() => picture(position, "", names));
      look.value = { svg, label: `${names[event.by] ?? t("table.chance")}: ${label}`, version: event.version };
    } catch (error) { table.problem.value = sentence(error); }
  };
  const isPast = look.value?.version !== undefined;
  const events = table.events.value;
  const here = events.findIndex((event) => event.version === look.value?.version);
  const choosing = choice.chosen.value !== null || choice.picked.value.length > 0 || choice.typed.value !== "";
  const over = table.isOver, mine = table.isMyTurn;
  const humans = match.seats.filter((one) => !one.bot).length;
  const mayHint = seat.seat !== undefined && !over && (humans < 2 || match.hints);
  return html`<main class="table ${mine ? "my-turn" : ""}">
    <h1 class="hidden-title">${gameNamed(match.game)?.title ?? match.game}</h1>
    <${Board} svg=${look.value?.svg ?? table.svg.value} game=${match.game} seat=${seat.seat ?? -1}
      live=${mine && !isPast ? choice.live : undefined} near=${mine && !isPast ? choice.near : undefined}
      picked=${mine && !choice.chosen.value ? choice.picked.value : NOTHING} onPick=${choice.onPick} still=${isPast} />
    ${isPast && html`<div class="past" role="group" aria-label=${t("table.log")}>
      <button class="icon" disabled=${here <= 0} aria-label=${t("analyse.previous")} title=${t("analyse.previous")} onClick=${() => { const event = events[here - 1]; if (event) past(event); }}>‹</button>
      <span role="status">${look.value?.label}</span>
      <button class="icon" disabled=${here >= events.length - 1} aria-label=${t("analyse.next")} title=${t("analyse.next")} onClick=${() => { const event = events[here + 1]; if (event) past(event); }}>›</button>
      <button onClick=${() => { look.value = null; }}>${t("table.now")}</button></div>`}
    <aside class="side">
      <${Players} match=${match} names=${names} me=${seat.seat} scored=${match.scores} />
      <section class="panel act ${opened.value ? "opened" : ""}" aria-label=${t("table.actions")}>
        <div class="head"><${Status} table=${table} names=${names} />
          <button class="handle quiet" aria-expanded=${opened.value} onClick=${() => { opened.value = !opened.value; }}>${
            opened.value ? t("table.less") : t("table.more")}</button></div>
        ${table.problem.value && html`<${Problem} text=${table.problem.value} />`}
        ${table.state.value === "lost" && html`<${Waiting} text=${t("table.lost")} />`}
        ${!mine && events.length > 0 && html`<p class="latest">${latest(table, names)}</p>`}
        ${hint.problem.value && html`<${Problem} text=${hint.problem.value} />`}
        ${mine && hint.on.value && !hint.problem.value && !choosing ? html`<div class="hint" role="group" aria-label=${t("table.hint")}>${
          hint.analysis.value && table.position.value ? html`<${AnalysisPanel} analysis=${hint.analysis.value} position=${table.position.value}
            seat=${seat.seat ?? 0} names=${names} pictureNames=${names} onShow=${(/** @type {string | null} */ svg) => { if (look.peek()?.version === undefined) look.value = svg === null ? null : { svg, label: "" }; }}
            onChoose=${(/** @type {string} */ text) => { choice.chosen.value = moves.find((one) => one.move?.text === text) ?? null; }} />`
            : html`<${Waiting} />`}</div>`
          : mine && html`<${MovePanel} moves=${moves} choice=${choice} busy=${table.busy.value} onPlay=${play}
          onLook=${(/** @type {MoveDescription | null} */ move) => mark(move?.move?.text ?? null)} />`}
        ${match.realDice && match.toAct === -1 && seat.token && html`<${Dice} table=${table} />`}
        <div class="row tools">
          ${mayHint && html`<button onClick=${() => hint.toggle()} disabled=${!mine} aria-pressed=${hint.on.value}>${t(hint.on.value ? "table.hint.close" : "table.hint")}</button>`}
          ${seat.seat !== undefined && !over && html`<button onClick=${() => table.undo()} disabled=${table.busy.value}>${t("table.undo")}</button>`}
          ${seat.seat !== undefined && !over && html`<button class="quiet" onClick=${() => { asking.value = true; }}>${t("table.resign")}</button>`}
          ${over && html`<a class="button strong" href=${`#/review/${match.id}`}>${t("table.review")}</a>`}
          ${over && seat.owner && html`<button onClick=${() => rematch(match, seat)}>${t("table.rematch")}</button>`}
          ${(over || seat.owner) && html`<button class="quiet" onClick=${() => exported(table)}>${t("table.export")}</button>`}
          <button class="quiet" aria-expanded=${sharing.value} onClick=${() => { sharing.value = !sharing.value; }}>${t("table.share")}</button>
        </div>
        ${(sharing.value || (waitsForFriends(match, seat) && table.events.value.length < 3)) && html`<${Sharing} match=${match} seat=${seat} names=${names} />`}
      </section>
      <${Log} table=${table} names=${names} onLook=${past} />
    </aside>
    ${asking.value && html`<${Ask} title=${t("table.resign.ask")} yes=${t("table.resign")} onNo=${() => { asking.value = false; }}
      onYes=${() => { asking.value = false; table.resign(); }}><p>${t("table.resign.what")}</p><//>`}
  </main>`;
}

/** @param {{match: Match, names: readonly string[], me?: number, scored: readonly import("../types").Score[]}} props */
function Players({ match, names, me, scored }) {
  const winners = match.result?.winners ?? [];
  return html`<section class="panel players" aria-label=${t("table.players")}><ol>${match.seats.map((one, place) => html`<li
    class="${match.toAct === place ? "acts" : ""} ${winners.includes(place) ? "won" : ""}" aria-current=${match.toAct === place ? "true" : undefined}>
    <${SeatBadge} seat=${place} /><span class="name">${names[place]}${place === me && names[place] !== t("person.me") ? ` (${t("person.me")})` : ""}</span>
    ${one.bot && html`<small>Bot</small>`}
    ${scored[place] && html`<span class="score" title=${parts(scored[place])}>${Math.round((scored[place]?.total ?? 0) * 10) / 10}</span>`}
    ${winners.includes(place) && html`<span aria-hidden="true">★</span>`}</li>`)}</ol></section>`;
}

/** What a score is made of. @param {import("../types").Score | undefined} score */
function parts(score) {
  return Object.entries(score?.parts ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`).join(", ");
}

/** @param {{table: Table, names: readonly string[]}} props */
function Status({ table, names }) {
  const match = /** @type {Match} */ (table.match.value);
  const me = table.seat.seat, acts = match.toAct ?? -2;
  let text, strong = false;
  if (match.result) {
    const { winners, reason } = match.result;
    const who = winners.length === 0 || winners.length === match.seats.length ? t("table.draw")
      : winners.length === 1 && winners[0] === me ? t("table.won.you")
        : t("table.won", { name: winners.map((seat) => names[seat] ?? "").join(", ") });
    text = `${who} (${t("table.reason", { reason: reason.replaceAll("_", " ") })})`;
    strong = true;
  } else if (acts === me) { text = t("table.yours"); strong = true; }
  else if (acts === -1) text = t("table.chance");
  else text = t(match.seats[acts]?.bot ? "table.thinks" : "table.waits", { name: names[acts] ?? "" });
  return html`<h2 class="status ${strong ? "mine" : ""}" role="status" aria-live="polite">${text}</h2>`;
}

/** What real dice said. @param {{table: Table}} props */
function Dice({ table }) {
  const outcomes = useSignal(/** @type {{text: string, label: string}[]} */ ([]));
  const typed = useSignal("");
  useEffect(() => {
    matches.listLegalMoves({ matchId: table.id, token: table.token }).then(async (answer) => {
      const texts = answer.moves.map((move) => move.text), position = table.position.peek();
      const labels = position ? await wordsOfAll(position, texts) : {};
      outcomes.value = texts.map((text) => ({ text, label: labels[text] ?? text }));
    }, () => { outcomes.value = []; });
  }, [table.match.value?.version, language.value]);
  const wanted = typed.value.trim().toLowerCase();
  const left = outcomes.value.filter(({ text, label }) => `${text} ${label}`.toLowerCase().includes(wanted)).slice(0, 60);
  return html`<div class="dice"><label>${t("table.dice")} <input type="search" value=${typed.value}
    onInput=${(/** @type {any} */ event) => { typed.value = event.target.value; }} /></label>
    <ul class="list">${left.map(({ text, label }) => html`<li><button class="move" onClick=${() => table.play(text)}>${label}</button></li>`)}</ul></div>`;
}

/** What happened last. @param {Table} table @param {readonly string[]} names */
function latest(table, names) {
  const event = table.events.value.findLast((one) => one.by >= 0);
  return event ? `${names[event.by] ?? ""}: ${told(event, table.labels.value)}` : "";
}

/** @param {Match} match @param {Seat} seat */
function waitsForFriends(match, seat) {
  return !match.result && Object.keys(seat.links ?? {}).length > 0;
}

/** @param {{match: Match, seat: Seat, names: readonly string[]}} props */
function Sharing({ match, seat, names }) {
  const links = Object.entries(seat.links ?? {});
  return html`<div class="sharing">
    ${links.length > 0 && html`<h3>${t("table.invite")}</h3><p>${t("table.invite.help")}</p>
      ${links.map(([place, token]) => html`<${ShareLink} url=${link("table", match.id, "seat", token)} label=${names[Number(place)] ?? ""} />`)}`}
    ${seat.token && html`<${ShareLink} url=${link("table", match.id, "seat", seat.token)} label=${t("table.device")} />`}
    <${ShareLink} url=${link("table", match.id)} label=${t("table.watchers")} /></div>`;
}

/** A hint for the seat to act. @param {Table} table */
function useHint(table) {
  const on = useSignal(false);
  const analysis = useSignal(/** @type {import("../types").Analysis | null} */ (null));
  const problem = useSignal("");
  const stop = useSignal(/** @type {AbortController | null} */ (null));
  const close = () => { stop.value?.abort(); on.value = false; analysis.value = null; problem.value = ""; };
  useEffect(() => { if (on.peek()) close(); }, [table.match.value?.version]);
  useEffect(() => close, []);
  const toggle = async () => {
    if (on.value) { close(); return; }
    const control = new AbortController();
    stop.value = control;
    on.value = true;
    try {
      const options = { lines: 5, bot: recall("hint", undefined), language: language.peek() };
      for await (const answer of matches.hint({ matchId: table.id, token: table.token, options, intervalMs: 300 }, { signal: control.signal })) {
        if (answer.analysis && !control.signal.aborted) analysis.value = answer.analysis;
      }
    } catch (error) {
      if (!isCanceled(error)) problem.value = sentence(error);
    }
  };
  // Reasons come in words: those of another language have to be asked for.
  useEffect(() => { if (on.peek()) { close(); toggle(); } }, [language.value]);
  return { on, analysis, problem, toggle, close };
}

/** @param {Table} table */
async function exported(table) {
  await table.act(async () => {
    const { record } = await matches.exportRecord({ matchId: table.id, token: table.seat.owner ?? table.token });
    save(`${table.match.value?.game}-${table.id.slice(0, 8)}.jsonl`, record, "application/jsonl");
  });
}

/** The same table again, with the seats moved on by one. @param {Match} match @param {Seat} seat */
async function rematch(match, seat) {
  const sittings = match.seats.map((one, place) => ({
    kind: one.bot ? (one.bot.level ? `${one.bot.name}/${one.bot.level}` : one.bot.name) : place === seat.seat ? "me" : "friend",
    name: one.name,
  }));
  const { players: _, ...options } = /** @type {any} */ (match.options ?? {});
  await open({
    game: match.game, options, sittings: [...sittings.slice(1), ...sittings.slice(0, 1)], realDice: match.realDice,
    hints: match.hints, speed: match.autoplay?.secondsPerMove ?? 0.7,
  });
}
