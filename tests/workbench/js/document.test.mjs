import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { DocumentSegments } = await page("document");
const states = (...found) =>
  new DocumentSegments(found.map((state, n) => ({ number: n + 1, source: `Source ${n + 1}`, target: "", state, version: 1 })));

test("the next segment to do is the first one after a number, and else the first of all", () => {
  const segments = states("new", "confirmed", "translated", "locked", "new");
  assert.equal(segments.next(0), 1);
  assert.equal(segments.next(1), 3);
  assert.equal(segments.next(3), 5);
  assert.equal(segments.next(5), 1);
});

test("when all others are done there is no next one", () => {
  assert.equal(states("confirmed", "new", "locked").next(2), undefined);
  assert.equal(states("confirmed").next(0), undefined);
});

test("segments beside a segment end at both ends of the document", () => {
  const segments = states("new", "new");
  assert.equal(segments.beside(1, 1), 2);
  assert.equal(segments.beside(2, 1), undefined);
  assert.equal(segments.beside(1, -1), undefined);
});

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

test("a filter looks at source and target in any case, and at the state", () => {
  const segments = new DocumentSegments([
    { number: 1, source: "Open the LID.", target: "Abra la tapa.", state: "translated", version: 1 },
  ]);
  assert.ok(segments.fits(1, "lid", ""));
  assert.ok(segments.fits(1, "TAPA", "translated"));
  assert.ok(segments.fits(1, "", "open"));
  assert.ok(!segments.fits(1, "lid", "confirmed"));
  assert.ok(!segments.fits(1, "button", ""));
  assert.ok(!segments.fits(1, "lid.Abra", ""));
});

test("progress counts what needs no more work", () => {
  assert.deepEqual(states("new", "confirmed", "locked", "translated").progress, { done: 2, all: 4 });
});
