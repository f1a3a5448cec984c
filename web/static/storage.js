// What the browser remembers between visits: settings, and the tables with the tokens of one's seats.
import { signal } from "./vendor/ui.js";

/** @typedef {import("./types").Seat} Seat */

const PREFIX = "pythia.";
// More tables than this are forgotten, oldest first.
const MOST = 50;

/** @template T @param {string} name @param {T} otherwise @returns {T} */
export function recall(name, otherwise) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/** Whether it worked: private windows may refuse. @param {string} name @param {unknown} value */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** @param {string} name */
export function forget(name) {
  try { localStorage.removeItem(PREFIX + name); } catch { /* nothing was remembered then */ }
}

/** My tables by id. */
export const tables = signal(/** @type {Record<string, Seat>} */ (recall("tables", {})));

addEventListener("storage", (event) => {
  if (event.key === `${PREFIX}tables`) tables.value = recall("tables", {});
});

/** @param {Seat} seat */
export function keepTable(seat) {
  const all = { ...recall("tables", tables.peek()), [seat.id]: seat };
  // Tables that one only watched go first: a forgotten token is a lost seat.
  const held = (/** @type {Seat} */ one) => Number(Boolean(one.token || one.owner));
  const kept = Object.values(all).sort((a, b) => held(b) - held(a) || b.at - a.at).slice(0, MOST);
  tables.value = Object.fromEntries(kept.map((one) => [one.id, one]));
  return remember("tables", tables.value);
}

/** @param {string} id */
export function forgetTable(id) {
  const { [id]: _, ...rest } = recall("tables", tables.peek());
  tables.value = rest;
  remember("tables", rest);
}
