// The fragment of the address says what is shown: `#/table/ID`. A server never sees it, so tokens and positions may stand in
// it; a token is taken out as soon as it is remembered.
import { signal } from "./vendor/ui.js";

/** @typedef {import("./types").Route} Route */

/** @returns {Route} */
function read() {
  const [view = "", ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decode);
  return { view: view || "play", parts };
}

/** @param {string} text */
function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

/** What is shown now. */
export const route = signal(read());

addEventListener("hashchange", () => { route.value = read(); });

/** @param {string[]} parts */
export function address(...parts) {
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Shows something else. @param {string[]} parts */
export function go(...parts) {
  location.hash = address(...parts);
}

/** The same with another address, without a step back to the one before. @param {string[]} parts */
export function become(...parts) {
  history.replaceState(null, "", address(...parts));
  route.value = read();
}

/** A whole address for others. @param {string[]} parts */
export function link(...parts) {
  return `${location.origin}${location.pathname}${address(...parts)}`;
}
