// A match as one viewer knows it: how it stands, what happened, what can be played. It follows the match by a stream and
// takes it up again when the connection is lost or the server restarts.
import { advisor, Code, Final, isCanceled, isCode, isLost, matches, sentence } from "./api.js";
import { namesOf } from "./catalog.js";
import { picture, wordsOf } from "./pictures.js";
import { batch, signal } from "./vendor/ui.js";
import { language, t } from "./words.js";

/** @typedef {import("./types").Match} Match */
/** @typedef {import("./types").MatchEvent} MatchEvent */
/** @typedef {import("./types").MoveDescription} MoveDescription */
/** @typedef {import("./types").Position} Position */
/** @typedef {import("./types").Seat} Seat */

const OVER = 2;
// Seconds between attempts to reach the server: the first, and the longest.
const FIRST_WAIT = 0.5, LONGEST_WAIT = 10;
// Events that are told in words, newest first; others stay as the notation has them. Positions kept for that.
const MOST_TOLD = 30, MOST_KEPT = 40;

export class Table {
  /** @param {Seat} seat */
  constructor(seat) {
    this.seat = seat;
    this.stop = new AbortController();
    this.match = signal(/** @type {Match | null} */ (null));
    this.position = signal(/** @type {Position | null} */ (null));
    this.svg = signal("");
    this.moves = signal(/** @type {MoveDescription[]} */ ([]));
    this.events = signal(/** @type {MatchEvent[]} */ ([]));
    /** What events are called, by version, as far as known. */
    this.labels = signal(/** @type {Record<string, string>} */ ({}));
    /** "connecting", "live", "lost", or "gone" with a problem that trying again does not help. */
    this.state = signal("connecting");
    this.problem = signal("");
    /** A move of mine is on its way. */
    this.busy = signal(false);
    this.shown = -1n;
    this.drawing = 0;
    this.words = "";
    /** @type {Map<bigint, Position>} what the viewer saw after so many events */
    this.seen = new Map();
    this.telling = false;
    this.follow();
  }

  close() { this.stop.abort(); }

  get id() { return this.seat.id; }
  get token() { return this.seat.token ?? ""; }
  get isOver() { return this.match.value?.status === OVER; }
  get isMyTurn() { return this.seat.seat !== undefined && !this.isOver && this.match.value?.toAct === this.seat.seat; }

  /** How the players are called. @param {Match} match */
  namesIn(match) {
    return namesOf(match, (place) => (place === this.seat.seat ? t("person.me") : t("person.other", { n: place })));
  }

  /** Stays with the match until it is closed. */
  async follow() {
    let wait = FIRST_WAIT;
    while (!this.stop.signal.aborted) {
      try {
        await this.load();
        wait = FIRST_WAIT;
        await this.watch();
        if (this.isOver) return;
      } catch (error) {
        if (this.stop.signal.aborted || isCanceled(error)) return;
        if (!isLost(error)) {
          batch(() => { this.state.value = "gone"; this.problem.value = refusal(error); });
          return;
        }
        this.state.value = "lost";
      }
      await pause(wait, this.stop.signal);
      wait = Math.min(wait * 1.6, LONGEST_WAIT);
    }
  }

  /** How it stands now. */
  async load() {
    await this.after((await matches.getMatch({ matchId: this.id, token: this.token }, this.call)).match);
    this.state.value = "live";
  }

  /** What the viewer sees of a match that stands like this; if it has moved on meanwhile, the newer of both. @param {Match | undefined} match */
  async after(match) {
    let newest = match;
    for (let attempt = 0; newest && attempt < 5; attempt++) {
      const { observation, version } = await matches.observe({ matchId: this.id, seat: this.seat.seat, token: this.token }, this.call);
      if (!observation || version < this.shown) return;
      if (version === newest.version) {
        await this.show(newest, observation, version);
        return;
      }
      newest = (await matches.getMatch({ matchId: this.id, token: this.token }, this.call)).match;
    }
  }

  get call() { return { signal: this.stop.signal }; }

  /** Events as they come, those of the past first. */
  async watch() {
    const last = this.events.peek().at(-1)?.version ?? 0n;
    const wanted = { matchId: this.id, seat: this.seat.seat, token: this.token, afterVersion: last };
    for await (const answer of matches.watchMany({ matches: [wanted], observations: true }, this.call)) {
      if (answer.event) this.add([answer.event]);
      const { match, observation } = answer;
      // The match as it stands comes with the newest event only.
      if (match && observation && (answer.event?.version ?? match.version) === match.version) await this.show(match, observation, match.version);
      else if (match && match.version > this.shown) await this.after(match);
      if (answer.ended) break;
    }
    if (!this.stop.signal.aborted) await this.load();
  }

  /** @param {MatchEvent[]} events */
  add(events) {
    const known = this.events.peek();
    const last = known.at(-1)?.version ?? 0n;
    const fresh = events.filter((event) => event.version > last);
    if (fresh.length) this.events.value = [...known, ...fresh];
    this.tell();
  }

