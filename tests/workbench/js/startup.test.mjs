import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { about, describe } = await page("startup");

test("the page says how much is compiled, and how long the rest may take once that is known", () => {
  const state = { doing: "compiling", done: 120, total: 392, seconds_left: null };
  assert.equal(describe(state), "The first start compiles dragoman for this computer: 120 of 392 parts.");
  assert.match(describe({ ...state, seconds_left: 28 }), /120 of 392 parts, about 30 seconds more\.$/);
});

test("times are said as people say them", () => {
  assert.equal(about(3), "a few seconds");
  assert.equal(about(41), "about 50 seconds");
  assert.equal(about(130), "about 2 minutes");
});

test("the sample, loading, and a server that is not there have words of their own", () => {
  assert.equal(
    describe({ doing: "learning the sample", done: 7, total: 502 }),
    "Learning the sample: 7 of 502 segments.",
  );
  assert.equal(describe({ doing: "loading" }), "Loading …");
  assert.match(describe(null), /^Cannot reach the server/);
});
