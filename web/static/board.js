// The picture of a position. It is patched in place when the position changes; pieces that moved glide, pieces that changed
// flash, both unless the user wants no motion. Pieces are found by `data-key`, what they are by `data-about`.
import { Idiomorph } from "./vendor/morph.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "./ui.js";
import { descriptions } from "./catalog.js";
import { language, t } from "./words.js";

const NS = "http://www.w3.org/2000/svg";
const NARROW = matchMedia("(max-width: 760px)");
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_ZOOM = 8;
// Pieces that glide at most; a picture that changes altogether should not.
const MOST_GLIDING = 40;

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/**
 * @param {{
 *   svg: string, game: string, seat?: number, live?: ReadonlySet<string>, near?: ReadonlySet<string>,
 *   picked?: readonly string[], onPick?: (key: string) => void, label?: string, whole?: boolean, still?: boolean,
 * }} props
 * `live` can be clicked and lights up, `near` can be clicked too; `whole`: one picture also where it is narrow.
 */
export function Board({ svg, game, seat = -1, live, near, picked = [], onPick, label, whole, still }) {
  const holder = useRef(/** @type {HTMLDivElement | null} */ (null));
  const view = useRef(/** @type {Picture | null} */ (null));
  const tip = useSignal(/** @type {{title: string, note: string, text: string, x: number, y: number, below: boolean} | null} */ (null));
  const zoomed = useSignal(false);

  useLayoutEffect(() => {
    const picture = new Picture(/** @type {HTMLDivElement} */ (holder.current), (on) => { zoomed.value = on; });
    view.current = picture;
    return () => picture.close();
  }, []);
  useLayoutEffect(() => {
    const draw = () => view.current?.draw(svg, { seat, parted: NARROW.matches && !whole, still: !!still });
    draw();
    NARROW.addEventListener("change", draw);
    return () => NARROW.removeEventListener("change", draw);
  }, [svg, seat, whole]);
  useLayoutEffect(() => { view.current?.mark(live, near, picked); }, [svg, live, near, picked]);

  /** @param {EventTarget | null} from @returns {Element | null} */
  const piece = (from) => {
    for (let at = from instanceof Element ? from.closest("[data-key]") : null; at; at = at.parentElement?.closest("[data-key]") ?? null) {
      const key = at.getAttribute("data-key") ?? "";
      if (live?.has(key) || near?.has(key) || picked.includes(key)) return at;
    }
    return null;
  };
  const click = (/** @type {MouseEvent} */ event) => {
    if (view.current?.dragged) return;
    const found = piece(event.target);
    if (found && onPick) onPick(found.getAttribute("data-key") ?? "");
  };
  const keydown = (/** @type {KeyboardEvent} */ event) => {
    const found = piece(event.target);
    if (found && onPick && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      event.stopPropagation();
      onPick(found.getAttribute("data-key") ?? "");
    } else if (event.key === "+" || event.key === "=") view.current?.zoom(1.3);
    else if (event.key === "-") view.current?.zoom(1 / 1.3);
    else if (event.key === "0") view.current?.reset();
  };

  // What a piece is, when the pointer rests on it.
  useEffect(() => {
    const element = /** @type {HTMLDivElement} */ (holder.current);
    const leave = (/** @type {PointerEvent} */ event) => { if (event.pointerType === "mouse") out(); };
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let now = /** @type {Element | null} */ (null);
    const over = (/** @type {Event} */ event) => {
      const found = event.target instanceof Element ? event.target.closest("g:has(> desc), [data-about]") : null;
      const touched = event instanceof PointerEvent && event.pointerType !== "mouse";
      if (found === now || (touched && found?.closest("[data-state]"))) return;
      now = found;
      clearTimeout(timer);
      tip.value = null;
      if (!found) return;
      timer = setTimeout(async () => {
        const about = (await descriptions(game)).get(found.getAttribute("data-about") ?? "");
        const called = found.querySelector(":scope > desc")?.textContent ?? "";
        if (now !== found || !found.isConnected || !(about || called)) return;
        const box = found.getBoundingClientRect(), below = box.top < 170;
        const x = Math.min(Math.max(box.left + box.width / 2, 150), innerWidth - 150);
        const note = about ? called.replaceAll("_", " ") : "";
        tip.value = { title: about?.title ?? called, note, text: about?.text ?? "", x, y: below ? box.bottom : box.top, below };
        if (touched) timer = setTimeout(out, 5000);
      }, event.type === "focusin" || touched ? 0 : 300);
    };
    const out = () => { now = null; clearTimeout(timer); tip.value = null; };
    element.addEventListener("pointerover", over);
    element.addEventListener("focusin", over);
    element.addEventListener("pointerleave", leave);
    element.addEventListener("focusout", out);
    return () => {
      clearTimeout(timer);
      element.removeEventListener("pointerover", over);
      element.removeEventListener("focusin", over);
      element.removeEventListener("pointerleave", leave);
      element.removeEventListener("focusout", out);
    };
  }, [game, language.value]);

  return html`<section class="board" aria-label=${label ?? t("board")} onKeyDown=${keydown}>
    <div class="picture" ref=${holder} onClick=${click}></div>
    <div class="zoom" role="group" aria-label=${t("zoom")}>
      <button class="icon" onClick=${() => view.current?.zoom(1.4)} aria-label=${t("zoom.in")} title=${t("zoom.in")}>+</button>
      <button class="icon" onClick=${() => view.current?.zoom(1 / 1.4)} aria-label=${t("zoom.out")} title=${t("zoom.out")}>−</button>
      ${zoomed.value && html`<button class="icon" onClick=${() => view.current?.reset()} aria-label=${t("zoom.all")} title=${t("zoom.all")}>⤢</button>`}
    </div>
    ${tip.value && html`<div class="tip ${tip.value.below ? "below" : ""}" role="tooltip" style=${{ left: `${tip.value.x}px`, top: `${tip.value.y}px` }}>
      <b>${tip.value.title}</b> ${tip.value.text}${tip.value.note && html`<small>${tip.value.note}</small>`}</div>`}
  </section>`;
}

