// A finished game: how likely each seat was to win, what decisions lost and what luck brought, side by side; the mistakes by
// size, each with its position, and as an exercise.
import { advisor, isCanceled, matches, sentence } from "../api.js";
import { Board } from "../board.js";
import { gameNamed, mainBot, namesOf } from "../catalog.js";
import { BalanceChart, WinChart } from "../charts.js";
import { MovePanel, useChoice } from "../moves.js";
import { picture, wordsOf } from "../pictures.js";
import { become, go } from "../router.js";
import { recall, remember, tables } from "../storage.js";
import { refusal } from "../table.js";
import { batch, html, percent, points, Problem, render, save, SeatBadge, useEffect, useSignal, Waiting } from "../ui.js";
import { language, t } from "../words.js";

/** @typedef {import("../types").LuckyEvent} LuckyEvent */
/** @typedef {import("../types").MoveDescription} MoveDescription */
/** @typedef {import("../types").Position} Position */
/** @typedef {import("../types").ReviewedDecision} Decision */
/** @typedef {import("../types").SeatReview} SeatReview */
/** @typedef {{id: string, owner: string, tokens: string[], names: string[], game: string, seen: Map<number, Promise<Position>>}} Replay */
/** @typedef {Record<number, {move: string, best: string}>} Labels  of decisions, by their number */
/** @typedef {{seconds: number, moves: number}[]} Times  by seat */

// How hard each decision is looked at, in iterations.
const EFFORTS = [100, 400, 2000, 10_000];
const MOST_EXPORTED = 12;
// Mistakes that are told in words.
const MOST_TOLD = 30;

