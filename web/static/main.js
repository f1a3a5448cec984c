// The page: waits for the contract, then shows what the address says. Views but the first are loaded when they are asked for.
import { connect, isCode, Code, engine, sentence, setAccess } from "./api.js";
import { loadCatalog } from "./catalog.js";
import { route } from "./router.js";
import { recall, remember } from "./storage.js";
import { effect, html, Problem, render, signal, useSignal, Waiting } from "./ui.js";
import { language, languages, setLanguage, t, wordsReady } from "./words.js";

const VIEWS = {
  play: () => import("./views/play.js"),
  table: () => import("./views/table.js"),
  analyse: () => import("./views/analyse.js"),
  review: () => import("./views/review.js"),
  watch: () => import("./views/watch.js"),
};
/** @typedef {keyof typeof VIEWS} ViewName */

const THEMES = ["auto", "light", "dark"];
const theme = signal(recall("theme", "auto"));
effect(() => {
  document.documentElement.dataset.theme = theme.value;
  remember("theme", theme.value);
});
effect(() => { document.documentElement.lang = language.value; });

/** The views that are loaded, and what went wrong with one. */
const loaded = signal(/** @type {Record<string, any>} */ ({}));
const problem = signal(/** @type {unknown} */ (null));

effect(() => {
  const name = Object.hasOwn(VIEWS, route.value.view) ? /** @type {ViewName} */ (route.value.view) : "play";
  if (loaded.peek()[name]) return;
  VIEWS[name]().then(
    (module) => { loaded.value = { ...loaded.peek(), [name]: module.View }; },
    () => { problem.value = new Error(t("error.reload")); },
  );
});

function Header() {
  const here = route.value.view === "table" ? "play" : route.value.view;
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "auto";
  return html`<header class="top">
    <a class="brand" href="#/" aria-label="Pythia"><img src=${new URL("icon.svg", import.meta.url).href} alt="" width="26" height="26" /><span>Pythia</span></a>
    <nav aria-label=${t("nav")}>${["play", "analyse", "review", "watch"].map((name) => html`<a href=${`#/${name}`}
      aria-current=${here === name ? "page" : undefined}>${t(`nav.${name}`)}</a>`)}</nav>
    <div class="tools">
      <button class="icon" onClick=${() => { theme.value = next; }} title=${t(`theme.${theme.value}`)}
        aria-label=${t(`theme.${theme.value}`)}>${{ auto: "◐", light: "☀", dark: "☾" }[theme.value]}</button>
      <select class="language" aria-label=${t("language")} value=${language.value}
        onChange=${(/** @type {any} */ event) => setLanguage(event.target.value)}>${languages.map(
          ([code, name]) => html`<option value=${code}>${name}</option>`)}</select>
    </div></header>`;
}

function Access() {
  const token = useSignal("");
  const enter = (/** @type {Event} */ event) => {
    event.preventDefault();
    setAccess(token.value);
    location.reload();
  };
  return html`<form class="row" onSubmit=${enter}><label>${t("access.token")}<input type="password" autocomplete="off"
    onInput=${(/** @type {any} */ event) => { token.value = event.target.value; }} /></label>
    <button class="strong">${t("access.enter")}</button></form>`;
}

function App() {
  const { view, parts } = route.value;
  const name = Object.hasOwn(VIEWS, view) ? view : "play";
  const View = loaded.value[name];
  const body = problem.value
    ? html`<main class="page"><${Problem} text=${sentence(problem.value)}>${
        isCode(problem.value, Code.Unauthenticated) ? html`<${Access} />`
          : html`<button onClick=${() => location.reload()}>${t("again")}</button>`}<//></main>`
    : View ? html`<${View} key=${`${name}/${name === "analyse" ? "" : parts[0] ?? ""}`} parts=${parts} />` : html`<main class="page"><${Waiting} /></main>`;
  return html`<${Header} />${body}<p id="said" class="said" role="status" aria-live="polite"></p>`;
}

async function start() {
  await wordsReady;
  const root = /** @type {HTMLElement} */ (document.getElementById("app"));
  try {
    await connect();
    await loadCatalog(engine);
  } catch (error) {
    problem.value = error;
  }
  root.replaceChildren();
  render(html`<${App} />`, root);
}

start();