/** The picture in the document: one SVG, or on a narrow screen one for each of its parts, below each other. */
export class Picture {
  /** @param {HTMLElement} holder @param {(zoomed: boolean) => void} onZoom */
  constructor(holder, onZoom) {
    this.holder = holder;
    this.onZoom = onZoom;
    this.dragged = false;
    this.parted = false;
    /** @type {Box | null} what is seen of the main picture, and all of it */
    this.seen = null;
    /** @type {Box | null} */
    this.all = null;
    /** @type {Map<number, PointerEvent>} */
    this.fingers = new Map();
    this.stop = new AbortController();
    const options = { signal: this.stop.signal };
    holder.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    holder.addEventListener("pointerdown", (event) => this.down(event), options);
    holder.addEventListener("pointermove", (event) => this.move(event), options);
    for (const kind of /** @type {const} */ (["pointerup", "pointercancel", "pointerleave"])) {
      holder.addEventListener(kind, (event) => this.fingers.delete(event.pointerId), options);
    }
    holder.addEventListener("dblclick", () => this.reset(), options);
  }

  close() { this.stop.abort(); }

  /** The picture that zooms: the whole, or the board. */
  get main() { return /** @type {SVGSVGElement | null} */ (this.holder.querySelector("svg")); }

  /** @param {string} text @param {{seat: number, parted: boolean, still: boolean}} how */
  draw(text, { seat, parted, still }) {
    if (!text) { this.holder.replaceChildren(); return; }
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (parsed.nodeName !== "svg") return;
    const fresh = /** @type {SVGSVGElement} */ (/** @type {unknown} */ (document.importNode(parsed, true)));
    clean(fresh);
    const wanted = parted ? parts(fresh, seat) : [fresh];
    const shown = [...this.holder.children];
    const same = this.parted === parted && shown.length === wanted.length;
    const before = same && !still && !STILL.matches ? places(this.holder) : null;
    if (same) {
      wanted.forEach((one, place) => patch(shown[place], one));
    } else {
      this.holder.replaceChildren(...wanted);
      this.seen = this.all = null;
    }
    this.holder.classList.toggle("parted", parted);
    this.parted = parted;
    if (parted) for (const one of this.holder.children) frame(/** @type {SVGSVGElement} */ (one));
    const main = this.main;
    if (main) {
      const whole = main.viewBox.baseVal;
      const box = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
      const changed = !this.all || box.width !== this.all.width || box.height !== this.all.height;
      this.all = box;
      if (changed || !this.seen) this.seen = { ...box };
      this.look();
    }
    if (before) animate(this.holder, before);
  }

