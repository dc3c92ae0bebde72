import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { EditorState } = await page("vendor/codemirror");
const { ghost, hideGhost, setGhost, sureness, visible } = await page("ghost");

/** A state with a text, a caret at its end, and a completion. */
function shown(doc, text, words = []) {
  const state = EditorState.create({ doc, selection: { anchor: doc.length }, extensions: ghost });
  return state.update({ effects: setGhost.of({ text, words }) }).state;
}

const type = (state, insert, from = state.doc.length) =>
  state.update({ changes: { from, insert }, selection: { anchor: from + insert.length } }).state;

const remove = (state, count) => {
  const from = state.doc.length - count;
  return state.update({ changes: { from, to: state.doc.length }, selection: { anchor: from } }).state;
};

test("typing what was suggested moves it into the text, and it stays fresh", () => {
  const next = visible(type(shown("Pul", "se el botón"), "se "));
  assert.deepEqual([next.text, next.fresh], ["el botón", true]);
});

test("words of the completion move along, and go once they are typed", () => {
  const words = [
    { from: 0, to: 2, confidence: 1 },
    { from: 3, to: 8, confidence: 0.5 },
  ];
  const next = visible(type(shown("Pulse ", "el botón", words), "el b"));
  assert.deepEqual(next.words, [{ from: 0, to: 4, confidence: 0.5 }]);
});

test("typing something else leaves the completion, but it cannot be accepted any more", () => {
  const next = visible(type(shown("Pul", "se el botón"), "x"));
  assert.deepEqual([next.text, next.fresh], ["se el botón", false]);
});

test("deleting puts the deleted text back in front of the completion, not fresh", () => {
  const next = visible(remove(shown("Pulse", " el botón"), 2));
  assert.deepEqual([next.text, next.fresh], ["se el botón", false]);
});

test("a change before the end of the text makes the completion old", () => {
  const state = type(shown("Pulse", " el botón"), "x", 0);
  assert.equal(state.field(ghost).fresh, false);
});

test("a completion is only visible while the caret is at the end of the text", () => {
  const state = shown("Pulse", " el botón");
  assert.ok(visible(state));
  assert.equal(visible(state.update({ selection: { anchor: 1 } }).state), null);
  assert.equal(visible(state.update({ selection: { anchor: 1, head: 5 } }).state), null);
});

test("a hidden completion comes back with the next key", () => {
  const hidden = shown("Pulse", " el botón").update({ effects: hideGhost.of(null) }).state;
  assert.equal(visible(hidden), null);
  assert.equal(visible(type(hidden, " ")).text, "el botón");
});

test("there is nothing to see of an empty completion, or of none", () => {
  assert.equal(visible(shown("Pulse", "")), null);
  assert.equal(visible(shown("Pulse", " el").update({ effects: setGhost.of(null) }).state), null);
});

test("confidence has four steps", () => {
  assert.deepEqual([0, 0.29, 0.3, 0.6, 0.89, 0.9, 1].map(sureness), [0, 0, 1, 2, 2, 3, 3]);
});
