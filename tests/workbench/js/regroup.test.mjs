import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { DocumentSegments } = await page("document");
const { Shown } = await page("filter");
const { characters, halves, saying } = await page("regroup");

const segment = (number, place = null) => ({ number, place, state: "new", version: 1, source: `${number}`, target: "" });
const regrouped = () => new DocumentSegments([1, 3, 4].map((n) => segment(n)).concat(segment(9, 1.5), segment(8, 1.25)), 5, [1, 8, 9, 3, 4]);

test("segments that were split off stand after what they came from, under a name that says so", () => {
  const segments = regrouped();
  assert.deepEqual(segments.numbers, [1, 8, 9, 3, 4]);
  assert.deepEqual(segments.numbers.map((n) => segments.label(n)), ["1", "1.2", "1.3", "3", "4"]);
  assert.equal(segments.beside(1, 1).number, 8);
  assert.equal(segments.beside(3, -1).number, 9);
  assert.ok(segments.complete && segments.has(9) && !segments.has(2));
  assert.equal(segments.missing(2, 10), null);
});

test("states come in the order of the document", () => {
  const segments = new DocumentSegments([], 3, [1, 7, 3]);
  segments.setStates("ncn");
  assert.equal(segments.states[7], "confirmed");
  assert.equal(segments.progress.done, 1);
});

test("walking and filtering follow the order of the document", () => {
  const segments = regrouped(),
    all = new Shown(5, null, segments),
    some = new Shown(5, [3, 8, 4], segments);
  assert.deepEqual([0, 1, 2, 3, 4].map((row) => all.at(row)), [1, 8, 9, 3, 4]);
  assert.equal(all.next(8, () => true), 9);
  assert.equal(all.beside(9, 1), 3);
  assert.equal(all.next(0, () => true), 1);
  assert.deepEqual(some.numbers, [8, 3, 4]);
  some.add(9);
  assert.deepEqual(some.numbers, [8, 9, 3, 4]);
  assert.equal(some.next(4, (each) => each === 9), 9);
});

test("a text is divided at the caret, unless that is at one of its ends", () => {
  assert.deepEqual(halves("Cierre la tapa.", 7), ["Cierre", "la tapa."]);
  assert.deepEqual(halves("Cierre la tapa.", 15), ["Cierre la tapa.", ""]);
  assert.deepEqual(halves("", 0), ["", ""]);
});

test("places are counted in characters, as the server counts them", () => {
  assert.equal(characters("👍 open", 3), 2);
});

test("in a large document it is said what one waits for", () => {
  assert.equal(saying("merge", 500), "Merging …");
  assert.match(saying("split", 100_000), /^Splitting … .*file is read/);
});
