import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { Alternatives, completion } = await page("alternatives");

test("a completion has its words in UTF-16 units", () => {
  const words = [
    { text: "👍", begin: 0, confidence: 0.9 },
    { text: "sí", begin: 2, confidence: 0.2 },
  ];
  const found = completion({ suffix: "👍 sí", words }, true);
  assert.deepEqual(found, {
    text: "👍 sí",
    shade: true,
    words: [
      { from: 0, to: 2, confidence: 0.9 },
      { from: 3, to: 5, confidence: 0.2 },
    ],
  });
});

test("a completion need not have words", () => {
  assert.deepEqual(completion({ suffix: "sí" }, false), { text: "sí", words: [], shade: false });
});

test("alternatives are walked back and forth, and end on both sides", () => {
  const found = new Alternatives();
  assert.ok(found.empty);
  for (const text of ["uno", "dos", "tres"]) found.add(text);
  assert.ok(!found.empty);
  assert.equal(found.move(1), null);
  assert.equal(found.move(-1), "dos");
  assert.equal(found.move(-1), "uno");
  assert.equal(found.move(-1), null);
  assert.equal(found.move(1), "dos");
});

test("a new alternative is the one shown, wherever one was", () => {
  const found = new Alternatives();
  for (const text of ["uno", "dos"]) found.add(text);
  found.move(-1);
  found.add("tres");
  assert.equal(found.move(-1), "dos");
});

test("alternatives of another text are forgotten", () => {
  const found = new Alternatives();
  found.add("uno");
  found.clear();
  assert.ok(found.empty);
  assert.equal(found.move(-1), null);
  found.add("dos");
  assert.equal(found.move(-1), null);
});
