// Pictures and words of positions. Each is asked for once: people look at the same moves again and again.
import { advisor } from "./api.js";
import { language } from "./words.js";

/** @typedef {import("./types").Position} Position */
/** @typedef {{text: string, label: string, position: Position | null}} Step  without a position where it is not known */

/** @type {WeakMap<Position, Map<string, Promise<any>>>} */
const kept = new WeakMap();

/** @template T @param {Position} position @param {string} key @param {() => Promise<T>} make @returns {Promise<T>} */
function once(position, key, make) {
  const known = kept.get(position) ?? new Map();
  kept.set(position, known);
  let found = known.get(key);
  if (!found) {
    found = make().catch((error) => { known.delete(key); throw error; });
    known.set(key, found);
  }
  return found;
}

/** A position as SVG, with a move marked in it. @param {Position} position @param {string} [move] @param {readonly string[]} [names] */
export function picture(position, move = "", names = []) {
  const words = language.peek();
  return once(position, `svg ${words} ${move} ${names.join("\n")}`,
    async () => (await advisor.render({ observation: position, move, names: [...names], language: words })).svg);
}

/** What a move does, in the language of the page. @param {Position} position @param {string} move */
export function wordsOf(position, move) {
  const words = language.peek();
  return once(position, `${words} ${move}`, async () => {
    const told = await advisor.describeMoves({ observation: position, language: words, moves: [move] });
    return told.moves[0]?.label ?? move;
  });
}

/** The same for many moves at once, by their text; those that nobody can tell are left out. @param {Position} position @param {readonly string[]} moves */
export async function wordsOfAll(position, moves) {
  /** @type {Record<string, string>} */
  const found = {};
  if (!moves.length) return found;
  try {
    const told = await advisor.describeMoves({ observation: position, language: language.peek(), moves: [...moves] });
    for (const one of told.moves) if (one.move) found[one.move.text] = one.label;
  } catch { /* their texts will do */ }
  return found;
}

/** The position after a move, or null where it does not follow. @param {Position} position @param {string} move @returns {Promise<Position | null>} */
function after(position, move) {
  return once(position, `after ${move}`, async () => (await advisor.applyMove({ observation: position, move })).observation ?? null).catch(() => null);
}

/**
 * A line that is expected, step by step with the positions on the way, as far as they follow from the first.
 * @param {Position} position @param {readonly string[]} line @param {AbortSignal} stop @returns {AsyncGenerator<Step>}
 */
export async function* walked(position, line, stop) {
  /** @type {Position | null} */
  let at = position;
  for (const text of line) {
    if (stop.aborted) return;
    yield { text, label: at ? await wordsOf(at, text).catch(() => text) : text, position: at };
    if (!at) continue;
    at = await after(at, text);
  }
}
