import assert from "node:assert/strict";
import test from "node:test";
import { filtered, matching, pick, pointable } from "../../web/static/choose.js";

const move = (label, ...keys) => ({ label, move: { text: label }, parts: keys.map((key) => ({ key, label: key, role: "" })) });
const moves = [
  move("sail a", "die:red", "hex:a"),
  move("sail b", "die:red", "hex:b"),
  move("sail a with blue", "die:blue", "hex:a", "favor"),
  move("end", ""),
];

test("picked pieces narrow the moves", () => {
  assert.equal(matching(moves, []).length, 4);
  assert.deepEqual(matching(moves, ["hex:a"]).map((one) => one.label), ["sail a", "sail a with blue"]);
  assert.deepEqual(matching(moves, ["hex:a", "die:blue"]).map((one) => one.label), ["sail a with blue"]);
});

test("what can be pointed at", () => {
  const { first, further } = pointable(moves, []);
  assert.deepEqual([...first], ["die:red", "die:blue"]);
  assert.deepEqual([...further], ["hex:a", "hex:b", "favor"]);
  assert.deepEqual([...pointable(moves, ["die:red"]).first], ["hex:a", "hex:b"]);
});

test("choices are made in any order", () => {
  const choices = (...keys) => ({ ...move(keys.join(" "), ...keys), parts: keys.map((key) => ({ key, label: key, role: "choice" })) });
  const pairs = [choices("a", "b"), choices("a", "c"), choices("b", "c")];
  assert.deepEqual([...pointable(pairs, []).first].sort(), ["a", "b", "c"]);
  assert.deepEqual([...pointable(pairs, ["c"]).first].sort(), ["a", "b"]);
  const aimed = { ...choices("a", "b"), parts: [...choices("a", "b").parts, { key: "goal", label: "goal", role: "target" }] };
  assert.deepEqual([...pointable([aimed], []).first], ["a", "b"]);
  assert.deepEqual([...pointable([aimed], []).further], ["goal"]);
});

test("a click picks, takes back, or begins anew", () => {
  assert.deepEqual(pick(moves, [], "die:red"), ["die:red"]);
  assert.deepEqual(pick(moves, ["die:red"], "hex:b"), ["die:red", "hex:b"]);
  assert.deepEqual(pick(moves, ["die:red"], "die:red"), []);
  assert.deepEqual(pick(moves, ["die:red"], "die:blue"), ["die:blue"]);
  const picked = ["die:red"];
  assert.equal(pick(moves, picked, "hex:nowhere"), picked);
});

test("typed words find moves, whatever their case and accents", () => {
  assert.deepEqual(filtered(moves, "SAIL blue").map((one) => one.label), ["sail a with blue"]);
  assert.equal(filtered([move("Münze nehmen")], "munze").length, 1);
  assert.equal(filtered(moves, "  ").length, 4);
});
