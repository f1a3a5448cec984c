// A position as a short text for a link: the bytes of its message, compressed, in letters that addresses may have.
import { gameOf, positionFromBytes, positionToBytes } from "./api.js";
import { t } from "./words.js";

/** @typedef {import("./types").Position} Position */

// Links of more bytes are no positions; unpacking them would only cost memory.
const MOST_BYTES = 1_000_000;

/** @param {Position} position */
export async function pack(position) {
  const bytes = await through(positionToBytes(position), new CompressionStream("deflate-raw"));
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text @returns {Promise<Position>} */
export async function unpack(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const position = positionFromBytes(await through(bytes, new DecompressionStream("deflate-raw")));
    if (gameOf(position)) return position;
  } catch { /* told below */ }
  throw new Error(t("error.link"));
}

/** @param {Uint8Array} bytes @param {GenericTransformStream} stream */
async function through(bytes, stream) {
  const reader = new Blob([/** @type {any} */ (bytes)]).stream().pipeThrough(/** @type {any} */ (stream)).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST_BYTES) throw new Error("too large");
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { all.set(part, at); at += part.length; }
  return all;
}
