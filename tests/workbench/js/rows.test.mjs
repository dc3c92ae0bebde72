import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { inSight } = await page("rows");

test("only rows in sight are drawn, and a few beyond", () => {
  assert.deepEqual(inSight({ top: 50_000, height: 500, row: 50, count: 100_000 }), { from: 985, to: 1025 });
});

test("at both ends there is nothing beyond", () => {
  assert.deepEqual(inSight({ top: 0, height: 500, row: 50, count: 12 }), { from: 0, to: 12 });
  assert.deepEqual(inSight({ top: 4_999_500, height: 500, row: 50, count: 100_000 }), { from: 99_975, to: 100_000 });
});

test("a list that became shorter than where it was scrolled to draws its end", () => {
  assert.deepEqual(inSight({ top: 90_000, height: 500, row: 50, count: 3 }), { from: 0, to: 3 });
});
