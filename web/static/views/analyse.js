// Any position: read from text, a file, a link or a record; analysed live; played on with dice and reveals by hand.
import { AnalysisPanel } from "../analysis.js";
import { advisor, gameOf, isCanceled, matches, observerOf, positionFromJson, positionToJson, sentence } from "../api.js";
import { Board } from "../board.js";
import { games, gameNamed, mainBot, server } from "../catalog.js";
import { MovePanel, useChoice } from "../moves.js";
import { picture, wordsOfAll } from "../pictures.js";
import { go, link } from "../router.js";
import { pack, unpack } from "../share.js";
import { batch, html, Problem, ShareLink, useEffect, useSignal, Waiting } from "../ui.js";
import { language, t } from "../words.js";

/** @typedef {import("../types").ApplyMoveResponse} ApplyMoveResponse */
/** @typedef {import("../types").MoveDescription} MoveDescription */
/** @typedef {import("../types").Position} Position */
/** @typedef {{position: Position, label: string, applied?: ApplyMoveResponse}} Step */
/** @typedef {{id: string, tokens: string[], version: number, total: number, seat: number}} Recorded */

const NEED_OUTCOME = 2, NEED_OVER = 4;

/** `#/analyse`, or `#/analyse/POSITION` from a link. @param {{parts: string[]}} props */
export function View({ parts }) {
  const steps = useSignal(/** @type {Step[]} */ ([]));
  const record = useSignal(/** @type {Recorded | null} */ (null));
  const problem = useSignal("");
  const shared = parts[0] ?? "";
  useEffect(() => {
    if (!shared) return;
    unpack(shared).then((position) => { steps.value = [{ position, label: "" }]; }, (error) => { problem.value = sentence(error); });
  }, [shared]);
  const close = () => { batch(() => { steps.value = []; record.value = null; problem.value = ""; }); if (shared) go("analyse"); };

  const seek = async (/** @type {Recorded} */ wanted) => {
    try {
      const token = wanted.tokens[wanted.seat] ?? "";
      const { observation } = await matches.observe({ matchId: wanted.id, seat: wanted.seat, token, version: BigInt(wanted.version) });
      if (observation) batch(() => { record.value = wanted; steps.value = [{ position: observation, label: "" }]; problem.value = ""; });
    } catch (error) { problem.value = sentence(error); }
  };
  const read = async (/** @type {string} */ text) => {
    problem.value = "";
    try {
      const found = await readText(text);
      if ("position" in found) steps.value = [{ position: found.position, label: "" }];
      else await seek(found.record);
    } catch (error) { problem.value = sentence(error); }
  };
  const fresh = async (/** @type {string} */ game) => {
    problem.value = "";
    try { await seek(await newGame(game)); } catch (error) { problem.value = sentence(error); }
  };

  const now = steps.value.at(-1);
  if (!now) return html`<${Entry} onRead=${read} onFresh=${fresh} problem=${problem.value} />`;
  return html`<${Desk} steps=${steps} record=${record} seek=${seek} close=${close} problem=${problem} />`;
}

/**
 * A position, or a record as a match of its own whose versions can be looked at.
 * @param {string} text @returns {Promise<{position: Position} | {record: Recorded}>}
 */
async function readText(text) {
  let whole, record = text;
  try { whole = JSON.parse(text); } catch (error) {
    if (text.trim().split("\n").length < 2) throw new Error(t("error.json", { problem: error instanceof Error ? error.message : "" }));
  }
  if (whole !== undefined && !("start" in Object(whole))) {
    if (Object(whole).observer === undefined && typeof Object(whole).game === "string") {
      // A full state is a record that has only begun.
      record = JSON.stringify({ game: whole.game, format: whole.format, start: whole });
    } else {
      const position = positionFromJson(whole);
      const answer = await advisor.validateObservation({ observation: position });
      if (!answer.valid) throw new Error(`${answer.problem?.field ? `${answer.problem.field}: ` : ""}${answer.problem?.description}`);
      return { position };
    }
  }
  const made = await matches.importRecord({ record });
  const match = /** @type {import("../types").Match} */ (made.match);
  return { record: { id: match.id, tokens: made.seatTokens, version: Number(match.version), total: Number(match.version), seat: Math.max(match.toAct ?? 0, 0) } };
}

