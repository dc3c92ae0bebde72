import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

globalThis.navigator ??= { platform: "" };
const { duration, overSegments } = await page("figures");
const { placed, roundUp } = await page("plot");
const { named, parts } = await page("engine");
const { added } = await page("exchange");
const { piece, places } = await page("findings");
const { assignedRange } = await page("project");
const { occurs } = await page("text");
const { may, whyReadOnly } = await page("who");

test("time is shown in hours, minutes and seconds", () => {
  assert.deepEqual([9, 309, 3909.4].map(duration), ["0:09", "5:09", "1:05:09"]);
});

test("the axes of a plot end at round numbers", () => {
  assert.deepEqual([0.3, 1, 7, 34, 51].map(roundUp), [0.5, 1, 10, 50, 100]);
});

test("a plot has its first point at the left and its largest at the top", () => {
  const { top, right, points } = placed([{ x: 0, y: 50 }, { x: 100, y: 25 }]);
  assert.deepEqual([top, right], [50, 100]);
  assert.ok(points[0].x < points[1].x && points[0].y < points[1].y);
});

test("an engine's name is its kind and its address", () => {
  assert.deepEqual(parts("apertium:http://localhost"), { kind: "apertium", address: "http://localhost" });
  assert.deepEqual(parts(null), { kind: "", address: "" });
  assert.equal(named({ kind: "deepl", address: " " }), "deepl:");
  assert.equal(named({ kind: "", address: "x" }), null);
});

test("what became of a glossary file is said in one line", () => {
  assert.equal(added({ added: 10, changed: 2, skipped: [{ what: "empty" }] }), "Added 10 terms, changed 2, skipped 1.");
  assert.equal(added({ added: 1, changed: 0, skipped: [] }), "Added 1 term.");
});

test("findings are marked where they are; accepted ones, and those at no place, are not", () => {
  const finding = (start, end, more) => ({ start, end, severity: "warning", accepted: null, ...more });
  const found = places([finding(1, 3), finding(null, null), finding(0, 1, { accepted: {} })], "👍 x");
  assert.deepEqual(found, [{ from: 2, to: 4, severity: "warning" }]);
});

test("what is missing can be put in, if it is a piece of the source", () => {
  const missing = { check: "placeholders", start: null, source_start: 5, source_end: 12 };
  assert.equal(piece(missing, "Open {count} files"), "{count}");
  assert.equal(piece({ ...missing, start: 3 }, "Open {count} files"), null);
  assert.equal(piece({ ...missing, check: "spaces" }, "Open {count} files"), null);
});

test("one number of a range is enough", () => {
  assert.equal(assignedRange({ first: "", last: "" }), null);
  assert.deepEqual(assignedRange({ first: "", last: "9" }), { first: 1, last: 9 });
  assert.deepEqual(assignedRange({ first: "5", last: "" }), { first: 5, last: 5 });
});

test("a term occurs as whole words only, except where words have no spaces", () => {
  assert.ok(occurs("Open the Lid.", "lid"));
  assert.ok(!occurs("Slide it.", "lid"));
  assert.ok(occurs("Solid lid", "lid"));
  assert.ok(occurs("Open the lids, then the boxes.", "lid") && occurs("Open the boxes.", "box"));
  assert.ok(occurs("緑色のボタン", "色"));
});

test("a role tells what somebody may do", () => {
  const allowed = (role) => Object.entries(may(role)).filter(([, yes]) => yes).map(([name]) => name);
  assert.deepEqual(allowed("read"), []);
  assert.deepEqual(allowed("translate"), ["edit", "complete"]);
  assert.deepEqual(allowed("learn"), ["edit", "complete", "teach"]);
  assert.deepEqual(allowed("review"), ["edit", "complete", "teach", "review"]);
  assert.deepEqual(allowed("admin"), ["edit", "complete", "teach", "review", "manage"]);
});

test("the curve goes on with every point, which stands for some segments", () => {
  const points = [10, 10, 5].map((segments) => ({ segments, edited: 40 - segments }));
  assert.deepEqual(overSegments(points).map(({ x }) => x), [10, 20, 25]);
});
