import assert from "node:assert/strict";
import { test } from "node:test";
import { freshStorage, page } from "./support.mjs";

freshStorage();
const { limited } = await page("splitters");

test("a pane is neither too narrow nor wider than there is room", () => {
  assert.equal(limited("list", 20), 180);
  assert.equal(limited("list", 333.4), 333);
  assert.equal(limited("beside", 5000), 760);
  assert.equal(limited("beside", 700, 500), 500);
});