/** The start of a game, as a match that nobody plays. @param {string} game @returns {Promise<Recorded>} */
async function newGame(game) {
  const seats = Array.from({ length: gameNamed(game)?.minPlayers ?? 2 }, () => ({}));
  const made = await matches.createMatch({ game, seats, idempotencyKey: crypto.randomUUID() });
  const match = /** @type {import("../types").Match} */ (made.match);
  const version = Number(match.version);
  return { id: match.id, tokens: made.seatTokens, version, total: version, seat: Math.max(match.toAct ?? 0, 0) };
}

/** @param {{onRead: (text: string) => void, onFresh: (game: string) => void, problem: string}} props */
function Entry({ onRead, onFresh, problem }) {
  const text = useSignal("");
  const over = useSignal(false);
  const file = async (/** @type {File | undefined | null} */ one) => { if (one) onRead(await one.text()); };
  const drop = (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    over.value = false;
    file(event.dataTransfer?.files[0]);
  };
  return html`<main class="page"><section class="hero"><h1>${t("analyse.title")}</h1><p>${t("analyse.lead")}</p></section>
    <div class="columns"><section class="card stack ${over.value ? "over" : ""}" onDragOver=${(/** @type {Event} */ event) => { event.preventDefault(); over.value = true; }}
      onDragLeave=${() => { over.value = false; }} onDrop=${drop}>
      <label class="stack"><b>${t("analyse.paste")}</b><textarea rows="10" spellcheck=${false} placeholder=${t("analyse.drop")} value=${text.value}
        onInput=${(/** @type {any} */ event) => { text.value = event.target.value; }}></textarea></label>
      ${problem && html`<${Problem} text=${problem} />`}
      <div class="row"><button class="strong" disabled=${!text.value.trim()} onClick=${() => onRead(text.value)}>${t("analyse.read")}</button>
        <label class="button">${t("analyse.file")}<input type="file" accept=".json,.jsonl,application/json" class="hidden-title"
          onChange=${(/** @type {any} */ event) => file(event.target.files[0])} /></label></div></section>
    <section class="card stack"><h2>${t("analyse.fresh")}</h2><div class="games">${games.value.map((game) => html`<button class="game"
      onClick=${() => onFresh(game.name)}><b>${game.title}</b></button>`)}</div></section></div></main>`;
}

/**
 * A position with its analysis, and the way on from it.
 * @param {{
 *   steps: import("../types").Signal<Step[]>, record: import("../types").Signal<Recorded | null>,
 *   seek: (to: Recorded) => void, close: () => void, problem: import("../types").Signal<string>,
 * }} props
 */