  /** @param {ReadonlySet<string> | undefined} live @param {ReadonlySet<string> | undefined} near @param {readonly string[]} picked */
  mark(live, near, picked) {
    this.holder.classList.toggle("choosing", picked.length > 0);
    for (const element of this.holder.querySelectorAll("[data-key]")) {
      const key = element.getAttribute("data-key") ?? "";
      const state = picked.includes(key) ? "picked" : live?.has(key) ? "live" : near?.has(key) ? "near" : null;
      const shape = element.querySelector("polygon, circle, rect, path, ellipse");
      if (state && state !== "near") shape?.setAttribute("data-ring", state);
      else shape?.removeAttribute("data-ring");
      if (state) {
        element.setAttribute("data-state", state);
        element.setAttribute("tabindex", "0");
        element.setAttribute("role", "button");
        element.setAttribute("aria-pressed", String(state === "picked"));
        if (!element.hasAttribute("aria-label")) {
          // What it is called, and what is written on it, by which people who speak to their browser call it.
          const written = [...element.querySelectorAll("text")].map((one) => one.textContent).join("");
          element.setAttribute("aria-label", `${element.querySelector("desc")?.textContent ?? key} ${written}`.trim());
        }
      } else if (element.hasAttribute("data-state")) {
        for (const name of ["data-state", "tabindex", "role", "aria-pressed", "aria-label"]) element.removeAttribute(name);
      }
    }
  }

  // -- zoom and pan, by what of the picture is seen

  look() {
    const { main, seen, all } = this;
    if (!main || !seen || !all) return;
    main.setAttribute("viewBox", `${seen.x} ${seen.y} ${seen.width} ${seen.height}`);
    main.style.aspectRatio = this.parted ? `${all.width} / ${all.height}` : "";
    const zoomed = seen.width < all.width * 0.999;
    this.holder.classList.toggle("zoomed", zoomed);
    this.onZoom(zoomed);
  }

  reset() {
    if (this.all) this.seen = { ...this.all };
    this.look();
  }

  /** @param {number} factor @param {number} [clientX] @param {number} [clientY] */
  zoom(factor, clientX, clientY) {
    const { main, seen, all } = this;
    if (!main || !seen || !all) return;
    const box = main.getBoundingClientRect();
    const width = Math.min(Math.max(seen.width / factor, all.width / MOST_ZOOM), all.width);
    const height = width * (all.height / all.width);
    const at = this.point(clientX ?? box.left + box.width / 2, clientY ?? box.top + box.height / 2);
    const fx = (at.x - seen.x) / seen.width, fy = (at.y - seen.y) / seen.height;
    this.show({ x: at.x - fx * width, y: at.y - fy * height, width, height });
  }

  /** @param {Box} box */
  show(box) {
    const all = /** @type {Box} */ (this.all);
    box.x = Math.min(Math.max(box.x, all.x), all.x + all.width - box.width);
    box.y = Math.min(Math.max(box.y, all.y), all.y + all.height - box.height);
    this.seen = box;
    this.look();
  }

