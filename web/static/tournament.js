// Who plays whom in a tournament, and who won how often. No part of this touches the document, so it can be tested by itself.

/** @typedef {import("./types").Match} Match */

/**
 * Who sits where in a match of a tournament: every group of entrants in turn, and in each group everyone on every seat.
 * @param {readonly string[]} entrants @param {number} seats @param {number} place
 */
export function seating(entrants, seats, place) {
  const groups = groupsOf(entrants, seats);
  const group = groups[place % groups.length] ?? [];
  const turn = Math.floor(place / groups.length);
  return group.map((_, seat) => group[(seat + turn) % seats] ?? "");
}

/** @param {readonly string[]} all @param {number} size @returns {string[][]} */
function groupsOf(all, size) {
  if (size === 0) return [[]];
  return all.flatMap((first, place) => groupsOf(all.slice(place + 1), size - 1).map((rest) => [first, ...rest]));
}

/**
 * What each entrant won so far, the best first, with 95 % intervals.
 * @param {readonly Pick<Match, "seats" | "result">[]} matches @param {(seat: Match["seats"][number]) => string} nameOf
 */
export function standings(matches, nameOf) {
  /** @type {Map<string, {name: string, games: number, won: number}>} */
  const table = new Map();
  for (const { seats, result } of matches) {
    seats.forEach((one, seat) => {
      const name = nameOf(one);
      const row = table.get(name) ?? { name, games: 0, won: 0 };
      table.set(name, row);
      if (!result) return;
      row.games += 1;
      row.won += result.returns[seat] ?? 0;
    });
  }
  return [...table.values()].sort((a, b) => share(b) - share(a)).map((row) => ({ ...row, share: share(row), ...wilson(row.won, row.games) }));
}

/** @param {{games: number, won: number}} row */
function share({ games, won }) {
  return won / Math.max(games, 1);
}

/** Wilson's interval for a share. @param {number} won @param {number} games @returns {{low: number, high: number}} */
function wilson(won, games) {
  if (!games) return { low: 0, high: 1 };
  const z = 1.96, mean = won / games, square = (z * z) / games;
  const middle = (mean + square / 2) / (1 + square);
  const half = (z / (1 + square)) * Math.sqrt((mean * (1 - mean)) / games + square / (4 * games));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