function Desk({ steps, record, seek, close, problem }) {
  const now = /** @type {Step} */ (steps.value.at(-1));
  const { position } = now;
  const game = gameOf(position), seat = observerOf(position);
  const svg = useSignal(""), look = useSignal("");
  const toAct = useSignal(/** @type {number | null} */ (null));
  const moves = useSignal(/** @type {MoveDescription[]} */ ([]));
  const sharing = useSignal(""), editing = useSignal(/** @type {string | null} */ (null));
  const search = useSearch(position);
  const choice = useChoice(moves.value);

  useEffect(() => {
    const stop = new AbortController();
    batch(() => { look.value = ""; sharing.value = ""; moves.value = []; toAct.value = null; });
    (async () => {
      try {
        const [drawn, valid] = await Promise.all([
          picture(position), advisor.validateObservation({ observation: position }, stop)]);
        const acts = valid.toAct ?? -2;
        const told = acts === seat ? (await advisor.describeMoves({ observation: position, language: language.value }, stop)).moves : [];
        if (!stop.signal.aborted) batch(() => { svg.value = drawn; toAct.value = acts; moves.value = told; });
      } catch (error) { if (!isCanceled(error)) problem.value = sentence(error); }
    })();
    return () => stop.abort();
  }, [position, language.value]);

  const step = async (/** @type {string} */ move, /** @type {string[]} */ reveals, /** @type {string} */ label) => {
    problem.value = "";
    try {
      const applied = await advisor.applyMove({ observation: position, move, reveals });
      if (applied.observation) steps.value = [...steps.value, { position: applied.observation, label, applied }];
      else asked.value = { move, label, reveals: applied.reveals };
    } catch (error) { problem.value = sentence(error); }
  };
  const asked = useSignal(/** @type {{move: string, label: string, reveals: string[]} | null} */ (null));
  useEffect(() => { asked.value = null; }, [position]);
  const mark = async (/** @type {string | null} */ move) => {
    if (!move) { look.value = ""; return; }
    try { look.value = await picture(position, move); } catch { /* the picture without a mark stays */ }
  };
  const edit = () => {
    try {
      const changed = positionFromJson(JSON.parse(editing.value ?? ""));
      batch(() => { steps.value = [...steps.value, { position: changed, label: t("analyse.edit") }]; editing.value = null; problem.value = ""; });
    } catch (error) { problem.value = sentence(error); }
  };
  const at = record.value;
  const names = Array.from({ length: gameNamed(game)?.maxPlayers ?? 0 }, (_, place) => t("play.seat", { n: place }));
  const need = now.applied?.need ?? 0;
  return html`<main class="table analyse">
    <h1 class="hidden-title">${t("analyse.title")}</h1>
    <${Board} svg=${look.value || svg.value} game=${game} seat=${seat} live=${choice.live} near=${choice.near}
      picked=${choice.chosen.value ? NOTHING : choice.picked.value} onPick=${choice.onPick} />
    <aside class="side">
      <section class="panel"><div class="head row"><h2>${gameNamed(game)?.title ?? game}</h2><small>${t("analyse.as", { n: seat })}</small></div>
        ${at && html`<${Slider} at=${at} seek=${seek} />`}
        ${problem.value && html`<${Problem} text=${problem.value} />`}
        ${steps.value.length > 1 && html`<ol class="steps">${steps.value.slice(1).map((one, place) => html`<li><button class="quiet"
          onClick=${() => { steps.value = steps.value.slice(0, place + 2); }}>${one.label}</button></li>`)}</ol>`}
        <div class="row">${steps.value.length > 1 && html`<button onClick=${() => { steps.value = steps.value.slice(0, -1); }}>${t("analyse.back")}</button>`}
          <button onClick=${async () => { sharing.value = sharing.value ? "" : link("analyse", await pack(position)); }}>${t("table.share")}</button>
          <button onClick=${() => { editing.value = editing.value === null ? JSON.stringify(positionToJson(position), null, 1) : null; }}>${t("analyse.edit")}</button>
          <button class="quiet" onClick=${close}>${t("analyse.other")}</button></div>
        ${sharing.value && html`<${ShareLink} url=${sharing.value} label=${t("analyse.share")} />`}
        ${editing.value !== null && html`<textarea class="code" rows="14" spellcheck=${false} aria-label=${t("analyse.edit")} value=${editing.value}
          onInput=${(/** @type {any} */ event) => { editing.value = event.target.value; }}></textarea>
          <div class="row"><button class="strong" onClick=${edit}>${t("analyse.read")}</button></div>`}
      </section>
      ${toAct.value === seat && html`<section class="panel" aria-label=${t("analyse.go")}><${Controls} search=${search} />
        ${search.analysis.value && html`<${AnalysisPanel} analysis=${search.analysis.value} position=${position} seat=${seat} names=${names} detailed
          onShow=${(/** @type {string | null} */ drawn) => { if (!choice.chosen.peek()) look.value = drawn ?? ""; }} onChoose=${(/** @type {string} */ text) => { choice.chosen.value = moves.value.find((one) => one.move?.text === text) ?? null; }} />`}</section>`}
      <section class="panel act opened" aria-label=${t("analyse.whatif")}><h2>${t("analyse.whatif")}</h2>
        ${toAct.value === null && html`<${Waiting} />`}
        ${asked.value ? html`<${Reveal} asked=${asked.value} onTell=${(/** @type {string[]} */ reveals) => step(asked.value?.move ?? "", reveals, asked.value?.label ?? "")}
          onNo=${() => { asked.value = null; }} />`
          : toAct.value === seat ? html`<${MovePanel} moves=${moves.value} choice=${choice} busy=${false}
            onPlay=${(/** @type {MoveDescription} */ move) => step(move.move?.text ?? "", [], move.label)}
            onLook=${(/** @type {MoveDescription | null} */ move) => mark(move?.move?.text ?? null)} />`
          : toAct.value === -1 ? html`<${Outcomes} position=${position} applied=${need === NEED_OUTCOME ? now.applied : undefined} onTell=${(/** @type {string} */ move, /** @type {string} */ label) => step(move, [], label)} />`
          : toAct.value === -2 || need === NEED_OVER ? html`<p>${t("analyse.over")}</p>`
          : toAct.value !== null && html`<${Other} seat=${toAct.value} onTell=${(/** @type {string} */ move) => step(move, [], move)} />`}
      </section>
    </aside></main>`;
}

