import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { freshStorage, page } from "./support.mjs";

const { SegmentStore, preference, setPreference } = await page("storage");

beforeEach(() => freshStorage());

test("values survive a reload, by kind, project, document and segment", () => {
  new SegmentStore("draft", "manual").set(1, 4, { text: "Abra", time: 1 });
  const { tab, ...found } = new SegmentStore("draft", "manual").get(1, 4);
  assert.deepEqual(found, { document: 1, number: 4, text: "Abra", time: 1 });
  assert.equal(new SegmentStore("unsent", "manual").get(1, 4), null);
  assert.equal(new SegmentStore("draft", "other").get(1, 4), null);
  assert.equal(new SegmentStore("draft", "manual").get(1, 5), null);
});

test("all values come oldest first, stored or not", () => {
  freshStorage(100);
  const store = new SegmentStore("draft", "manual");
  store.set(1, 1, { text: "two", time: 2 });
  store.set(1, 2, { text: "one ".repeat(30), time: 1 });
  store.set(1, 3, { text: "three ".repeat(30), time: 3 });
  assert.deepEqual(
    store.all().map(({ number }) => number),
    [2, 1, 3],
  );
});

test("a value that fits again replaces the one that did not", () => {
  freshStorage(100);
  const store = new SegmentStore("draft", "manual");
  store.set(1, 1, { text: "long ".repeat(30) });
  store.set(1, 1, { text: "short" });
  assert.equal(store.get(1, 1).text, "short");
  assert.equal(new SegmentStore("draft", "manual").get(1, 1).text, "short");
});

test("a deleted value is gone, stored or not", () => {
  freshStorage(100);
  const store = new SegmentStore("draft", "manual");
  store.set(1, 1, { text: "short" });
  store.set(1, 2, { text: "long ".repeat(30) });
  for (const number of [1, 2]) store.delete(1, number);
  assert.deepEqual(store.all(), []);
});

test("a preference is remembered, and has a default", () => {
  assert.equal(preference("mode", "interactive"), "interactive");
  setPreference("mode", "postedit");
  assert.equal(preference("mode", "interactive"), "postedit");
});

test("a preference that cannot be stored is no error", () => {
  freshStorage(0);
  setPreference("mode", "postedit");
  assert.equal(preference("mode", "interactive"), "interactive");
});

test("two tabs have a value each for the same segment", () => {
  const one = new SegmentStore("draft", "manual", "one"),
    other = new SegmentStore("draft", "manual", "other");
  one.set(1, 4, { text: "Abra", time: 1 });
  other.set(1, 4, { text: "Cierre", time: 2 });
  other.delete(1, 5);
  assert.deepEqual([one.get(1, 4).text, other.get(1, 4).text], ["Abra", "Cierre"]);
  assert.deepEqual(one.all().map(({ text }) => text), ["Abra"]);
});

test("what a closed tab has left is taken over, and nothing of an open one", () => {
  for (const [n, owner] of ["closed", "older", "open"].entries())
    new SegmentStore("draft", "manual", owner).set(1, 4, { text: owner, time: 10 - n });
  localStorage.setItem("dragoman:draft:manual:1:5", JSON.stringify({ document: 1, number: 5, text: "before", time: 1 }));
  const mine = new SegmentStore("draft", "manual", "mine");
  const lost = mine.adopt((owner) => owner === "open");
  assert.deepEqual([mine.get(1, 4).text, mine.get(1, 5).text], ["closed", "before"]);
  assert.deepEqual(lost.map(({ text }) => text), ["older"]);
  assert.equal(mine.everything().length, 3);
});
