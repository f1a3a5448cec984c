import assert from "node:assert/strict";
import test from "node:test";
import { seating, standings } from "../../web/static/tournament.js";

test("everyone plays everyone, on every seat", () => {
  const entrants = ["a", "b", "c"];
  const seats = Array.from({ length: 6 }, (_, place) => seating(entrants, 2, place).join(" "));
  assert.deepEqual(new Set(seats), new Set(["a b", "a c", "b c", "b a", "c a", "c b"]));
  assert.deepEqual(seating(["a", "b"], 2, 3), ["b", "a"]);
  assert.deepEqual(seating(entrants, 3, 1), ["b", "c", "a"]);
});

test("standings with intervals", () => {
  const match = (names, returns) => ({ seats: names.map((name) => ({ name })), result: returns && { returns } });
  const found = standings([match(["a", "b"], [1, 0]), match(["b", "a"], [0.5, 0.5]), match(["a", "b"])], (seat) => seat.name);
  assert.deepEqual(found.map(({ name, games, won }) => [name, games, won]), [["a", 2, 1.5], ["b", 2, 0.5]]);
  assert.ok(found[0].low > 0.1 && found[0].low < 0.75 && found[0].high > 0.75 && found[0].high < 1);
  assert.deepEqual(standings([match(["a", "b"])], (seat) => seat.name).map(({ low, high }) => [low, high]), [[0, 1], [0, 1]]);
});