const NOTHING = /** @type {readonly string[]} */ ([]);

/** @param {{at: Recorded, seek: (to: Recorded) => void}} props */
function Slider({ at, seek }) {
  const to = (/** @type {number} */ version) => seek({ ...at, version: Math.min(Math.max(version, 0), at.total) });
  return html`<div class="slider"><div class="row">
    ${/** @type {const} */ ([["first", "«", 0], ["previous", "‹", at.version - 1], ["next", "›", at.version + 1], ["last", "»", at.total]]).map(
      ([name, sign, version]) => html`<button class="icon" aria-label=${t(`analyse.${name}`)} title=${t(`analyse.${name}`)} onClick=${() => to(version)}>${sign}</button>`)}
    <select aria-label=${t("play.seat", { n: "" })} value=${at.seat} onChange=${(/** @type {any} */ event) => seek({ ...at, seat: Number(event.target.value) })}>${
      at.tokens.map((_, seat) => html`<option value=${seat}>${t("analyse.as", { n: seat })}</option>`)}</select></div>
    <label>${t("analyse.version", { n: at.version, total: at.total })}<input type="range" min="0" max=${at.total} value=${at.version}
      onChange=${(/** @type {any} */ event) => to(Number(event.target.value))} /></label></div>`;
}

/** @param {{search: ReturnType<typeof useSearch>}} props */
function Controls({ search }) {
  const main = mainBot();
  const most = server.value?.maxSearchSeconds ?? 60;
  return html`<div class="controls row">
    <button class=${search.running.value ? "" : "strong"} onClick=${() => (search.running.value ? search.halt() : search.start())}>${
      t(search.running.value ? "analyse.stop" : "analyse.go")}</button>
    <label>${t("analyse.level")} <select value=${search.level.value} onChange=${(/** @type {any} */ event) => { search.level.value = Number(event.target.value); }}>
      <option value="0">${t("analyse.full")}</option>${main?.levels.map((level) => html`<option value=${level}>${level}</option>`)}</select></label>
    <label>${t("analyse.seconds")} <input type="number" min="1" max=${most} value=${search.seconds.value}
      onInput=${(/** @type {any} */ event) => { search.seconds.value = Math.min(Math.max(Number(event.target.value) || 1, 1), most); }} /></label>
    <label>${t("analyse.lines")} <input type="number" min="1" max="50" value=${search.lines.value}
      onInput=${(/** @type {any} */ event) => { search.lines.value = Math.min(Math.max(Number(event.target.value) || 1, 1), 50); }} /></label></div>
    ${search.problem.value && html`<${Problem} text=${search.problem.value} />`}`;
}

