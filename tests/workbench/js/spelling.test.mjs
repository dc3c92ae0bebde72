import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { setTagPattern } = await page("text");
const { spelled } = await page("spelling");
const words = (...more) => spelled(...more).map(({ word }) => word);

test("words are looked up, but not tags, codes, or what is copied from the source", () => {
  setTagPattern("(?<tag></?[a-z]+>)");
  assert.deepEqual(words("Cierre <b>la</b> tapa de Bosch.", "Close the Bosch lid."), ["Cierre", "la", "tapa", "de"]);
  assert.deepEqual(words("l’état d'été, garde-fou"), ["l’état", "d'été", "garde-fou"]);
  assert.deepEqual(words("x1 v2a a@b.org/c una_b y"), ["org"].filter((word) => words("a@b.org/c").includes(word)));
  setTagPattern(null);
});

test("places are those in the text", () => {
  assert.deepEqual(spelled("¿La tapa?").map(({ from, to }) => [from, to]), [[1, 3], [4, 8]]);
});
