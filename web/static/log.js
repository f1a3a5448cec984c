// What happened in a match, newest first, with what came since the viewer's last turn set apart. An event shows on the board
// when it is chosen.
import { html, SeatBadge, useSignal } from "./ui.js";
import { t } from "./words.js";

/** @typedef {import("./types").MatchEvent} MatchEvent */

const MOST_SHOWN = 60;

/**
 * @param {{table: import("./table.js").Table, names: readonly string[], onLook: (event: MatchEvent) => void}} props
 */
export function Log({ table, names, onLook }) {
  const all = useSignal(false);
  const events = table.events.value, me = table.seat.seat;
  const since = me === undefined ? null : sinceTurn(events, me);
  const shown = (all.value ? events : events.slice(-MOST_SHOWN)).toReversed();
  return html`<section class="panel log" aria-label=${t("table.log")}><div class="row head"><h2>${t("table.log")}</h2>
    ${since && html`<button class="quiet" onClick=${() => { const first = events[since.from]; if (first) onLook(first); }}>${t("table.since", { n: since.to - since.from })}</button>`}</div>
    <ol reversed>${shown.map((event) => {
      const label = told(event, table.labels.value);
      const place = events.indexOf(event), fresh = since && place >= since.from && place < since.to;
      return html`<li key=${String(event.version)} class="${fresh ? "since" : ""} ${event.by < 0 ? "chance" : ""}">
        <button class="event" onClick=${() => onLook(event)}><${SeatBadge} seat=${event.by} label=${names[event.by] ?? t("table.chance")} />
        <span>${label}</span></button></li>`;
    })}</ol>
    ${!all.value && events.length > MOST_SHOWN && html`<button class="quiet" onClick=${() => { all.value = true; }}>${t("table.earlier", { n: events.length - MOST_SHOWN })}</button>`}
  </section>`;
}

/**
 * What happened between the viewer's last turn and this one, as places among the events; it stays until others act again.
 * @param {readonly MatchEvent[]} events @param {number} me
 */
function sinceTurn(events, me) {
  const last = events.findLastIndex((event) => event.by >= 0 && event.by !== me);
  const before = events.slice(0, last + 1).findLastIndex((event) => event.by === me);
  if (last < 0 || before < 0) return null;
  const next = events.findIndex((event, place) => place > last && event.by === me);
  return { from: before + 1, to: next < 0 ? events.length : next };
}

/** What is said of an event. @param {MatchEvent} event @param {Record<string, string>} labels */
export function told(event, labels) {
  if (event.kind.case === "undone") return t("table.undone");
  if (event.kind.case === "resigned") return t("table.resigned");
  const text = event.kind.case === "move" ? event.kind.value.text : "";
  return labels[String(event.version)] ?? (text || t("table.hidden"));
}
