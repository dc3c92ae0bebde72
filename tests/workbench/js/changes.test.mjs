import assert from "node:assert/strict";
import { test } from "node:test";
import { freshStorage, page } from "./support.mjs";

const { asDraft, changedSince, confirmation, isOutdated, onLeaving, readiness, typedAhead, untouched } = await page("changes");
const { DocumentSegments } = await page("document");
const { Drafts, NO_EFFORT, addEffort } = await page("drafts");
const segment = { number: 4, source: "Open the lid.", target: "", state: "new", version: 3 };

test("a segment can be confirmed with any text that is not blank", () => {
  assert.equal(readiness(segment, "Abra la tapa."), "ready");
  assert.equal(readiness(segment, " "), "empty");
});

test("a segment with a blank source can be confirmed blank", () => {
  assert.equal(readiness({ ...segment, source: "  " }, ""), "ready");
});

test("a locked segment is never confirmed", () => {
  assert.equal(readiness({ ...segment, state: "locked" }, "Abra"), "locked");
});

test("a confirmation has the version it is based on, the first suggestion and the effort", () => {
  const effort = { keys: 7, clicks: 1, milliseconds: 1234.6 };
  assert.deepEqual(confirmation(segment, "Abra la tapa.", { suggestion: "Abra", effort, force: false }), {
    target: "Abra la tapa.",
    state: "confirmed",
    version: 3,
    force: false,
    suggestion: "Abra",
    key_strokes: 7,
    mouse_actions: 1,
    milliseconds: 1235,
  });
});

test("without a suggestion a confirmation says nothing about one", () => {
  const change = confirmation(segment, "Abra", { suggestion: null, effort: NO_EFFORT, force: true });
  assert.ok(!("suggestion" in JSON.parse(JSON.stringify(change))));
  assert.equal(change.force, true);
});

test("a draft is based on a version as well", () => {
  assert.deepEqual(asDraft(segment, "Abra"), { target: "Abra", state: "translated", version: 3 });
});

test("the draft of a segment that is left is sent", () => {
  assert.equal(onLeaving(segment, { text: "Abra" }, null), "send");
});

test("a draft in conflict is neither sent nor thrown away by leaving", () => {
  const question = { kind: "conflict", theirs: "Cierre" };
  assert.equal(onLeaving(segment, { text: "Abra", question }, null), "keep");
  assert.equal(onLeaving({ ...segment, target: "Abra" }, { text: "Abra", question }, null), "keep");
});

test("a draft that was begun on an older text is outdated, unless it says the same", () => {
  assert.ok(isOutdated({ text: "Abra", base: 2 }, { ...segment, target: "Cierre" }));
  assert.ok(!isOutdated({ text: "Abra", base: 2 }, { ...segment, target: "Abra" }));
  assert.ok(!isOutdated({ text: "Abra", base: 3 }, segment));
  assert.ok(!isOutdated(null, segment));
  const filled = { ...segment, target: "Cierre", origin: "repetition" };
  assert.ok(!isOutdated({ text: "Abra", base: 2 }, { ...filled, state: "translated" }));
  assert.ok(isOutdated({ text: "Abra", base: 2 }, { ...filled, state: "confirmed" }));
  assert.equal(asDraft(segment, "Abra", 2).version, 2);
  assert.equal(confirmation(segment, "Abra", { effort: NO_EFFORT, base: 2 }).version, 2);
});

test("what was typed behind a confirmed text belongs to the next segment, another change of it does not", () => {
  assert.equal(typedAhead("Abra.", "Abra.Cie"), "Cie");
  assert.equal(typedAhead("Abra.", "Abra."), "");
  assert.equal(typedAhead("Abra.", "Abre."), "");
});

test("a draft that says what the server has is discarded", () => {
  assert.equal(onLeaving({ ...segment, target: "Abra" }, { text: "Abra" }, null), "discard");
});

test("nothing is sent for a segment that is confirmed, locked, on its way, or was not touched", () => {
  for (const state of ["confirmed", "locked"]) assert.equal(onLeaving({ ...segment, state }, { text: "Abra" }, null), "keep");
  assert.equal(onLeaving(segment, { text: "Abra" }, { change: {} }), "keep");
  assert.equal(onLeaving(segment, null, null), "keep");
  assert.equal(onLeaving(undefined, { text: "Abra" }, null), "keep");
});

test("a draft of a confirmed segment that says what was confirmed is discarded", () => {
  assert.equal(onLeaving({ ...segment, state: "confirmed", target: "Abra" }, { text: "Abra" }, null), "discard");
});

test("what was changed since it was confirmed is known from the drafts", () => {
  freshStorage();
  const drafts = new Drafts("manual");
  const segments = new DocumentSegments([
    { number: 1, target: "Abra", state: "confirmed", version: 2 },
    { number: 2, target: "Abra", state: "confirmed", version: 2 },
    { number: 3, target: "", state: "translated", version: 2 },
  ]);
  drafts.set(1, 1, { text: "Abra la" });
  drafts.set(1, 2, { text: "Abra" });
  drafts.set(1, 3, { text: "Abra la" });
  drafts.set(8, 2, { text: "in another document" });
  assert.deepEqual([...changedSince(drafts, 1, segments)], [1]);
});

test("switching to post-editing starts afresh if nothing was typed", () => {
  assert.ok(untouched("postedit", "", { suggestion: "Abra", target: "" }));
  assert.ok(!untouched("postedit", "A", { suggestion: "Abra", target: "" }));
});

test("switching to interactive starts afresh if the suggestion was not edited", () => {
  assert.ok(untouched("interactive", "Abra", { suggestion: "Abra", target: "" }));
  assert.ok(!untouched("interactive", "Abra", { suggestion: "Abra", target: "Abra" }));
  assert.ok(!untouched("interactive", "Abre", { suggestion: "Abra", target: "" }));
});

test("effort adds up, and leaves its parts as they were", () => {
  const one = { keys: 1, clicks: 2, milliseconds: 3 };
  assert.deepEqual(addEffort(one, { keys: 10, clicks: 20, milliseconds: 30 }), { keys: 11, clicks: 22, milliseconds: 33 });
  assert.deepEqual(addEffort(NO_EFFORT, one), one);
  assert.deepEqual(one, { keys: 1, clicks: 2, milliseconds: 3 });
});