/** `#/review`, or `#/review/ID` for a match. @param {{parts: string[]}} props */
export function View({ parts }) {
  const id = parts[0] ?? "";
  const record = useSignal("");
  const problem = useSignal("");
  const text = useSignal("");
  useEffect(() => {
    if (!id) return;
    const token = tables.peek()[id]?.owner ?? tables.peek()[id]?.token ?? "";
    matches.exportRecord({ matchId: id, token }).then((answer) => { record.value = answer.record; }, (error) => { problem.value = refusal(error); });
  }, [id]);
  if (record.value) return html`<${Reviewed} record=${record.value} matchId=${id} close=${() => { record.value = ""; if (id) go("review"); }} />`;
  if (id && !problem.value) return html`<main class="page"><${Waiting} /></main>`;
  const mine = Object.values(tables.value).sort((a, b) => b.at - a.at).slice(0, 12);
  const file = async (/** @type {File | undefined | null} */ one) => { if (one) record.value = await one.text(); };
  return html`<main class="page"><section class="hero"><h1>${t("review.title")}</h1><p>${t("review.lead")}</p></section>
    ${problem.value && html`<${Problem} text=${problem.value} />`}
    <div class="columns"><section class="card stack" onDragOver=${(/** @type {Event} */ event) => event.preventDefault()}
      onDrop=${(/** @type {DragEvent} */ event) => { event.preventDefault(); file(event.dataTransfer?.files[0]); }}>
      <label class="stack"><b>${t("review.paste")}</b><textarea rows="8" spellcheck=${false} placeholder=${t("analyse.drop")} value=${text.value}
        onInput=${(/** @type {any} */ event) => { text.value = event.target.value; }}></textarea></label>
      <div class="row"><button class="strong" disabled=${!text.value.trim()} onClick=${() => { record.value = text.value; }}>${t("review.go")}</button>
        <label class="button">${t("analyse.file")}<input type="file" accept=".jsonl,.json" class="hidden-title"
          onChange=${(/** @type {any} */ event) => file(event.target.files[0])} /></label></div></section>
    <section class="card stack"><h2>${t("play.mine")}</h2>${mine.length === 0 ? html`<p class="quiet-text">${t("play.none")}</p>` : html`<ul class="tables">${
      mine.map((one) => html`<li><a href=${`#/review/${one.id}`}><b>${gameNamed(one.game)?.title ?? one.game}</b><small>${new Date(one.at).toLocaleString()}</small></a></li>`)}</ul>`}</section></div></main>`;
}

/** @param {{record: string, matchId: string, close: () => void}} props */
function Reviewed({ record, matchId, close }) {
  const effort = useSignal(recall("effort", 400));
  const decisions = useSignal(/** @type {Decision[]} */ ([]));
  const lucky = useSignal(/** @type {LuckyEvent[]} */ ([]));
  const sums = useSignal(/** @type {SeatReview[]} */ ([]));
  const done = useSignal(0), total = useSignal(0);
  const problem = useSignal("");
  const replay = useSignal(/** @type {Replay | null} */ (null));
  const seat = useSignal(0);
  const at = useSignal(/** @type {number | null} */ (null));
  const exercise = useSignal(false);

  // The positions: the record as a match that nobody plays, removed when it is left.
  useEffect(() => {
    let gone = false;
    (async () => {
      try {
        const { match, seatTokens, ownerToken } = await matches.importRecord({ record });
        const played = matchId ? (await matches.getMatch({ matchId, token: tables.peek()[matchId]?.token ?? "" })).match : match;
        const me = tables.peek()[matchId]?.seat;
        const names = played ? namesOf(played, (place) => (place === me ? t("person.me") : t("play.seat", { n: place }))) : [];
        const made = { id: match?.id ?? "", owner: ownerToken, tokens: seatTokens, names, game: match?.game ?? "", seen: new Map() };
        if (gone) forget(made);
        else replay.value = made;
      } catch (error) { problem.value = sentence(error); }
    })();
    return () => { gone = true; if (replay.peek()) forget(/** @type {Replay} */ (replay.peek())); };
  }, [record]);

  useEffect(() => {
    const stop = new AbortController();
    batch(() => { decisions.value = []; lucky.value = []; sums.value = []; done.value = 0; problem.value = ""; });
    const options = { bot: { name: mainBot()?.name ?? "", limit: { iterations: BigInt(effort.value) } }, language: language.peek() };
    (async () => {
      try {
        const answers = matchId ? matches.reviewMatch({ matchId, token: tables.peek()[matchId]?.token ?? "", options }, stop)
          : advisor.review({ source: { case: "record", value: record }, options, unfinished: true }, stop);
        for await (const { part: answer } of answers) {
          if (!answer || stop.signal.aborted) continue;
          batch(() => {
            done.value = answer.done;
            total.value = answer.total;
            const part = answer.part;
            if (part.case === "decision") decisions.value = [...decisions.value, part.value];
            else if (part.case === "luck") lucky.value = [...lucky.value, part.value];
            else if (part.case === "summary") sums.value = [...sums.value, part.value];
          });
        }
        done.value = total.value;
      } catch (error) {
        if (!isCanceled(error)) problem.value = sentence(error);
      }
    })();
    return () => stop.abort();
  }, [record, effort.value]);

  const names = replay.value?.names ?? [];
  const times = useSignal(/** @type {Times | null} */ (null));
  useEffect(() => {
    const stop = new AbortController();
    times.value = null;
    if (matchId) timesOf(matchId, stop).then((found) => { times.value = found; }, () => { /* without them */ });
    return () => stop.abort();
  }, [matchId]);

  // The worst mistakes in words, one after the other once all are known.
  const labels = useSignal(/** @type {Labels} */ ({}));
  const isDone = total.value > 0 && done.value === total.value;
  useEffect(() => {
    let gone = false;
    labels.value = {};
    (async () => {
      if (!isDone || !replay.value) return;
      for (const one of worst(decisions.peek()).slice(0, MOST_TOLD)) {
        try {
          const position = await positionAt(replay.value, one);
          const told = await Promise.all([wordsOf(position, one.move), wordsOf(position, one.best)]);
          if (gone) return;
          labels.value = { ...labels.peek(), [one.number]: { move: told[0], best: told[1] } };
        } catch { return; }
      }
    })();
    return () => { gone = true; };
  }, [isDone, replay.value, language.value]);
  const mistakes = worst(decisions.value);
  const jump = (/** @type {number} */ number) => { exercise.value = false; at.value = number; };
  const chosen = decisions.value.find((one) => one.number === at.value) ?? null;
  const graph = decisions.value.filter((one) => one.values.length).map((one) => ({ number: one.number, values: one.values }));
  const seats = names.length || graph[0]?.values.length || 2;
  return html`<main class="table review"><h1 class="hidden-title">${t("review.title")}</h1>
    <div class="left">
      ${chosen && replay.value ? html`<${Moment} key=${`${chosen.number}/${exercise.value}`} decision=${chosen} replay=${replay.value} exercise=${exercise.value} />` : ""}
      <section class="panel"><div class="row head"><h2>${gameNamed(replay.value?.game ?? "")?.title ?? t("review.title")}</h2>
        <span class="legend-row">${names.map((name, place) => html`<span><${SeatBadge} seat=${place} /> ${name}</span>`)}</span></div>
        ${problem.value && html`<${Problem} text=${problem.value} />`}
        ${done.value < total.value || !total.value ? html`<div class="progress" role="progressbar" aria-label=${t("review.progress")} aria-valuemin="0" aria-valuemax=${total.value || 1} aria-valuenow=${done.value}><i
          style=${{ width: `${(100 * done.value) / Math.max(total.value, 1)}%` }}></i></div><small>${t("review.done", { n: done.value, total: total.value })}</small>` : ""}
        <${WinChart} points=${graph} names=${names} last=${total.value} at=${at.value ?? undefined} onJump=${jump} /></section>
      <section class="panel"><div class="row head"><h2>${t("review.balance")}</h2><div class="segments" role="group" aria-label=${t("table.players")}>${
        Array.from({ length: seats }, (_, place) => html`<button aria-pressed=${seat.value === place} onClick=${() => { seat.value = place; }}>${names[place] ?? place}</button>`)}</div></div>
        <${BalanceChart} turns=${turnsOf(decisions.value, lucky.value, seat.value)} onJump=${(/** @type {number} */ number) => jump(near(decisions.value, number))} />
        <${Legend} /></section>
    </div>
    <aside class="side">
      <section class="panel"><div class="row head"><h2>${t("review.sums")}</h2>
        <label class="row"><small>${t("review.effort")}</small><select value=${effort.value} onChange=${(/** @type {any} */ event) => { effort.value = Number(event.target.value); remember("effort", effort.value); }}>${
          EFFORTS.map((one) => html`<option value=${one}>${one}</option>`)}</select></label></div>
        <${Sums} sums=${sums.value} names=${names} times=${times.value} />
        <div class="row"><button disabled=${!sums.value.length} onClick=${() => saved(decisions.value, lucky.value, sums.value, names, replay.value, total.value, labels.value, times.value)}>${t("review.save")}</button>
          ${matchId && html`<a class="button" href=${`#/table/${matchId}`}>${t("review.table")}</a>`}
          <button class="quiet" onClick=${() => { close(); become("review"); }}>${t("review.other")}</button></div></section>
      <section class="panel"><div class="row head"><h2>${t("review.mistakes")}</h2>
        <button aria-pressed=${exercise.value} disabled=${!mistakes.length} onClick=${() => { batch(() => { exercise.value = !exercise.value; if (at.value === null || !chosen) at.value = mistakes[0]?.number ?? null; }); }}>${t("review.exercise")}</button></div>
        ${mistakes.length === 0 ? html`<p class="quiet-text">${t(sums.value.length ? "review.none" : "waiting")}</p>` : html`<ol class="mistakes">${mistakes.map((one) => html`<li key=${one.number}>
          <button class="mistake" aria-current=${one.number === at.value ? "true" : undefined} onClick=${() => { at.value = one.number; }}>
            <${SeatBadge} seat=${one.seat} /><span>${t("review.move", { n: one.number })}${exercise.value ? "" : `: ${labels.value[one.number]?.move ?? one.move}`}</span><b>${points(-one.loss)}</b>
            ${!exercise.value && html`<small>${t("review.better", { move: labels.value[one.number]?.best ?? one.best })}</small>`}</button></li>`)}</ol>`}</section>
    </aside></main>`;
}

/** @param {Replay} replay */
function forget(replay) {
  matches.deleteMatch({ matchId: replay.id, token: replay.owner }).catch(() => { /* the server removes what is old by itself */ });
}

/** The position of a decision, as the one who decided saw it. @param {Replay} replay @param {Decision} decision */
function positionAt(replay, decision) {
  const { number, seat } = decision;
  let found = replay.seen.get(number);
  if (!found) {
    found = matches.observe({ matchId: replay.id, seat, token: replay.tokens[seat] ?? "", version: BigInt(number - 1) })
      .then(({ observation }) => /** @type {Position} */ (observation)).catch((error) => { replay.seen.delete(number); throw error; });
    replay.seen.set(number, found);
  }
  return found;
}

/** Decisions that lost something, the worst first. @param {readonly Decision[]} decisions */
function worst(decisions) {
  return decisions.filter((one) => one.mistake || one.loss > 0.005).sort((a, b) => b.loss - a.loss);
}

/** How long each seat took for its moves, which a match knows and a record does not. @param {string} matchId @param {AbortController} stop @returns {Promise<Times>} */
async function timesOf(matchId, stop) {
  /** @type {Times} */
  const times = [];
  /** @type {number | null} */
  let before = null;
  const token = tables.peek()[matchId]?.token ?? "", seat = tables.peek()[matchId]?.seat;
  for await (const { event } of matches.watch({ matchId, token, seat }, stop)) {
    if (!event?.time) continue;
    const now = Number(event.time.seconds) + event.time.nanos / 1e9;
    if (event.by >= 0 && event.kind.case === "move" && before !== null) {
      const own = times[event.by] ?? { seconds: 0, moves: 0 };
      times[event.by] = { seconds: own.seconds + Math.max(now - before, 0), moves: own.moves + 1 };
    }
    before = now;
  }
  return times;
}

/** @param {number} seconds */
function lasting(seconds) {
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")} min`;
}

/** A decision with its position: what was played, what is better and why; or first the question. @param {{decision: Decision, replay: Replay, exercise: boolean}} props */
function Moment({ decision, replay, exercise }) {
  const position = useSignal(/** @type {Position | null} */ (null));
  const svg = useSignal(""), moves = useSignal(/** @type {MoveDescription[]} */ ([]));
  const answer = useSignal(/** @type {MoveDescription | null} */ (null));
  const compared = useSignal(/** @type {{best: number, mine: number} | null} */ (null));
  const labels = useSignal(/** @type {Record<string, string>} */ ({}));
  const problem = useSignal("");
  const choice = useChoice(moves.value);
  const show = async (/** @type {string} */ move) => {
    if (position.value) svg.value = await picture(position.value, move, replay.names);
  };
  useEffect(() => {
    (async () => {
      try {
        const observation = await positionAt(replay, decision);
        position.value = observation;
        await show(exercise ? "" : decision.best);
        const told = await advisor.describeMoves({ observation, language: language.value, moves: exercise ? [] : [...new Set([decision.move, decision.best])] });
        labels.value = Object.fromEntries(told.moves.map((one) => [one.move?.text ?? "", one.label]));
        if (exercise) moves.value = told.moves;
      } catch (error) { problem.value = sentence(error); }
    })();
  }, [decision.number, language.value]);
  const tell = async (/** @type {MoveDescription} */ move) => {
    answer.value = move;
    const text = move.move?.text ?? "";
    await show(decision.best);
    if (text === decision.best || !position.value) return;
    const options = { consider: [decision.best, text], lines: 2, bot: { name: mainBot()?.name ?? "", limit: { iterations: 2000n } } };
    try {
      const { analysis } = await advisor.suggestMove({ observation: position.value, options });
      const win = (/** @type {string} */ wanted) => analysis?.moves.find((one) => one.move?.text === wanted)?.winProbability ?? 0;
      compared.value = { best: win(decision.best), mine: win(text) };
    } catch { /* the better move is shown all the same */ }
  };
  const label = (/** @type {string} */ move) => labels.value[move] ?? move;
  const asks = exercise && !answer.value;
  return html`<section class="panel moment"><div class="row head"><h2>${t("review.move", { n: decision.number })} · <${SeatBadge} seat=${decision.seat} /> ${replay.names[decision.seat]}</h2>
      <small>${t("review.win", { win: percent(decision.winProbability), n: decision.choices })}</small></div>
    ${problem.value && html`<${Problem} text=${problem.value} />`}
    ${svg.value ? html`<${Board} svg=${svg.value} game=${replay.game} seat=${decision.seat} live=${asks ? choice.live : undefined} near=${asks ? choice.near : undefined}
      picked=${asks && !choice.chosen.value ? choice.picked.value : []} onPick=${choice.onPick} />` : html`<${Waiting} />`}
    ${asks ? html`<h3>${t("review.find")}</h3><${MovePanel} moves=${moves.value} choice=${choice} busy=${false} onPlay=${tell} />`
      : html`<div class="verdict" role="status">
        ${answer.value && html`<p><b>${t(answer.value.move?.text === decision.best ? "review.right" : "review.wrong")}</b> ${answer.value.label}
          ${compared.value && html` (${percent(compared.value.mine)} / ${percent(compared.value.best)})`}</p>`}
        <p><button class="quiet" onClick=${() => show(decision.move)}>${t("review.played")}</button> ${label(decision.move)} <b>${points(-decision.loss)}</b>
          <small> ${points(-decision.lossHigh)} … ${points(-decision.lossLow)}</small></p>
        <p><button class="quiet" onClick=${() => show(decision.best)}>${t("review.best")}</button> ${label(decision.best)}</p>
        ${decision.reasons.length > 0 && html`<ul class="reasons">${decision.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`}
        ${decision.line.length > 1 && html`<ol class="line">${decision.line.map((step) => html`<li>${step}</li>`)}</ol>`}</div>`}
  </section>`;
}

/** Each player's sums, side by side. @param {{sums: readonly SeatReview[], names: readonly string[], times: Times | null}} props */
function Sums({ sums, names, times }) {
  /** @type {[string, (one: SeatReview) => any][]} */
  const rows = [
    ["review.loss", (one) => html`<b class="lost">${points(-one.totalLoss)}</b><small>${points(-one.totalLossHigh)} … ${points(-one.totalLossLow)}</small>`],
    ["review.each", (one) => html`${points(-one.totalLoss / Math.max(one.decisions, 1))}<small>${t("review.decisions", { n: one.decisions })}</small>`],
    ["review.mistakes", (one) => one.mistakes],
    ["review.luck", (one) => html`<b>${points(one.totalLuck)}</b><small>${points(one.totalLuckLow)} … ${points(one.totalLuckHigh)}</small>`],
  ];
  if (times) {
    rows.push(["review.time", ({ seat }) => html`${lasting(times[seat]?.seconds ?? 0)}<small>${t("review.time.each", {
      time: lasting((times[seat]?.seconds ?? 0) / Math.max(times[seat]?.moves ?? 0, 1)) })}</small>`]);
  }
  return sums.length > 0 && html`<div class="wide-table"><table class="sums"><thead><tr><td></td>${sums.map((one) => html`<th scope="col"><${SeatBadge} seat=${one.seat} /> ${names[one.seat] ?? one.name}</th>`)}</tr></thead>
    <tbody>${rows.map(([name, cell]) => html`<tr><th scope="row">${t(name)}</th>${sums.map((one) => html`<td>${cell(one)}</td>`)}</tr>`)}</tbody></table></div>
    <small>${t("review.unit")}</small>`;
}

function Legend() {
  return html`<p class="legend-row"><span><i class="loss"></i>${t("review.loss")}</span><span><i class="luck"></i>${t("review.goodluck")}</span><span><i class="bad"></i>${t("review.badluck")}</span></p>`;
}

/** What a seat lost and what luck brought it, by turn. @param {readonly Decision[]} decisions @param {readonly LuckyEvent[]} lucky @param {number} seat */
function turnsOf(decisions, lucky, seat) {
  /** @type {Map<number, {turn: number, number: number, loss: number, luck: number}>} */
  const turns = new Map();
  const of = (/** @type {number} */ turn, /** @type {number} */ number) => {
    const found = turns.get(turn) ?? { turn, number, loss: 0, luck: 0 };
    turns.set(turn, found);
    return found;
  };
  for (const one of decisions) if (one.seat === seat) of(one.turn, one.number).loss += one.loss;
  for (const one of lucky) if (one.seat === seat) of(one.turn, one.number).luck += one.luck;
  return [...turns.values()].sort((a, b) => a.turn - b.turn);
}

/** The decision at or after a move. @param {readonly Decision[]} decisions @param {number} number */
function near(decisions, number) {
  return decisions.find((one) => one.number >= number)?.number ?? number;
}

/**
 * A page that works by itself: graphs, sums and the largest mistakes with their boards, without script.
 * @param {readonly Decision[]} decisions @param {readonly LuckyEvent[]} lucky @param {readonly SeatReview[]} sums
 * @param {readonly string[]} names @param {Replay | null} replay @param {number} total @param {Labels} labels @param {Times | null} times
 */
async function saved(decisions, lucky, sums, names, replay, total, labels, times) {
  const style = await (await fetch(new URL("../app.css", import.meta.url))).text();
  const shown = await Promise.all(worst(decisions).slice(0, MOST_EXPORTED).map(async (one) => (
    { one, board: replay ? await picture(await positionAt(replay, one), one.best, replay.names) : "" })));
  const graph = decisions.filter((one) => one.values.length).map((one) => ({ number: one.number, values: one.values }));
  const title = `${gameNamed(replay?.game ?? "")?.title ?? ""} · ${t("review.title")}`;
  const holder = document.createElement("div");
  render(html`<main class="page"><h1>${title}</h1><${Sums} sums=${sums} names=${names} times=${times} />
    <section class="card"><${WinChart} points=${graph} names=${names} last=${total} /></section>
    ${names.map((name, seat) => html`<section class="card"><h2>${name}</h2><${BalanceChart} turns=${turnsOf(decisions, lucky, seat)} /><${Legend} /></section>`)}
    <h2>${t("review.mistakes")}</h2>${shown.map(({ one, board }) => html`<section class="card stack"><h3><${SeatBadge} seat=${one.seat} /> ${t("review.move", { n: one.number })}: ${labels[one.number]?.move ?? one.move} <b>${points(-one.loss)}</b></h3>
      <p>${t("review.better", { move: labels[one.number]?.best ?? one.best })}</p><ul>${one.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
      <img alt="" src=${`data:image/svg+xml,${encodeURIComponent(board)}`} style=${{ width: "100%" }} /></section>`)}</main>`, holder);
  const head = document.createElement("title");
  head.textContent = title;
  save(`review-${replay?.game ?? "game"}.html`, `<!doctype html><html lang="${language.value}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">${
    head.outerHTML}<style>${style}</style><body>${holder.innerHTML}</body></html>`, "text/html");
}
