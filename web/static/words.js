// The words of the page, in the language of the user: `t("moves.count", {n: 3})`. Each language is a file of its own,
// loaded when it is wanted; what the games say comes from the server in the same language.
import { recall, remember } from "./storage.js";
import { signal } from "./vendor/ui.js";

/** @type {readonly (readonly [string, string])[]} */
export const languages = [["en", "English"], ["de", "Deutsch"]];
const LOADERS = /** @type {Record<string, () => Promise<{words: Record<string, string>}>>} */ ({
  en: () => import("./words.en.js"),
  de: () => import("./words.de.js"),
});

/** @type {Record<string, string>} */
let words = {};
const wanted = recall("language", navigator.language.slice(0, 2));

/** The language that is shown. */
export const language = signal(wanted in LOADERS ? wanted : "en");

/** @param {string} code */
async function load(code) {
  words = (await /** @type {() => Promise<{words: Record<string, string>}>} */ (LOADERS[code])()).words;
}

/** Settled when there are words. */
export const wordsReady = load(language.value);

/** @param {string} code */
export async function setLanguage(code) {
  await load(code);
  remember("language", code);
  language.value = code;
}

/**
 * The words for a key. A text with `|` has a form for one and a form for several of `n`.
 * @param {string} key @param {Record<string, string | number>} [values] @returns {string}
 */
export function t(key, values = {}) {
  void language.value; // whoever shows words shows them again in another language
  const forms = (words[key] ?? key).split("|");
  const text = forms.length > 1 && values.n !== 1 ? forms[1] : forms[0];
  return (text ?? "").replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}
