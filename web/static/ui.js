// What every view is made of: preact with htm as `html`, signals, and small pieces that several views use.
import { h, htm, useEffect, useRef } from "./vendor/ui.js";
import { t } from "./words.js";

export { Fragment, h, render, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/ui.js";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "./vendor/ui.js";

export const html = htm.bind(h);

/** For people: 0.734 is "73 %". @param {number | undefined} value */
export function percent(value) {
  return value === undefined ? "–" : `${Math.round(value * 100)} %`;
}

/** With a sign, in percent points. @param {number} value */
export function points(value) {
  const rounded = Math.abs(value * 100).toFixed(1);
  return `${value < 0 ? "−" : "+"}${rounded}`;
}

/** The number of a seat as a badge whose color is the seat's in every view. @param {{seat: number, label?: string}} props */
export function SeatBadge({ seat, label }) {
  return html`<span class="seat seat-${seat < 0 ? "none" : seat}" aria-hidden=${label ? undefined : "true"} title=${label}>${
    seat < 0 ? "·" : seat}</span>`;
}

/** How likely each seat wins, as one bar. @param {{values: readonly number[], names: readonly string[]}} props */
export function WinBar({ values, names }) {
  const told = values.map((value, seat) => `${names[seat] ?? seat}: ${percent(value)}`).join(", ");
  return html`<div class="winbar" role="img" aria-label=${told} title=${told}>${values.map(
    (value, seat) => html`<span class="seat-fill-${seat}" style=${{ flexGrow: Math.max(value, 0.001) }}>${
      value >= 0.12 ? percent(value) : ""}</span>`)}</div>`;
}

/**
 * How likely each seat wins, with 95 % intervals: a bar for each.
 * @param {{values: readonly number[], ranges: readonly {low: number, high: number}[], names: readonly string[]}} props
 */
export function WinBars({ values, ranges, names }) {
  return html`<ol class="winbars">${values.map((value, seat) => {
    const { low, high } = ranges[seat] ?? { low: value, high: value };
    const told = `${names[seat] ?? seat}: ${percent(value)} (${percent(low)} – ${percent(high)})`;
    return html`<li title=${told}><${SeatBadge} seat=${seat} /><span class="name">${names[seat] ?? seat}</span>
      <span class="scale" role="img" aria-label=${told}><i class="seat-fill-${seat}" style=${{ width: `${value * 100}%` }}></i>
        <b style=${{ left: `${low * 100}%`, width: `${Math.max(high - low, 0.004) * 100}%` }}></b></span>
      <span class="win">${percent(value)}</span></li>`;
  })}</ol>`;
}

/** A value with its interval on a scale from 0 to 1. @param {{value?: number, low: number, high: number}} props */
export function Interval({ value, low, high }) {
  if (value === undefined) return html`<span class="interval none"></span>`;
  const left = `${low * 100}%`, width = `${Math.max(high - low, 0.004) * 100}%`;
  return html`<span class="interval" role="img" aria-label=${`${percent(value)} (${percent(low)} – ${percent(high)})`}
    title=${`${percent(low)} – ${percent(high)}`}><i style=${{ left, width }}></i><b style=${{ left: `${value * 100}%` }}></b></span>`;
}

/** What went wrong, and what to do. @param {{text: string, children?: any}} props */
export function Problem({ text, children }) {
  return html`<div class="problem" role="alert"><p>${text}</p>${children}</div>`;
}

/** @param {{text?: string}} props */
export function Waiting({ text }) {
  return html`<p class="waiting" role="status"><span class="spinner" aria-hidden="true"></span>${text ?? t("waiting")}</p>`;
}

/**
 * A question before something that cannot be taken back.
 * @param {{title: string, yes: string, onYes: () => void, onNo: () => void, children?: any}} props
 */
export function Ask({ title, yes, onYes, onNo, children }) {
  const box = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => { box.current?.showModal(); }, []);
  return html`<dialog ref=${box} class="ask" aria-labelledby="ask-title" onCancel=${onNo} onClose=${onNo}>
    <h2 id="ask-title">${title}</h2>${children}
    <div class="row end"><button class="quiet" onClick=${onNo}>${t("cancel")}</button>
    <button class="strong" onClick=${onYes}>${yes}</button></div></dialog>`;
}

/** A link to copy, or to share where the device can. @param {{url: string, label: string}} props */
export function ShareLink({ url, label }) {
  const copy = async () => {
    try { await navigator.clipboard.writeText(url); said.textContent = t("copied"); } catch { /* it can be selected by hand */ }
  };
  const said = document.getElementById("said") ?? document.createElement("p");
  return html`<label class="share"><span>${label}</span><span class="row">
    <input readonly value=${url} onFocus=${(/** @type {any} */ event) => event.target.select()} />
    <button type="button" onClick=${copy}>${t("copy")}</button></span></label>`;
}

/** Gives a file to the user. @param {string} name @param {string} text @param {string} kind */
export function save(name, text, kind) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