/** A search that can be stopped and keeps what it found. @param {Position} position */
function useSearch(position) {
  const analysis = useSignal(/** @type {import("../types").Analysis | null} */ (null));
  const running = useSignal(false), problem = useSignal("");
  const level = useSignal(0), seconds = useSignal(10), lines = useSignal(8);
  const stop = useSignal(/** @type {AbortController | null} */ (null));
  const halt = () => { stop.peek()?.abort(); running.value = false; };
  useEffect(() => { halt(); analysis.value = null; problem.value = ""; return halt; }, [position]);
  const start = async () => {
    halt();
    const control = new AbortController();
    batch(() => { stop.value = control; running.value = true; problem.value = ""; });
    const name = mainBot()?.name ?? "";
    const bot = level.value ? { name, level: level.value } : { name, limit: { seconds: seconds.value } };
    try {
      const request = { observation: position, options: { bot, lines: lines.value, language: language.peek() }, intervalMs: 400 };
      for await (const answer of advisor.analyze(request, { signal: control.signal })) {
        if (answer.analysis && !control.signal.aborted) analysis.value = answer.analysis;
      }
    } catch (error) {
      if (!isCanceled(error)) problem.value = sentence(error);
    } finally {
      if (stop.peek() === control) running.value = false;
    }
  };
  return { analysis, running, problem, level, seconds, lines, start, halt };
}

/** What chance brings, with how likely it is. @param {{position: Position, applied?: ApplyMoveResponse, onTell: (move: string, label: string) => void}} props */
function Outcomes({ position, applied, onTell }) {
  const found = useSignal(applied);
  const typed = useSignal("");
  useEffect(() => {
    if (!found.value) advisor.applyMove({ observation: position, move: "" }).then((answer) => { found.value = answer; }, () => { /* it can be typed */ });
  }, [position]);
  const labels = useSignal(/** @type {Record<string, string>} */ ({}));
  useEffect(() => {
    wordsOfAll(position, (found.value?.outcomes ?? []).map((move) => move.text)).then((told) => { labels.value = told; });
  }, [found.value, language.value]);
  const all = (found.value?.outcomes ?? []).map((move, place) => ({ text: move.text, label: labels.value[move.text] ?? move.text, chance: found.value?.probabilities[place] ?? 0 }));
  const words = typed.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const left = all.filter(({ text, label }) => words.every((word) => `${text} ${label}`.toLowerCase().includes(word)));
  return html`<div class="stack"><label class="stack">${t("analyse.outcome")}<input type="search" value=${typed.value}
    onInput=${(/** @type {any} */ event) => { typed.value = event.target.value; }} /></label>
    <ul class="list">${left.slice(0, 80).map(({ text, label, chance }) => html`<li><button class="move" onClick=${() => onTell(text, label)}>
      <span>${label}</span><small>${(chance * 100).toFixed(chance < 0.1 ? 1 : 0)} %</small></button></li>`)}</ul></div>`;
}

/** @param {{asked: {move: string, label: string, reveals: string[]}, onTell: (reveals: string[]) => void, onNo: () => void}} props */
function Reveal({ asked, onTell, onNo }) {
  const text = useSignal("");
  return html`<div class="stack"><h3>${asked.label}</h3><label class="stack">${t("analyse.reveal")}<textarea rows="3" value=${text.value}
    onInput=${(/** @type {any} */ event) => { text.value = event.target.value; }}></textarea></label>
    <p class="more">${t("analyse.reveal.help")}</p>
    <ul class="list">${asked.reveals.slice(0, 80).map((one) => html`<li><button class="move" onClick=${() => { text.value = text.value ? `${text.value}\n${one}` : one; }}>${one}</button></li>`)}</ul>
    <div class="row"><button class="strong" disabled=${!text.value.trim()} onClick=${() => onTell(text.value.split("\n").map((line) => line.trim()).filter(Boolean))}>${t("analyse.tell")}</button>
    <button class="quiet" onClick=${onNo}>${t("confirm.back")}</button></div></div>`;
}

/** Somebody else is to act: what they did is told by its text. @param {{seat: number, onTell: (move: string) => void}} props */
function Other({ seat, onTell }) {
  const text = useSignal("");
  return html`<form class="stack" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); onTell(text.value.trim()); }}>
    <label class="stack">${t("analyse.cannot", { n: seat })}<input value=${text.value} spellcheck=${false} onInput=${(/** @type {any} */ event) => { text.value = event.target.value; }} /></label>
    <div class="row"><button class="strong" disabled=${!text.value.trim()}>${t("analyse.tell")}</button></div></form>`;
}
