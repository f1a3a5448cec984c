// What happened in a match, newest first, with what came since the viewer's last turn set apart. An event shows on the board
// when it is chosen.
import { html, SeatBadge, useSignal } from "./ui.js";
import { t } from "./words.js";

/** @typedef {import("./types").MatchEvent} MatchEvent */

const MOST_SHOWN = 60;

/**
 * @param {{table: import("./table.js").Table, names: readonly string[], onLook: (event: MatchEvent, label: string) => void}} props
 */
export function Log({ table, names, onLook }) {
  const all = useSignal(false);
  const events = table.events.value, me = table.seat.seat;
  const mine = events.findLastIndex((event) => event.by === me);
  const shown = (all.value ? events : events.slice(-MOST_SHOWN)).toReversed();
  return html`<section class="panel log" aria-label=${t("table.log")}><h2>${t("table.log")}</h2>
    <ol reversed>${shown.map((event) => {
      const label = told(event, table.labels.value);
      const since = me !== undefined && mine >= 0 && event.version > (events[mine]?.version ?? 0n);
      return html`<li key=${String(event.version)} class="${since ? "since" : ""} ${event.by < 0 ? "chance" : ""}">
        <button class="event" onClick=${() => onLook(event, label)}><${SeatBadge} seat=${event.by} label=${names[event.by] ?? t("table.chance")} />
        <span>${label}</span></button></li>`;
    })}</ol>
    ${!all.value && events.length > MOST_SHOWN && html`<button class="quiet" onClick=${() => { all.value = true; }}>${t("moves.more", { n: events.length - MOST_SHOWN })}</button>`}
  </section>`;
}

/** @param {MatchEvent} event @param {Record<string, string>} labels */
function told(event, labels) {
  if (event.kind.case === "undone") return t("table.undone");
  if (event.kind.case === "resigned") return t("table.resigned");
  const text = event.kind.case === "move" ? event.kind.value.text : "";
  return labels[String(event.version)] ?? (text || t("table.hidden"));
}