  /** Words for the last events, one after the other. */
  async tell() {
    if (this.telling) return;
    this.telling = true;
    const words = language.peek();
    try {
      for (;;) {
        const known = this.labels.peek();
        const event = this.events.peek().slice(-MOST_TOLD).findLast((one) =>
          one.kind.case === "move" && one.kind.value.text && !(String(one.version) in known));
        if (!event || event.kind.case !== "move" || language.peek() !== words) break;
        let label = event.kind.value.text;
        try {
          label = await wordsOf(await this.at(event.version - 1n), label);
        } catch (error) {
          if (isCanceled(error) || isLost(error)) break;
        }
        if (language.peek() === words) this.labels.value = { ...this.labels.peek(), [String(event.version)]: label };
      }
    } finally {
      this.telling = false;
    }
  }

  /** @param {bigint} version @param {Position} position */
  keep(version, position) {
    this.seen.set(version, position);
    const oldest = this.seen.keys().next().value;
    if (this.seen.size > MOST_KEPT && oldest !== undefined) this.seen.delete(oldest);
  }

  /** Draws a position, and lists the moves where it is this viewer's turn. @param {Match} match @param {Position} position @param {bigint} version */
  async show(match, position, version) {
    this.keep(version, position);
    const words = language.peek();
    if (version < this.shown) return;
    if (version === this.shown && words === this.words) {
      // Drawn already, or about to be; somebody may be choosing a move right now.
      this.match.value = match;
      return;
    }
    this.shown = version;
    this.words = words;
    const drawing = ++this.drawing;
    const mine = this.seat.seat !== undefined && match.status !== OVER && match.toAct === this.seat.seat;
    let svg, moves;
    try {
      [svg, moves] = await Promise.all([
        picture(position, "", this.namesIn(match)),
        mine ? advisor.describeMoves({ observation: position, language: words }, this.call) : null,
      ]);
    } catch (error) {
      this.words = ""; // it may be drawn when it comes again
      if (isCode(error, Code.PermissionDenied)) throw new Final(t("error.analyse"));
      throw error;
    }
    if (this.shown !== version || this.drawing !== drawing) return;
    batch(() => {
      this.match.value = match;
      this.position.value = position;
      this.svg.value = svg;
      this.moves.value = moves?.moves ?? [];
    });
  }

  /** The words of the moves again, in another language. */
  async retell() {
    this.labels.value = {};
    this.tell();
    const match = this.match.peek(), position = this.position.peek();
    if (match && position && this.shown >= 0n) await this.show(match, position, this.shown);
  }

  /** @param {string} move */
  async play(move) {
    const expectedVersion = this.match.peek()?.version;
    await this.act(async () => {
      const answer = await matches.submitMove({
        matchId: this.id, token: this.token, move, expectedVersion, idempotencyKey: crypto.randomUUID(),
      }, this.call);
      this.add(answer.events);
      await this.after(answer.match);
    });
  }

  async undo() {
    await this.act(async () => {
      const answer = await matches.undo({ matchId: this.id, token: this.token }, this.call);
      await this.after(answer.match);
    });
  }

  async resign() {
    await this.act(async () => {
      const answer = await matches.resign({ matchId: this.id, token: this.token }, this.call);
      await this.after(answer.match);
    });
  }

  /** Something that I do; what is wrong with it is said. @param {() => Promise<void>} action */
  async act(action) {
    if (this.busy.peek()) return;
    batch(() => { this.busy.value = true; this.problem.value = ""; });
    try {
      await action();
    } catch (error) {
      if (isCanceled(error)) return;
      this.problem.value = isCode(error, Code.Aborted) ? t("table.moved") : sentence(error);
    } finally {
      this.busy.value = false;
    }
  }

  /** What the viewer saw after so many events. @param {bigint} version */
  async at(version) {
    const known = this.seen.get(version);
    if (known) return known;
    const answer = await matches.observe({ matchId: this.id, seat: this.seat.seat, token: this.token, version }, this.call);
    const position = /** @type {Position} */ (answer.observation);
    this.keep(version, position);
    return position;
  }
}

/** Why a table cannot be shown. @param {unknown} error */
export function refusal(error) {
  if (isCode(error, Code.NotFound)) return t("error.table");
  if (isCode(error, Code.PermissionDenied)) return t("error.token");
  return sentence(error);
}

/** @param {number} seconds @param {AbortSignal} [signal] */
export function pause(seconds, signal) {
  return /** @type {Promise<void>} */ (new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  }));
}

/** Bots of matches that the server does not play by itself. @param {Table} table */
export function driveBots(table) {
  let driving = false;
  return async () => {
    const match = table.match.value;
    if (!match || driving || match.autoplay || match.status === OVER || !table.token) return;
    if (!match.seats[match.toAct ?? -2]?.bot) return;
    driving = true;
    try {
      for await (const answer of matches.streamBotTurn({ matchId: table.id, token: table.token }, table.call)) {
        table.add(answer.events);
        await table.after(answer.match);
      }
    } catch (error) {
      if (!isCanceled(error)) await pause(1, table.stop.signal);
    } finally {
      driving = false;
    }
  };
}
