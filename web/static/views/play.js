// The first view: a new table, and the tables of this browser.
import { matches, sentence } from "../api.js";
import { bots, gameNamed, games, mainBot, useDescriptions } from "../catalog.js";
import { go } from "../router.js";
import { forgetTable, keepTable, recall, remember, tables } from "../storage.js";
import { batch, html, Problem, useSignal } from "../ui.js";
import { t } from "../words.js";

/** @typedef {import("../types").GameInfo} GameInfo */
/** @typedef {import("../types").OptionInfo} OptionInfo */
/** @typedef {{kind: string, name: string}} Sitting  `kind`: "me", "friend", or a bot as "name" or "name/level" */

const INT = 1, STRING = 2, BOOL = 3, FLOAT = 4, JSON_TYPE = 5;
// The seats and the seed have their own place in the form.
const PLACED = ["players", "seed"];

/** The bots with their levels, as choices. */
function strengths() {
  const main = mainBot();
  const others = bots.value.filter((bot) => bot !== main);
  return [
    ...(main ? main.levels.map((level) => ({ value: `${main.name}/${level}`, label: t("play.level", { n: level }), group: main.name })) : []),
    ...others.map((bot) => ({ value: bot.name, label: bot.name, group: "" })),
  ];
}

/** A seat of the form as the server takes it. @param {Sitting} sitting */
export function seatOf({ kind, name }) {
  if (kind === "me" || kind === "friend") return { name: name.trim() };
  const [bot = "", level] = kind.split("/");
  return { name: name.trim(), bot: { name: bot, level: level ? Number(level) : undefined } };
}

/**
 * Makes a match, keeps its tokens, and opens it.
 * @param {{game: string, options: any, sittings: Sitting[], seed?: bigint, realDice: boolean, hints: boolean, speed: number}} wanted
 */
export async function open({ game, options, sittings, seed, realDice, hints, speed }) {
  const people = sittings.filter((sitting) => sitting.kind === "me" || sitting.kind === "friend").length;
  const mine = sittings.findIndex((sitting) => sitting.kind === "me");
  const made = await matches.createMatch({
    game, options, seats: sittings.map(seatOf), seed, realDice, hints,
    // With friends at the table nobody else should hold their tokens. Whoever has the link may watch.
    blindOwner: people > 1, public: true,
    autoplay: { secondsPerMove: speed },
    idempotencyKey: crypto.randomUUID(),
  });
  const match = /** @type {import("../types").Match} */ (made.match);
  let token = mine < 0 ? undefined : made.seatTokens[mine];
  if (people > 1 && token) {
    token = (await matches.rotateToken({ matchId: match.id, token, idempotencyKey: crypto.randomUUID() })).token;
  }
  const links = Object.fromEntries(sittings.flatMap((sitting, seat) =>
    sitting.kind === "friend" ? [[seat, made.seatTokens[seat] ?? ""]] : []));
  keepTable({
    id: match.id, game, seat: mine < 0 ? undefined : mine, token, owner: made.ownerToken, links,
    names: sittings.map((sitting) => sitting.name.trim()), at: Date.now(),
  });
  remember("last", { game, sittings, options, hints, speed });
  go("table", match.id);
}

export function View() {
  const last = recall("last", /** @type {any} */ ({}));
  const game = useSignal(gameNamed(last.game) ? last.game : games.value[0]?.name ?? "");
  const info = gameNamed(game.value);
  return html`<main class="page play">
    <section class="hero"><h1>${t("play.title")}</h1><p>${t("play.lead")}</p></section>
    <div class="columns">
      <section class="card" aria-labelledby="new-table"><h2 id="new-table">${t("play.new")}</h2>
        <div class="games" role="group" aria-label=${t("play.game")}>${games.value.map((one) => html`<button class="game"
          aria-pressed=${one.name === game.value} onClick=${() => { game.value = one.name; }}>
          <b>${one.title}</b><small>${one.minPlayers}–${one.maxPlayers} ${t("play.for")}</small></button>`)}</div>
        ${info && html`<${NewTable} key=${info.name} game=${info} last=${last.game === info.name ? last : {}} />`}
      </section>
      <${MyTables} />
    </div></main>`;
}

