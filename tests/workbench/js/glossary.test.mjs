import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { asTerm, listed } = await page("glossary");

test("texts are separated by commas", () => {
  assert.deepEqual(listed(" tapadera, la cubierta ,, "), ["tapadera", "la cubierta"]);
});

test("fields that are left empty are not sent, so that what is known stays", () => {
  assert.deepEqual(asTerm({ source: " lid ", target: "tapa", note: "", forbidden: " " }), { source: "lid", target: "tapa" });
  assert.deepEqual(asTerm({ source: "lid", target: "", forbidden: "a, b", case: "on", note: "n" }), {
    source: "lid",
    note: "n",
    forbidden: ["a", "b"],
    case: "same",
  });
});
