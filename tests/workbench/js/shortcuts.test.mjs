import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { freshStorage, page } from "./support.mjs";

const { ACTIONS, actionOf, assign, combination, keysOf, shown } = await page("shortcuts");

beforeEach(() => freshStorage());

test("no two actions have the same keys at first", () => {
  const keys = Object.keys(ACTIONS).map(keysOf);
  assert.equal(new Set(keys).size, keys.length);
});

test("keys are told by their places, with all that is held down", () => {
  assert.equal(combination({ altKey: true, shiftKey: true, code: "KeyZ" }), "Alt+Shift+KeyZ");
  assert.equal(combination({ metaKey: true, code: "KeyK" }), "Control+KeyK");
  assert.deepEqual(shown("Control+ArrowDown"), ["Ctrl", "↓"]);
});

test("an action gets other keys, and its first ones back", () => {
  assert.equal(assign("grid", "Alt+KeyQ"), null);
  assert.deepEqual([actionOf("Alt+KeyQ"), actionOf("Alt+KeyG")], ["grid", undefined]);
  assert.equal(assign("grid", null), null);
  assert.equal(actionOf("Alt+KeyG"), "grid");
});

test("keys that are needed for typing, or have another meaning, are refused", () => {
  assert.match(assign("grid", "KeyQ"), /needed for typing/);
  assert.match(assign("grid", "Shift+KeyQ"), /needed for typing/);
  assert.match(assign("grid", "Enter"), /needed for typing/);
  assert.match(assign("grid", "Alt+KeyZ"), /already undo/);
  assert.equal(actionOf("Alt+KeyG"), "grid");
});
