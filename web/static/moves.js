// The panel of moves: those that fit the pieces picked on the board and the words typed, and the one chosen with what it
// costs, risks and brings before it is played. All of it works by keyboard.
import { filtered, matching, pick, pointable } from "./choose.js";
import { html, useEffect, useLayoutEffect, useMemo, useRef, useSignal } from "./ui.js";
import { t } from "./words.js";

/** @typedef {import("./types").MoveDescription} MoveDescription */

const MOST_SHOWN = 80;
const NONE = /** @type {ReadonlySet<string>} */ (new Set());

/**
 * What is picked among moves, and what that leaves.
 * @param {readonly MoveDescription[]} moves
 */
export function useChoice(moves) {
  const picked = useSignal(/** @type {readonly string[]} */ ([]));
  const chosen = useSignal(/** @type {MoveDescription | null} */ (null));
  const typed = useSignal("");
  useEffect(() => { picked.value = []; chosen.value = null; typed.value = ""; }, [moves]);
  const left = useMemo(() => filtered(matching(moves, picked.value), typed.value), [moves, picked.value, typed.value]);
  const { live, near } = useMemo(() => {
    if (chosen.value) return { live: new Set(chosen.value.parts.map((part) => part.key)), near: NONE };
    const { first, further } = pointable(left, picked.value);
    return picked.value.length ? { live: new Set([...first, ...further]), near: NONE } : { live: first, near: further };
  }, [left, picked.value, chosen.value]);
  const clear = () => { picked.value = []; chosen.value = null; typed.value = ""; };
  const onPick = (/** @type {string} */ key) => {
    const from = chosen.value ? [] : picked.value;
    const next = pick(moves, from, key);
    if (next === from) return;
    picked.value = next;
    typed.value = "";
    const remaining = matching(moves, next);
    chosen.value = next.length && remaining.length === 1 ? remaining[0] ?? null : null;
  };
  return { picked, chosen, typed, left, live, near, clear, onPick };
}

/**
 * @param {{
 *   moves: readonly MoveDescription[], choice: ReturnType<typeof useChoice>, busy: boolean,
 *   onPlay: (move: MoveDescription) => void, onLook?: (move: MoveDescription | null) => void,
 * }} props
 */
export function MovePanel({ moves, choice, busy, onPlay, onLook }) {
  const { picked, chosen, typed, left, clear } = choice;
  const at = useSignal(0);
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const confirm = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const filter = useRef(/** @type {HTMLInputElement | null} */ (null));
  const escaped = useRef(false);
  useEffect(() => { at.value = 0; }, [left]);
  useEffect(() => { onLook?.(chosen.value); }, [chosen.value]);
  // With the change on screen, not a moment later: the next key is for what is seen.
  useLayoutEffect(() => {
    if (chosen.value) confirm.current?.focus({ preventScroll: true });
    else if (escaped.current) filter.current?.focus({ preventScroll: true });
    escaped.current = false;
  }, [chosen.value]);

  if (chosen.value) {
    const move = chosen.value;
    const keydown = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape") return;
      escaped.current = true;
      clear();
    };
    return html`<div class="confirm" role="group" aria-label=${t("confirm")} onKeyDown=${keydown}>
      <h3>${move.label}</h3>
      <${Facts} move=${move} />
      <div class="row"><button class="strong" ref=${confirm} disabled=${busy} onClick=${() => onPlay(move)}>${t("confirm.play")}</button>
      <button class="quiet" onClick=${clear}>${t("confirm.back")}</button></div></div>`;
  }

  const shown = left.slice(0, MOST_SHOWN);
  const look = (/** @type {number} */ next) => {
    at.value = Math.min(Math.max(next, 0), shown.length - 1);
    list.current?.children[at.value]?.scrollIntoView({ block: "nearest" });
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown") look(at.value + 1);
    else if (event.key === "ArrowUp") look(at.value - 1);
    else if (event.key === "Home") look(0);
    else if (event.key === "End") look(shown.length - 1);
    else if (event.key === "Escape") clear();
    else if (event.key === "Enter" && shown[at.value]) chosen.value = shown[at.value] ?? null;
    else return;
    event.preventDefault();
  };
  const parts = picked.value.map((key) => moves.flatMap((move) => move.parts).find((part) => part.key === key)?.label ?? key);
  return html`<div class="moves ${parts.length ? "picking" : ""}" onKeyDown=${keydown}>
    <div class="row find">
      <input class="filter" type="search" ref=${filter} placeholder=${t("moves.filter")} aria-label=${t("moves.filter")} value=${typed.value}
        aria-controls="move-list" onInput=${(/** @type {any} */ event) => { typed.value = event.target.value; }} />
      <span class="count" role="status">${t("moves.count", { n: left.length })}</span>
    </div>
    ${parts.length > 0 && html`<div class="chips">${parts.map((label, place) => html`<button class="chip"
      onClick=${() => { picked.value = picked.value.filter((_, other) => other !== place); }} aria-label=${t("moves.unpick", { label })}>${label} ×</button>`)}</div>`}
    <ul id="move-list" class="list" ref=${list} aria-label=${t("moves")}>${shown.map((move, place) => html`<li key=${move.move?.text}>
      <button class="move ${place === at.value ? "at" : ""}" onClick=${() => { chosen.value = move; }}>
        <span>${move.label}</span><small>${[move.price, move.odds, move.gains].filter(Boolean).join(" · ")}</small></button></li>`)}</ul>
    ${left.length > MOST_SHOWN && html`<p class="more">${t("moves.more", { n: left.length - MOST_SHOWN })}</p>`}
  </div>`;
}

/** What a move costs, risks and brings. @param {{move: MoveDescription}} props */
export function Facts({ move }) {
  const facts = /** @type {const} */ ([["price", move.price], ["odds", move.odds], ["gains", move.gains]]);
  const parts = move.parts.filter((part) => part.label).map((part) => part.label);
  return html`<dl class="facts">${parts.length > 0 && html`<div><dt>${t("fact.parts")}</dt><dd>${parts.join(", ")}</dd></div>`}
    ${facts.map(([name, text]) => text && html`<div class="fact-${name}"><dt>${t(`fact.${name}`)}</dt><dd>${text}</dd></div>`)}</dl>`;
}
