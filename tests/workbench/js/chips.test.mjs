import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { TAGS, page } from "./support.mjs";

const { EditorState } = await page("vendor/codemirror");
const { chips } = await page("chips");
const { setTagPattern } = await page("text");

beforeEach(() => setTagPattern(TAGS));
afterEach(() => setTagPattern(null));

/** A text after a change, with the editor's rules for tags. */
function changed(doc, changes, userEvent = "input") {
  const state = EditorState.create({ doc, extensions: chips });
  return state.update({ changes, userEvent }).state.doc.toString();
}

const TEXT = "Pulse <b>el botón</b>."; // <b> is at 6 to 9, </b> at 17 to 21

test("deleting one character of a tag deletes all of it", () => {
  assert.equal(changed(TEXT, { from: 8, to: 9 }), "Pulse el botón</b>.");
  assert.equal(changed(TEXT, { from: 6, to: 7 }), "Pulse el botón</b>.");
});

test("a selection that cuts tags in two is deleted with both tags whole", () => {
  assert.equal(changed(TEXT, { from: 7, to: 18 }), "Pulse .");
});

test("what is typed inside a tag goes after it", () => {
  assert.equal(changed(TEXT, { from: 7, insert: "x" }), "Pulse <b>xel botón</b>.");
});

test("what is typed at the edge of a tag stays there", () => {
  assert.equal(changed(TEXT, { from: 6, insert: "x" }), "Pulse x<b>el botón</b>.");
  assert.equal(changed(TEXT, { from: 9, insert: "x" }), "Pulse <b>xel botón</b>.");
});

test("text around tags, and tags selected whole, change as usual", () => {
  assert.equal(changed(TEXT, { from: 6, to: 9 }), "Pulse el botón</b>.");
  assert.equal(changed(TEXT, { from: 5, to: 10, insert: "!" }), "Pulse!l botón</b>.");
  assert.equal(changed(TEXT, { from: 0, to: TEXT.length, insert: "%s" }), "%s");
});

test("several changes at once are each mended", () => {
  assert.equal(changed(TEXT, [{ from: 8, to: 9 }, { from: 20, to: 21 }]), "Pulse el botón.");
});

test("undoing is never mended: it restores exactly what was there", () => {
  assert.equal(changed(TEXT, { from: 7, insert: "x" }, "undo"), "Pulse <xb>el botón</b>.");
});

test("without tags every change is as usual", () => {
  setTagPattern(null);
  assert.equal(changed(TEXT, { from: 8, to: 9 }), "Pulse <bel botón</b>.");
});
