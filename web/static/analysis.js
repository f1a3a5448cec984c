// What a bot thinks of a position: how likely each seat wins, the moves ranked with their intervals, the line it expects, and
// why. The same panel for hints at a table and for analyses.
import { advisor } from "./api.js";
import { html, Interval, percent, useEffect, useSignal, WinBar } from "./ui.js";
import { language, t } from "./words.js";

/** @typedef {import("./types").Analysis} Analysis */
/** @typedef {import("./types").Position} Position */

/**
 * @param {{
 *   analysis: Analysis, position: Position, names: readonly string[], detailed?: boolean,
 *   onLook?: (move: string | null) => void, onChoose?: (move: string) => void,
 * }} props
 */
export function AnalysisPanel({ analysis, position, names, detailed, onLook, onChoose }) {
  const labels = useSignal(/** @type {Record<string, string>} */ ({}));
  const open = useSignal(/** @type {string | null} */ (null));
  const texts = analysis.moves.map((report) => report.move?.text ?? "");
  useEffect(() => {
    const unknown = texts.filter((text) => !(text in labels.peek()));
    if (!unknown.length) return;
    advisor.describeMoves({ observation: position, language: language.value, moves: unknown }).then((answer) => {
      labels.value = { ...labels.peek(), ...Object.fromEntries(answer.moves.map((one) => [one.move?.text, one.label])) };
    }, () => { /* the text of the moves stays */ });
  }, [texts.join("\n"), language.value]);
  const look = (/** @type {string | null} */ move) => { open.value = move; onLook?.(move); };
  return html`<div class="analysis">
    ${analysis.values.length > 0 && html`<${WinBar} values=${analysis.values} names=${names} />`}
    <ol class="ranked">${analysis.moves.map((report) => {
      const text = report.move?.text ?? "";
      return html`<li key=${text} class=${open.value === text ? "open" : ""} onMouseEnter=${() => look(text)} onMouseLeave=${() => look(null)}>
        <button class="report" aria-expanded=${open.value === text} onFocus=${() => look(text)} onBlur=${() => look(null)}
          onClick=${() => onChoose?.(text)}>
          <span class="what">${labels.value[text] ?? text}</span>
          <span class="win">${percent(report.winProbability)}</span>
          <${Interval} value=${report.winProbability} low=${report.low} high=${report.high} />
          ${detailed && html`<small class="numbers">${t("analysis.visits", { n: Number(report.visits) })} · ${t("analysis.prior")} ${percent(report.prior)}</small>`}
        </button>
        ${open.value === text && report.line.length > 1 && html`<ol class="line">${report.line.map((step) => html`<li>${step}</li>`)}</ol>`}
      </li>`;
    })}</ol>
    ${analysis.reasons.length > 0 && html`<div class="reasons"><h4>${t("analysis.why")}</h4><ul>${analysis.reasons.map(
      (reason) => html`<li>${reason}</li>`)}</ul></div>`}
    ${detailed && analysis.seconds > 0 && html`<p class="sums">${t("analysis.sums", {
      n: Number(analysis.iterations), seconds: analysis.seconds.toFixed(1), depth: analysis.depth,
    })}</p>`}
  </div>`;
}
