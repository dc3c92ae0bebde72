import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { canLearn, learns, withLearning } = await page("engine");

test("an engine learns if its name says so", () => {
  assert.equal(learns("engine:en-es#learns=yes"), true);
  assert.equal(learns("engine:en-es"), false);
  assert.equal(learns(null), false);
  assert.equal(canLearn("ct2:models/x"), true);
  assert.equal(canLearn("deepl:"), false);
});

test("other options of a name are kept", () => {
  assert.equal(withLearning("ct2:m#threads=1", true), "ct2:m#threads=1&learns=yes");
  assert.equal(withLearning("ct2:m#learns=yes&threads=1", false), "ct2:m#threads=1");
  assert.equal(withLearning("engine:en-es#learns=no", true), "engine:en-es#learns=yes");
  assert.equal(withLearning("engine:en-es", false), "engine:en-es");
});