/** @param {{game: GameInfo, last: any}} props */
function NewTable({ game, last }) {
  const me = recall("name", "");
  const bot = strengths();
  const usual = bot[Math.min(2, bot.length - 1)]?.value ?? "";
  /** @param {number} number @returns {Sitting[]} */
  const seated = (number) => Array.from({ length: number }, (_, seat) =>
    last.sittings?.[seat] ?? (seat === 0 ? { kind: "me", name: me } : { kind: usual, name: "" }));
  const sittings = useSignal(seated(Math.min(Math.max(last.sittings?.length ?? game.minPlayers, game.minPlayers), game.maxPlayers)));
  const values = useSignal(/** @type {Record<string, string>} */ ({}));
  const seed = useSignal("");
  const speed = useSignal(last.speed ?? 0.7);
  const realDice = useSignal(false), hints = useSignal(last.hints ?? false);
  const problem = useSignal(""), busy = useSignal(false);
  const change = (/** @type {number} */ seat, /** @type {Partial<Sitting>} */ part) => {
    if (part.name !== undefined && sittings.value[seat]?.kind === "me") remember("name", part.name.trim());
    sittings.value = sittings.value.map((one, place) => {
      if (place === seat) return { ...one, ...part };
      return part.kind === "me" && one.kind === "me" ? { ...one, kind: "friend" } : one; // there is one of me
    });
  };
  const people = sittings.value.filter((one) => one.kind === "me" || one.kind === "friend").length;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    batch(() => { problem.value = ""; busy.value = true; });
    try {
      await open({
        game: game.name, options: optionsOf(game.options, values.value), sittings: sittings.value,
        seed: seed.value.trim() ? BigInt(seed.value.trim()) : undefined,
        realDice: realDice.value, hints: hints.value, speed: speed.value,
      });
    } catch (error) {
      problem.value = sentence(error);
    } finally {
      busy.value = false;
    }
  };
  const more = game.options.filter((option) => !PLACED.includes(option.name));
  const about = useDescriptions(game.name);
  const fields = (/** @type {OptionInfo[]} */ options) => options.map((option) => html`<${Option} key=${option.name} option=${option} about=${about.get(`option:${option.name}`)}
    value=${values.value[option.name]} onValue=${(/** @type {string} */ value) => { values.value = { ...values.value, [option.name]: value }; }} />`);
  const rare = more.filter((option) => option.type === JSON_TYPE);
  return html`<form class="new" onSubmit=${submit}>
    <fieldset><legend>${t("play.players")}</legend>
      <div class="segments" role="group" aria-label=${t("play.players")}>${range(game.minPlayers, game.maxPlayers).map((number) => html`<button
        type="button" aria-pressed=${sittings.value.length === number} onClick=${() => {
          sittings.value = seated(number).map((one, seat) => sittings.value[seat] ?? one); }}>${number}</button>`)}</div>
      <ol class="sittings">${sittings.value.map((sitting, seat) => html`<li>
        <span class="seat seat-${seat}" aria-hidden="true">${seat}</span>
        <select aria-label=${t("play.seat", { n: seat })} value=${sitting.kind}
          onChange=${(/** @type {any} */ event) => change(seat, { kind: event.target.value })}>
          <option value="me">${t("play.me")}</option><option value="friend">${t("play.friend")}</option>
          ${[...new Set(bot.map((one) => one.group))].map((group) => html`<optgroup label=${group ? `Bot: ${group}` : "Bots"}>${
            bot.filter((one) => one.group === group).map((one) => html`<option value=${one.value}>${one.label}</option>`)}</optgroup>`)}
        </select>
        <input maxlength="100" placeholder=${t("play.name")} aria-label=${`${t("play.name")}, ${t("play.seat", { n: seat })}`}
          value=${sitting.name} onInput=${(/** @type {any} */ event) => change(seat, { name: event.target.value })} /></li>`)}</ol>
    </fieldset>
    <details><summary>${t("play.more")}</summary><div class="options">
      ${fields(more.filter((option) => option.type !== JSON_TYPE))}
      <label class="field"><span>${t("play.seed")}</span><input inputmode="numeric" pattern="[0-9]*" value=${seed.value}
        onInput=${(/** @type {any} */ event) => { seed.value = event.target.value; }} /><small>${t("play.seed.help")}</small></label>
      <label class="field"><span>${t("play.speed")}</span><input type="number" min="0" max="60" step="0.1" value=${speed.value}
        onInput=${(/** @type {any} */ event) => { speed.value = Number(event.target.value); }} /></label>
      <label class="check"><input type="checkbox" checked=${realDice.value} disabled=${game.hides}
        onChange=${(/** @type {any} */ event) => { realDice.value = event.target.checked; }} /> ${t("play.dice")}
        ${game.hides && html`<small>${t("play.dice.no")}</small>`}</label>
      ${people > 1 && html`<label class="check"><input type="checkbox" checked=${hints.value}
        onChange=${(/** @type {any} */ event) => { hints.value = event.target.checked; }} /> ${t("play.hints")}</label>`}
      ${rare.length > 0 && html`<details class="rare"><summary>${t("play.rare")}</summary><div class="options">${fields(rare)}</div></details>`}
    </div></details>
    ${problem.value && html`<${Problem} text=${problem.value} />`}
    <button class="strong wide" disabled=${busy.value}>${t("play.start")}</button>
  </form>`;
}

