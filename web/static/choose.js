// Choosing a move by pointing at pieces. Knows no game: moves come with the pieces that they use, each with a key that the
// picture has too. No part of this touches the document, so it can be tested by itself.

/** @typedef {import("./types").MoveDescription} MoveDescription */

/** The keys of the pieces that a move uses. @param {MoveDescription} move */
export function keysOf(move) {
  return move.parts.map((part) => part.key).filter((key) => key !== "");
}

/** The moves that use every picked piece. @param {readonly MoveDescription[]} moves @param {readonly string[]} picked */
export function matching(moves, picked) {
  if (picked.length === 0) return [...moves];
  return moves.filter((move) => {
    const keys = new Set(keysOf(move));
    return picked.every((key) => keys.has(key));
  });
}

/**
 * The pieces that can be pointed at next: those that some of the moves use and that would make them fewer, or that all of
 * them need. Before the first pick these are the pieces that act, and where the moves go is told apart. Choices that a move
 * begins with may be made in any order.
 * @param {readonly MoveDescription[]} moves @param {readonly string[]} picked
 */
export function pointable(moves, picked) {
  const left = matching(moves, picked);
  const done = new Set(picked);
  /** @type {Set<string>} */
  const first = new Set();
  /** @type {Set<string>} */
  const further = new Set();
  for (const move of left) {
    const parts = move.parts.filter((part) => part.key !== "" && !done.has(part.key));
    const other = parts.findIndex((part) => part.role !== "choice");
    const begun = Math.max(1, other < 0 ? parts.length : other);
    parts.forEach((part, place) => (place < begun ? first : further).add(part.key));
  }
  for (const key of first) further.delete(key);
  return { first, further };
}

/**
 * What a click on a piece does: the pieces picked afterwards. A second click on a picked piece takes it back; a piece that
 * does not go with those picked before begins anew; one that no move uses changes nothing.
 * @param {readonly MoveDescription[]} moves @param {readonly string[]} picked @param {string} key
 * @returns {readonly string[]}
 */
export function pick(moves, picked, key) {
  if (picked.includes(key)) return picked.filter((other) => other !== key);
  if (matching(moves, [...picked, key]).length > 0) return [...picked, key];
  return matching(moves, [key]).length > 0 ? [key] : picked;
}

/** Words without accents and in small letters, for comparing. @param {string} text */
function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The moves that have every typed word in their label, text or parts. @param {readonly MoveDescription[]} moves @param {string} typed */
export function filtered(moves, typed) {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...moves];
  return moves.filter((move) => {
    const text = plain([move.label, move.move?.text ?? "", ...move.parts.map((part) => part.label)].join(" "));
    return words.every((word) => text.includes(word));
  });
}
