import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDocument, freshStorage, page } from "./support.mjs";

const { changes, reason, takenBack } = await page("fused");

const token = (start, end) => ({ start, end });
const FOUND = {
  text: "👍 Abra la tapa.",
  target_tokens: [token(0, 1), token(2, 6), token(7, 9), token(10, 14), token(14, 15)],
  phrases: [
    { target: [0, 2], kind: "upstream", replaces: "", corrections: [] },
    { target: [2, 4], kind: "phrase", replaces: "la tapadera", corrections: [40, 12] },
    { target: [4, 5], kind: "upstream", replaces: "", corrections: null },
  ],
};
const [CHANGE] = changes(FOUND);

test("a change has its place in UTF-16 units, both words, and its corrections", () => {
  assert.deepEqual(changes(FOUND), [
    { from: 8, to: 15, words: "la tapa", engine: "la tapadera", corrections: [40, 12], evidence: [] },
  ]);
});

const WEIGHED = { said: "tapadera", words: "tapa", used: true, probability: 0.826, times: 5, seen: 6 };
const UNUSED = { ...WEIGHED, words: "cubierta", used: false, times: 1 };
const ELSEWHERE = { ...WEIGHED, said: "Abre", words: "Abra" };

test("a change has the evidence that was weighed for it, which its reason tells", () => {
  const [change] = changes({ ...FOUND, changes: [UNUSED, WEIGHED, ELSEWHERE] });
  assert.deepEqual(change.evidence, [WEIGHED]);
  assert.ok(reason(change).endsWith("say “la tapa”. Replaced 5 of 6 times, 83 % likely to help."));
  change.evidence[0].last = "2026-05-01T09:00:00+00:00";
  assert.ok(reason(change).endsWith("Replaced 5 of 6 times, last on 2026-05-01, 83 % likely to help."));
});

test("a change can be refused for ever where its evidence is known", async () => {
  freshStorage();
  freshDocument();
  const { Suggestions } = await page("suggestions");
  const refused = [];
  const list = new Suggestions(undefined, undefined, (change) => refused.push(...change.evidence));
  list.show([]);
  list.add({ ...FOUND, changes: [WEIGHED] });
  const [button] = list.body.all("button").filter((each) => each.textContent === "Never again");
  button.click();
  assert.deepEqual(refused, [WEIGHED]);
});

test("the reason names the corrections in order", () => {
  const told = (corrections) => reason({ words: "Y", engine: "X", corrections });
  assert.equal(told([40, 12]), "The engine said “X”; corrections 12 and 40 say “Y”.");
  assert.equal(told([3, 1, 2]), "The engine said “X”; corrections 1, 2 and 3 say “Y”.");
  assert.equal(told([7]), "The engine said “X”; correction 7 says “Y”.");
  assert.equal(told([]), "The engine said “X”; the models say “Y”.");
});

test("taking a change back puts the engine's words in its place", () => {
  assert.equal(takenBack(FOUND.text, CHANGE), "👍 Abra la tapadera.");
});

test("of several places the nearest to the change is taken, and only whole words count", () => {
  const change = { from: 12, words: "tapa", engine: "cubierta" };
  assert.equal(takenBack("tapa, otra tapa", change), "tapa, otra cubierta");
  assert.equal(takenBack("tapa, destapar la tapadera", change), "cubierta, destapar la tapadera");
});

test("what is no longer in the text cannot be taken back", () => {
  assert.equal(takenBack("Abra la puerta.", CHANGE), null);
});

test("memory, engine and dragoman are in one list, and a change in it can be taken back", async () => {
  freshStorage();
  freshDocument();
  const { Suggestions } = await page("suggestions");
  const used = [];
  const list = new Suggestions(
    (text) => used.push(text),
    (change) => used.push(change.engine),
  );
  list.show([{ similarity: 98.6, source: "Open it.", target: "Ábrala." }], "👍 Abra la tapadera.");
  list.add(FOUND);
  list.add(FOUND);
  assert.deepEqual(
    list.found.map(({ badge }) => badge.textContent),
    ["98 %", "engine", "dragoman"],
  );
  assert.deepEqual(
    list.body.all("mark").map((each) => each.textContent),
    ["la tapa"],
  );
  for (const button of list.body.all("button")) button.click();
  assert.deepEqual(used, ["Ábrala.", "👍 Abra la tapadera.", FOUND.text, "la tapadera"]);
});

test("without another engine there are only matches", async () => {
  freshStorage();
  freshDocument();
  const { Suggestions } = await page("suggestions");
  const list = new Suggestions();
  list.show([]);
  assert.equal(list.body.textContent, "No similar segments yet.");
});