/**
 * A field for an option, as its description says.
 * @param {{option: OptionInfo, about?: import("../types").Description, value?: string, onValue: (value: string) => void}} props
 */
function Option({ option, about, value, onValue }) {
  const otherwise = JSON.parse(option.defaultJson || "null");
  const input = (/** @type {any} */ event) => onValue(event.target.value);
  const shown = value ?? (otherwise === null ? "" : typeof otherwise === "string" ? otherwise : JSON.stringify(otherwise));
  const title = about?.title ?? option.name.replaceAll("_", " ");
  const choices = option.type === STRING ? option.allowed.split(",").map((word) => word.trim()) : [];
  const bounds = [...option.allowed.matchAll(/-?\d+(\.\d+)?/g)].map((found) => found[0]);
  let field;
  if (option.type === BOOL) {
    field = html`<select value=${shown} onChange=${input}><option value="true">✓</option><option value="false">✗</option></select>`;
  } else if (choices.length > 1 && choices.every((choice) => /^\w+$/.test(choice))) {
    field = html`<select value=${shown} onChange=${input}>${choices.map((choice) => html`<option value=${choice}>${choice.replaceAll("_", " ")}</option>`)}</select>`;
  } else if (option.type === INT || option.type === FLOAT) {
    field = html`<input type="number" step=${option.type === INT ? 1 : "any"} min=${bounds[0]} max=${bounds[1]} value=${shown} onInput=${input} />`;
  } else {
    field = html`<input value=${shown} spellcheck=${false} onInput=${input} />`;
  }
  return html`<label class="field"><span>${title}</span>${field}<small>${about?.text ?? option.help}</small></label>`;
}

/** The options that differ from their defaults. @param {readonly OptionInfo[]} infos @param {Record<string, string>} values */
function optionsOf(infos, values) {
  /** @type {Record<string, any>} */
  const options = {};
  for (const info of infos) {
    const text = values[info.name]?.trim();
    if (text === undefined || text === "") continue;
    if (info.type === STRING) {
      options[info.name] = text;
      continue;
    }
    try {
      options[info.name] = JSON.parse(text);
    } catch (error) {
      throw new Error(t("play.json", { name: info.name, problem: error instanceof Error ? error.message : "" }));
    }
  }
  return options;
}

function MyTables() {
  const mine = Object.values(tables.value).sort((a, b) => b.at - a.at);
  return html`<section class="card" aria-labelledby="my-tables"><h2 id="my-tables">${t("play.mine")}</h2>
    ${mine.length === 0 ? html`<p class="quiet-text">${t("play.none")}</p>` : html`<ul class="tables">${mine.map((one) => html`<li key=${one.id}>
      <a href=${`#/table/${one.id}`}><b>${gameNamed(one.game)?.title ?? one.game}</b>
        <small>${one.seat === undefined ? t("play.spectator") : t("play.you", { n: one.seat })} · ${new Date(one.at).toLocaleString()}</small></a>
      <button class="icon" aria-label=${t("play.forget")} title=${t("play.forget")} onClick=${() => forgetTable(one.id)}>×</button></li>`)}</ul>`}
  </section>`;
}

/** @param {number} low @param {number} high */
function range(low, high) {
  return Array.from({ length: high - low + 1 }, (_, place) => low + place);
}
