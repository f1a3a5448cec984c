// What the server offers: games with their options, bots with their levels, and what things of a game are called.
import { engine } from "./api.js";
import { signal, useEffect, useSignal } from "./vendor/ui.js";
import { language, t } from "./words.js";

/** @typedef {import("./types").BotInfo} BotInfo */
/** @typedef {import("./types").Description} Description */
/** @typedef {import("./types").GameInfo} GameInfo */

/** Every game of the server. */
export const games = signal(/** @type {GameInfo[]} */ ([]));
/** Every bot, weakest first. */
export const bots = signal(/** @type {BotInfo[]} */ ([]));
/** The server itself. */
export const server = signal(/** @type {import("./types").GetServerInfoResponse | null} */ (null));

/** @param {import("./types").Engine} from */
export async function loadCatalog(from) {
  const [listed, known, info] = await Promise.all([from.listGames({}), from.listBots({}), from.getServerInfo({})]);
  games.value = listed.games;
  bots.value = known.bots;
  server.value = info;
}

/** @param {string} name */
export function gameNamed(name) {
  return games.value.find((game) => game.name === name);
}

/** The bot that has the most levels: the one that people play against unless they choose. */
export function mainBot() {
  return [...bots.value].sort((a, b) => b.levels.length - a.levels.length)[0];
}

/** @type {Map<string, Promise<Map<string, Description>>>} */
const described = new Map();

/** What the things of a game are, by their key, in the language of the page. @param {string} game */
export function descriptions(game) {
  const key = `${language.value}/${game}`;
  let found = described.get(key);
  if (!found) {
    found = engine.describe({ game, language: language.value })
      .then((answer) => new Map(answer.descriptions.map((one) => [one.key, one])))
      .catch(() => { described.delete(key); return new Map(); });
    described.set(key, found);
  }
  return found;
}

/** The same for what is on screen; empty until it is known. @param {string} game */
export function useDescriptions(game) {
  const found = useSignal(/** @type {ReadonlyMap<string, Description>} */ (new Map()));
  useEffect(() => {
    let gone = false;
    descriptions(game).then((all) => { if (!gone) found.value = all; });
    return () => { gone = true; };
  }, [game, language.value]);
  return found.value;
}

/** How a bot is called. @param {import("./types").BotSpec | undefined} bot */
export function botName(bot) {
  if (!bot) return "";
  return bot.level ? `${bot.name} ${bot.level}` : bot.name;
}

/** How the players of a match are called. @param {{seats: import("./types").Match["seats"]}} match @param {(seat: number) => string} person */
export function namesOf(match, person) {
  // Seats without a name are called after their number by the server. People know the main bot by its levels.
  const main = mainBot()?.name;
  return match.seats.map((seat, index) => (seat.name === `seat ${index}` ? "" : seat.name)
    || (seat.bot?.name === main && seat.bot?.level ? t("bot.level", { n: seat.bot.level }) : botName(seat.bot)) || person(index));
}
