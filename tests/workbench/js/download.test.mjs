import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { freshStorage, page, serve } from "./support.mjs";

const { concerns, editedIn, unread } = await page("download");
const { Drafts } = await page("drafts");

beforeEach(() => freshStorage());

test("a file with nothing to say about it needs no report", () => {
  assert.deepEqual(concerns({ not_delivered: [], findings: [] }, []), []);
  const open = [
    { segment: 3, what: "is not translated", state: "new" },
    { segment: 4, what: "is not confirmed", state: "translated" },
  ];
  assert.deepEqual(concerns({ not_delivered: open, findings: [] }, []), []);
});

test("the report names what was changed since, what the file lacks, and what is worth a look", () => {
  const lost = { segment: 7, what: "lacks </b>", state: "translated" };
  const found = { segment: 4, check: "numbers", severity: "warning", what: "the number 5 is missing", accepted: null };
  const accepted = { ...found, segment: 5, accepted: { reason: "" } };
  const error = { ...found, segment: 7, check: "file", severity: "error" };
  const groups = concerns({ not_delivered: [lost], findings: [error, found, accepted] }, [2]);
  assert.deepEqual(
    groups.map(({ title, rows }) => [title, rows.map(({ segment }) => segment)]),
    [
      ["Changed since confirmed: the file would have the older text", [2]],
      ["Not written into the file (1)", [7]],
      ["1 number that differs", [4]],
    ],
  );
});

test("findings of one check are one group, which can be accepted", () => {
  const found = (segment, check) => ({ segment, check, severity: "question", what: "“drip” is not translated" });
  const groups = concerns({ findings: [found(1, "untranslated"), found(2, "numbers"), found(3, "untranslated")] }, []);
  assert.deepEqual(
    groups.map(({ title, check, rows }) => [title, check, rows.length]),
    [["2 words not translated", "untranslated", 2], ["1 number that differs", "numbers", 1]],
  );
});

test("the report says how much nobody has read", () => {
  assert.equal(unread({ segments: 351, confirmed: 351, unconfirmed: 0 }), null);
  assert.match(unread({ segments: 351, confirmed: 0, unconfirmed: 351 }), /^0 of 351 segments are confirmed\. 351 segments have been read by nobody/);
});

test("drafts of confirmed segments are found without opening the document", async () => {
  const drafts = new Drafts("manual");
  drafts.set(1, 2, { text: "Abra la" });
  drafts.set(1, 3, { text: "Abra" });
  drafts.set(8, 4, { text: "in another document" });
  serve((method, path) => ({ number: Number(path.split("/").at(-1)), state: "confirmed", target: "Abra" }));
  assert.deepEqual(await editedIn("manual", 1), [2]);
});
