// Graphs as SVG of the page itself, so that they follow its colors and can be saved with it.
import { html, percent, points } from "./ui.js";
import { t } from "./words.js";

// Narrow screens get a narrower graph, whose words and lines stay as large.
const NARROW = matchMedia("(max-width: 760px)");
const width = () => (NARROW.matches ? 440 : 900);

/**
 * How likely each seat was to win, over the moves of a game.
 * @param {{points: readonly {number: number, values: readonly number[]}[], names: readonly string[], last: number, at?: number, onJump?: (number: number) => void}} props
 */
export function WinChart({ points: all, names, last, at, onJump }) {
  const WIDTH = width(), height = 240, top = 10, bottom = 22, left = 40;
  const x = (/** @type {number} */ number) => left + ((WIDTH - left - 8) * number) / Math.max(last, 1);
  const y = (/** @type {number} */ value) => top + (height - top - bottom) * (1 - value);
  const seats = all[0]?.values.length ?? 0;
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} ${height}`} role="img" aria-label=${t("review.graph")}>
    ${[0, 0.25, 0.5, 0.75, 1].map((value) => html`<g><line class="axis" x1=${left} x2=${WIDTH - 8} y1=${y(value)} y2=${y(value)} />
      <text x=${left - 6} y=${y(value) + 4} text-anchor="end">${percent(value)}</text></g>`)}
    ${ticks(last, WIDTH / 75).map((number) => html`<text x=${x(number)} y=${height - 6} text-anchor="middle">${number}</text>`)}
    ${Array.from({ length: seats }, (_, seat) => html`<polyline class="curve stroke-${seat}"
      points=${all.map((one) => `${x(one.number).toFixed(1)},${y(one.values[seat] ?? 0).toFixed(1)}`).join(" ")}><title>${names[seat]}</title></polyline>`)}
    ${at !== undefined && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${top} y2=${height - bottom} />`}
    ${onJump && all.map((one, place) => {
      const from = x(one.number), to = x(all[place + 1]?.number ?? last);
      return html`<rect class="hit" x=${from} y=${top} width=${Math.max(to - from, 1)} height=${height - top - bottom} onClick=${() => onJump(one.number)}>
        <title>${`${one.number}: ${one.values.map((value, seat) => `${names[seat] ?? seat} ${percent(value)}`).join(", ")}`}</title></rect>`;
    })}</svg>`;
}

/**
 * For one seat, turn by turn: what its decisions lost beside what luck brought.
 * @param {{turns: readonly {turn: number, number: number, loss: number, luck: number}[], onJump?: (number: number) => void}} props
 */
export function BalanceChart({ turns, onJump }) {
  const WIDTH = width(), height = 170, left = 40, bottom = 18;
  const most = Math.max(0.05, ...turns.map((one) => Math.max(one.loss, Math.abs(one.luck))));
  const zero = (height - bottom) / 2, scale = (zero - 6) / most;
  const step = (WIDTH - left - 8) / Math.max(turns.length, 1), bar = Math.min(step * 0.42, 16);
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} ${height}`} role="img" aria-label=${t("review.balance")}>
    ${[most, 0, -most].map((value) => html`<g><line class="axis" x1=${left} x2=${WIDTH - 8} y1=${zero - value * scale} y2=${zero - value * scale} />
      <text x=${left - 6} y=${zero - value * scale + 4} text-anchor="end">${value === 0 ? "0" : points(value)}</text></g>`)}
    ${turns.map((one, place) => {
      const middle = left + step * (place + 0.5), luck = Math.abs(one.luck) * scale;
      return html`<g>
        <rect class="bar-loss" x=${middle - bar - 0.5} y=${zero} width=${bar} height=${one.loss * scale} />
        <rect class=${one.luck < 0 ? "bar-bad" : "bar-luck"} x=${middle + 0.5} y=${one.luck < 0 ? zero : zero - luck} width=${bar} height=${luck} />
        ${place % Math.ceil(turns.length / 20) === 0 && html`<text x=${middle} y=${height - 4} text-anchor="middle">${one.turn}</text>`}
        ${onJump && html`<rect class="hit" x=${middle - step / 2} y="0" width=${step} height=${height - bottom} onClick=${() => onJump(one.number)}>
          <title>${t("review.turn", { n: one.turn, loss: points(-one.loss), luck: points(one.luck) })}</title></rect>`}</g>`;
    })}</svg>`;
}

/** Round numbers along an axis. @param {number} last @param {number} most */
function ticks(last, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => last / one <= most) ?? 5000;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, place) => place * step);
}
