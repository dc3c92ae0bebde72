import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { Shown, asQuery, fits } = await page("filter");
const segment = { number: 4, source: "Open the LID.", target: "Abra la tapa.", state: "translated", version: 1 };

test("a filter looks at source and target in any case, and at the state", () => {
  assert.ok(fits(segment, { text: "lid" }));
  assert.ok(fits(segment, { text: "TAPA", choice: "translated" }));
  assert.ok(fits(segment, { choice: "open" }));
  assert.ok(!fits(segment, { text: "lid", choice: "confirmed" }));
  assert.ok(!fits(segment, { text: "button" }));
  assert.ok(!fits(segment, { text: "lid.Abra" }));
});

test("a filter looks at what is held back, warned about, changed since, to review or mine", () => {
  const has = (more, choice, known) => fits({ ...segment, ...more }, { choice }, known);
  assert.ok(has({ held: true }, "held") && !has({}, "held"));
  assert.ok(has({ warnings: 1 }, "warnings") && has({ held: true }, "warnings") && !has({ warnings: 0 }, "warnings"));
  assert.ok(has({}, "edited", { edited: new Set([4]) }) && !has({}, "edited"));
  assert.ok(has({ stage: "review" }, "review") && !has({ stage: "done" }, "review"));
  assert.ok(has({ assignee: "ana" }, "mine", { me: "ana" }) && !has({ assignee: "bo" }, "mine", { me: "ana" }));
  assert.ok(!has({ assignee: null }, "mine", { me: null }));
});

test("the server is asked what a filter means to it", () => {
  assert.equal(asQuery({ text: "a b", choice: "" }), "search=a+b");
  assert.equal(asQuery({ text: "", choice: "held" }), "warnings=held");
  assert.equal(asQuery({ text: "x", choice: "confirmed" }), "search=x&state=confirmed");
  assert.equal(asQuery({ text: "x", choice: "open" }), "search=x"); // the states are known here
  assert.equal(asQuery({ text: "", choice: "mine" }, "ana"), "assigned=ana");
});

const toDo = (...numbers) => (number) => numbers.includes(number);

test("the next segment to do is the first one after a number, and else the first of all", () => {
  const shown = new Shown(5);
  assert.equal(shown.next(0, toDo(1, 3, 5)), 1);
  assert.equal(shown.next(1, toDo(1, 3, 5)), 3);
  assert.equal(shown.next(5, toDo(1, 3, 5)), 1);
  assert.equal(shown.next(2, toDo(2)), undefined);
});

test("with a filter, the next segment is one that it shows", () => {
  const shown = new Shown(9, [2, 4, 8]);
  assert.equal(shown.next(2, toDo(3, 8)), 8);
  assert.equal(shown.next(4, toDo()), 8); // nothing to do in it: simply the next one
  assert.equal(shown.next(8, toDo()), undefined);
});

test("segments beside a segment end at both ends, and are those that the filter shows", () => {
  assert.equal(new Shown(2).beside(1, 1), 2);
  assert.equal(new Shown(2).beside(2, 1), undefined);
  assert.equal(new Shown(2).beside(1, -1), undefined);
  const shown = new Shown(9, [2, 4, 8]);
  assert.deepEqual([shown.beside(4, 1), shown.beside(4, -1), shown.beside(8, 1)], [8, 2, undefined]);
  assert.deepEqual([shown.beside(5, 1), shown.beside(5, -1)], [8, 4]); // the open one need not fit
});

test("what a filter shows stays in order when segments come and go", () => {
  const shown = new Shown(9, [2, 8]);
  shown.add(4);
  shown.add(4);
  assert.deepEqual(shown.numbers, [2, 4, 8]);
  shown.delete(2);
  shown.delete(3);
  assert.deepEqual([shown.numbers, shown.count, shown.has(2)], [[4, 8], 2, false]);
});
