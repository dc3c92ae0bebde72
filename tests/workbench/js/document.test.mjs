import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { DocumentSegments } = await page("document");
const states = (...found) =>
  new DocumentSegments(found.map((state, n) => ({ number: n + 1, source: `Source ${n + 1}`, target: "", state, version: 1 })));

test("an update that was overtaken by a newer version changes nothing", () => {
  const segments = states("new");
  assert.ok(segments.update({ ...segments.get(1), state: "confirmed", version: 3 }));
  assert.ok(!segments.update({ ...segments.get(1), state: "new", version: 2 }));
  assert.equal(segments.get(1).state, "confirmed");
});

test("the version that is known already is no news", () => {
  const segments = states("new");
  assert.ok(!segments.update({ ...segments.get(1) }));
});

test("all states are known before the segments have come", () => {
  const segments = new DocumentSegments([], 5);
  segments.setStates("ncltr");
  assert.deepEqual(segments.progress, { done: 3, all: 5 });
  assert.deepEqual([1, 2, 3, 4, 5].filter((number) => segments.toDo(number)), [1, 4]);
  assert.ok(!segments.complete);
});

test("a segment that has come replaces what was known of its state", () => {
  const segments = new DocumentSegments([], 2);
  segments.setStates("nn");
  segments.update({ number: 2, source: "", target: "x", state: "confirmed", version: 2 });
  assert.deepEqual(segments.progress, { done: 1, all: 2 });
  segments.setStates("nn"); // asked for before
  assert.equal(segments.states[2], "confirmed");
});

test("of a page around a segment only what is missing is loaded", () => {
  const segments = new DocumentSegments([], 1000);
  assert.deepEqual(segments.missing(500, 200), { from: 400, to: 599 });
  assert.deepEqual(segments.missing(1, 200), { from: 1, to: 200 });
  assert.deepEqual(segments.missing(1000, 200), { from: 900, to: 1000 });
  for (let number = 1; number <= 450; number += 1) segments.update({ number, state: "new", version: 1 });
  assert.deepEqual(segments.missing(500, 200), { from: 451, to: 599 });
  assert.equal(segments.missing(100, 200), null);
});

test("segments whose text the file cannot hold are counted", () => {
  const segments = states("translated", "new");
  segments.update({ ...segments.get(1), held: true, version: 2 });
  assert.deepEqual([...segments.held], [1]);
  segments.update({ ...segments.get(1), held: false, version: 3 });
  assert.equal(segments.held.size, 0);
});

test("progress counts what needs no more work", () => {
  assert.deepEqual(states("new", "confirmed", "locked", "translated").progress, { done: 2, all: 4 });
});
