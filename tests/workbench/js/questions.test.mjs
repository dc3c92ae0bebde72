import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { Refused } = await page("api");
const { inWords, insisting, questionOf } = await page("questions");
const refused = (more) => new Refused(409, { what: "no", ...more });
const findings = [
  { check: "placeholders", what: "{count} is missing" },
  { check: "placeholders", what: "{name} is missing" },
  { check: "length", what: "4 characters too long" },
];

test("what the file cannot hold can only be changed", () => {
  const question = questionOf(refused({ code: "held", findings }));
  assert.deepEqual(inWords(question), {
    text: "Not confirmed: the file cannot hold this text.",
    points: ["{count} is missing.", "{name} is missing.", "4 characters too long."],
  });
});

test("what is doubtful is confirmed by accepting each check, with a reason", () => {
  const question = questionOf(refused({ code: "questions", findings }));
  assert.equal(inWords(question).button, "Confirm anyway");
  assert.deepEqual(insisting(question, "as agreed"), {
    accept: [
      { check: "placeholders", reason: "as agreed" },
      { check: "length", reason: "as agreed" },
    ],
  });
});

test("what looks like a mistake is confirmed by force", () => {
  const question = questionOf(refused({ flagged: 9, reason: "the target is a copy of the source" }));
  assert.equal(inWords(question).text, "Not confirmed: the target is a copy of the source.");
  assert.deepEqual(insisting(question), { force: true });
});

test("a conflict tells the other text", () => {
  const question = questionOf(refused({ code: "conflict", segment: { target: "Abra" } }));
  assert.match(inWords(question).text, /^Conflict: .* in another window to “Abra”\. Your text is kept/);
  assert.deepEqual([inWords(question).button, inWords(question).other], ["Use theirs", "Keep mine"]);
});

test("other refusals are no questions about the text", () => {
  assert.equal(questionOf(new Refused(403, { what: "no", code: "role-missing" })), null);
});