  /** A place on the screen as a place in the picture. @param {number} clientX @param {number} clientY */
  point(clientX, clientY) {
    const matrix = this.main?.getScreenCTM();
    return new DOMPoint(clientX, clientY).matrixTransform(matrix ? matrix.inverse() : undefined);
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    if (!(event.target instanceof Element) || !this.main?.contains(event.target)) return;
    if (this.parted && !event.ctrlKey) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY * 0.002), event.clientX, event.clientY);
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.dragged = false;
    if (event.target instanceof Element && this.main?.contains(event.target)) this.fingers.set(event.pointerId, event);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const last = this.fingers.get(event.pointerId);
    if (!last || !this.seen || !this.all) return;
    const others = [...this.fingers.entries()].filter(([id]) => id !== event.pointerId).map(([, finger]) => finger);
    const other = others[0];
    if (other) {
      const apart = (/** @type {PointerEvent} */ one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      this.dragged = true;
      this.zoom(apart(event) / Math.max(apart(last), 1), (event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
      this.fingers.set(event.pointerId, event);
    } else if (this.seen.width < this.all.width) {
      if (!this.dragged && Math.hypot(event.clientX - last.clientX, event.clientY - last.clientY) < 6) return;
      const from = this.point(last.clientX, last.clientY), to = this.point(event.clientX, event.clientY);
      this.dragged = true;
      this.show({ ...this.seen, x: this.seen.x + from.x - to.x, y: this.seen.y + from.y - to.y });
      this.fingers.set(event.pointerId, event);
    }
  }
}

/** Nothing in a picture may act by itself; what pieces are called is shown by the page, and not by the browser as well. @param {Element} svg */
function clean(svg) {
  const title = svg.querySelector(":scope > title");
  svg.setAttribute("role", "group");
  svg.setAttribute("preserveAspectRatio", "xMidYMin meet");
  svg.setAttribute("aria-label", title?.textContent ?? "");
  title?.remove();
  for (const old of svg.querySelectorAll("title")) {
    const told = document.createElementNS(NS, "desc");
    told.textContent = old.textContent;
    old.replaceWith(told);
  }
  for (const element of svg.querySelectorAll("script, foreignObject, a, use, image, iframe, style")) element.remove();
  for (const element of [svg, ...svg.querySelectorAll("*")]) {
    // Classes of pictures are their own; the page has other meanings for words like "row" and "card".
    if (element.hasAttribute("class")) element.setAttribute("class", [...element.classList].map((name) => `p-${name}`).join(" "));
    for (const { name } of [...element.attributes]) {
      if (/^on/i.test(name) || /href$/i.test(name)) element.removeAttribute(name);
    }
  }
}

/** @param {Element | undefined} old @param {Element} fresh */
function patch(old, fresh) {
  if (old) Idiomorph.morph(old, fresh, { morphStyle: "outerHTML", ignoreActive: false });
}

/**
 * Each part of a picture by itself: the board, what the viewer has, then the others as they come. Parts are the groups at the
 * top; a group of the class `player` belongs to the seat that it names.
 * @param {SVGSVGElement} whole @param {number} seat
 */
function parts(whole, seat) {
  const groups = [...whole.children].filter((child) => child.nodeName === "g" && child.getAttribute("class"));
  /** @param {Element} group */
  const order = (group) => {
    if (group.classList.contains("p-board")) return 0;
    if (group.classList.contains("p-player")) return group.getAttribute("data-seat") === String(seat) ? 1 : 3;
    return group.classList.contains("p-legend") ? 4 : 2;
  };
  if (!groups.some((group) => order(group) === 0)) return [whole];
  const title = whole.getAttribute("aria-label") ?? "";
  return groups.sort((a, b) => order(a) - order(b)).map((group, place) => {
    const one = document.createElementNS(NS, "svg");
    for (const name of ["font-family", "class"]) one.setAttribute(name, whole.getAttribute(name) ?? "");
    one.setAttribute("role", "group");
    one.setAttribute("aria-label", place === 0 ? title : (group.getAttribute("class") ?? "").replaceAll("p-", ""));
    one.append(group);
    return one;
  });
}

/** Shows all of a part. @param {SVGSVGElement} svg */
function frame(svg) {
  const group = /** @type {SVGGElement | null} */ (svg.querySelector(":scope > g"));
  if (!group) return;
  const box = group.getBBox(), matrix = group.transform.baseVal.consolidate()?.matrix;
  const scaleX = matrix?.a ?? 1, scaleY = matrix?.d ?? 1;
  const x = box.x * scaleX + (matrix?.e ?? 0), y = box.y * scaleY + (matrix?.f ?? 0);
  svg.setAttribute("viewBox", `${x - 2} ${y - 2} ${box.width * scaleX + 4} ${box.height * scaleY + 4}`);
}

/** @param {Element} holder */
function places(holder) {
  /** @type {Map<string, {x: number, y: number, look: string}>} */
  const found = new Map();
  for (const element of holder.querySelectorAll("[data-key]")) {
    const key = element.getAttribute("data-key") ?? "";
    if (found.has(key)) continue;
    const box = element.getBoundingClientRect();
    found.set(key, { x: box.left + box.width / 2, y: box.top + box.height / 2, look: looks(element) });
  }
  return found;
}

/** What a piece looks like, without where it stands. @param {Element} element */
function looks(element) {
  return element.getAttributeNames().filter((name) => /^data-(?!state|key|about|q$|r$)/.test(name))
    .map((name) => `${name}=${element.getAttribute(name)}`).join(" ") + element.textContent;
}

/** @param {Element} holder @param {ReturnType<typeof places>} before */
function animate(holder, before) {
  const moved = [];
  for (const [key, old] of before) {
    const element = holder.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!element) continue;
    const box = element.getBoundingClientRect();
    const dx = old.x - (box.left + box.width / 2), dy = old.y - (box.top + box.height / 2);
    if (Math.hypot(dx, dy) > 3) moved.push({ element, dx, dy });
    else if (looks(element) !== old.look) {
      element.animate([{ opacity: 0.15 }, { opacity: 1 }], { duration: 500, easing: "ease-out" });
    }
  }
  if (moved.length > MOST_GLIDING) return;
  for (const { element, dx, dy } of moved) {
    const matrix = /** @type {SVGGElement} */ (element).getScreenCTM();
    if (!matrix) continue;
    const x = dx / matrix.a, y = dy / matrix.d;
    element.animate(
      [{ transform: `translate(${x}px, ${y}px)` }, { transform: "translate(0px, 0px)" }],
      { duration: 600, easing: "cubic-bezier(.3,.1,.2,1)", composite: "add" },
    );
  }
}
