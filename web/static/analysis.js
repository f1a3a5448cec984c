// What a bot thinks of a position: how likely each seat wins, the moves ranked with their intervals, the line it expects, and
// why. The same panel for hints at a table and for analyses.
import { advisor } from "./api.js";
import { picture, walked } from "./pictures.js";
import { pause } from "./table.js";
import { batch, html, Interval, percent, useEffect, useRef, useSignal, WinBars } from "./ui.js";
import { language, t } from "./words.js";

/** @typedef {import("./types").Analysis} Analysis */
/** @typedef {import("./types").Position} Position */
/** @typedef {import("./pictures.js").Step} Step */

// Milliseconds: until a pointer that crosses a move means it, from step to step of the line on the board, and until a line is
// told in words.
const RESTING = 120, STEP = 1200, SETTLING = 150;

/**
 * @param {{
 *   analysis: Analysis, position: Position, seat: number, names: readonly string[], pictureNames?: readonly string[], detailed?: boolean,
 *   onShow: (svg: string | null) => void, onChoose: (move: string) => void,
 * }} props
 * `seat` is to act; `onShow`: a picture instead of that of the position, or that one again.
 */
export function AnalysisPanel({ analysis, position, seat, names, pictureNames, detailed, onShow, onChoose }) {
  const labels = useSignal(/** @type {Record<string, string>} */ ({}));
  /** The move that is looked at; before anybody looks the best one is shown. */
  const open = useSignal(/** @type {string | null} */ (null));
  const steps = useSignal(/** @type {Step[]} */ ([]));
  const at = useSignal(-1);
  const resting = useRef(/** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined));
  const told = useRef("");
  const best = analysis.moves[0];
  const shown = analysis.moves.find((report) => report.move?.text === open.value) ?? best;
  const line = shown?.line.length ? shown.line : [shown?.move?.text ?? ""];
  const texts = analysis.moves.map((report) => report.move?.text ?? "");

  useEffect(() => { labels.value = {}; }, [position, language.value]);
  useEffect(() => {
    const unknown = texts.filter((text) => !(text in labels.peek()));
    if (!unknown.length) return;
    advisor.describeMoves({ observation: position, language: language.value, moves: unknown }).then((answer) => {
      labels.value = { ...labels.peek(), ...Object.fromEntries(answer.moves.map((one) => [one.move?.text, one.label])) };
    }, () => { /* the text of the moves stays */ });
  }, [texts.join("\n"), language.value]);

  // The steps of the line in words; looked at, it goes on over the board by itself.
  useEffect(() => {
    const stop = new AbortController();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    batch(() => {
      let same = true;
      const old = told.current === language.value ? steps.peek() : [];
      told.current = language.value;
      steps.value = line.map((text, place) => {
        const known = old[place];
        same &&= known?.text === text && (place > 0 || known.position === position);
        return same && known ? known : { text, label: text, position: null };
      });
      at.value = 0;
    });
    (async () => {
      await pause(SETTLING / 1000, stop.signal); // while a search goes on, lines change
      let place = 0;
      for await (const step of walked(position, line, stop.signal)) {
        const now = place++;
        steps.value = steps.peek().map((old, other) => (other === now ? step : old));
      }
    })();
    const onward = () => {
      if (open.peek() !== null && at.peek() < line.length - 1 && steps.peek()[at.peek() + 1]?.position) at.value += 1;
      timer = setTimeout(onward, STEP);
    };
    timer = setTimeout(onward, STEP);
    return () => { stop.abort(); clearTimeout(timer); };
  }, [position, line.join("\n"), open.value, language.value]);

  const step = steps.value[at.value];
  useEffect(() => {
    let gone = false;
    if (step?.position) picture(step.position, step.text, pictureNames).then((svg) => { if (!gone) onShow(svg); }, () => { /* the one before stays */ });
    return () => { gone = true; };
  }, [step?.position, step?.text]);
  useEffect(() => () => { clearTimeout(resting.current); onShow(null); }, [position]);

  const look = (/** @type {string | null} */ move, wait = RESTING) => {
    clearTimeout(resting.current);
    resting.current = setTimeout(() => { open.value = move; }, wait);
  };
  return html`<div class="analysis" onMouseLeave=${() => look(null)}>
    ${analysis.values.length > 0 && html`<${WinBars} values=${analysis.values} names=${names} ranges=${ranges(analysis, seat)} />`}
    <ol class="ranked">${analysis.moves.map((report) => {
      const text = report.move?.text ?? "";
      return html`<li key=${text} class=${shown === report ? "open" : ""} onMouseEnter=${() => look(text)}>
        <button class="report" onFocus=${() => look(text, 0)} onClick=${() => onChoose(text)}>
          <span class="what">${labels.value[text] ?? text}</span>
          <span class="win">${percent(report.winProbability)}</span>
          <${Interval} value=${report.winProbability} low=${report.low} high=${report.high} />
          ${detailed && html`<small class="numbers">${t("analysis.visits", { n: Number(report.visits) })} · ${t("analysis.prior")} ${percent(report.prior)}</small>`}
        </button></li>`;
    })}</ol>
    ${steps.value.length > 1 && html`<div class="expected" onMouseEnter=${() => clearTimeout(resting.current)}><h4>${t("analysis.line")}</h4><ol class="line">${steps.value.map((one, place) => html`<li
      aria-current=${place === at.value ? "step" : undefined}>${one.position ? html`<button class="step" onMouseEnter=${() => { at.value = place; }} onFocus=${() => { at.value = place; }}
        onClick=${() => { at.value = place; }}>${one.label}</button>` : html`<span class="step">${one.label}</span>`}</li>`)}</ol></div>`}
    ${analysis.reasons.length > 0 && html`<div class="reasons"><h4>${t("analysis.why")}</h4><ul>${analysis.reasons.map(
      (reason) => html`<li>${reason}</li>`)}</ul></div>`}
    ${detailed && analysis.seconds > 0 && html`<p class="sums">${t("analysis.sums", {
      n: Number(analysis.iterations), seconds: analysis.seconds.toFixed(1), depth: analysis.depth,
    })}</p>`}
  </div>`;
}

/**
 * The interval of each seat: that of the best move for the seat to act, and for the others what it leaves, shared as the
 * values are.
 * @param {Analysis} analysis @param {number} seat
 */
function ranges({ values, moves }, seat) {
  const best = moves[0], own = values[seat] ?? 0;
  if (best?.winProbability === undefined) return [];
  const low = Math.min(best.low, own), high = Math.max(best.high, own);
  const left = Math.max(1 - own, 1e-9);
  return values.map((value, place) => (place === seat ? { low, high } : { low: (value * (1 - high)) / left, high: Math.min((value * (1 - low)) / left, 1) }));
}
