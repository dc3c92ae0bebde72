import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { occurrences } = await page("find_bar");
const found = (...more) => occurrences(...more).map(({ from, to }) => [from, to]);

test("a text is found wherever it is, whatever the case", () => {
  assert.deepEqual(found("La tapa, TAPA.", "tapa"), [[3, 7], [9, 13]]);
  assert.deepEqual(found("La tapa, TAPA.", "tapa", true), [[3, 7]]);
  assert.deepEqual(found("ÁBRA ábra", "ábra"), [[0, 4], [5, 9]]);
});

test("what is looked for is text, not an expression", () => {
  assert.deepEqual(found("a.b (c) [d] \\ $ {e} a+b", "(c) [d] \\ $ {e}"), [[4, 19]]);
  assert.deepEqual(found("a-b/c", "-b/"), [[1, 4]]);
  assert.deepEqual(found("anything", ""), []);
});
