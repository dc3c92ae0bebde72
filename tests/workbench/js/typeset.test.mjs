import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDocument, page } from "./support.mjs";

const { readable, runsOf, typeset } = await page("typeset");

const BOLD = [
  { tag: "<b>", kind: "start", look: "bold", text: "" },
  { tag: "</b>", kind: "end", look: "plain", text: "" },
];

test("the tags of a text become looks, and all else stays text", () => {
  const found = runsOf("Press <b>here</b> <i>now</i>.", BOLD);
  assert.deepEqual(
    found.map(({ kind, text }) => [kind, text]),
    [["text", "Press "], ["start", ""], ["text", "here"], ["end", ""], ["text", " <i>now</i>."]],
  );
});

test("tags that begin alike, or look like patterns, are told apart", () => {
  const looks = ["{0}", "<x1/>", "<x1"].map((tag) => ({ tag, kind: "alone", look: "tag", text: tag }));
  assert.deepEqual(
    runsOf("a {0} <x1/>", looks).map(({ text }) => text),
    ["a ", "{0}", " ", "<x1/>"],
  );
  assert.equal(readable("a {0} <x1/>", looks), 3);
});

test("two tags that are alike have their looks in order", () => {
  const looks = ["code", "image"].map((look) => ({ tag: "<x/>", kind: "alone", look, text: look }));
  assert.deepEqual(
    runsOf("<x/> and <x/>", looks).map(({ look }) => look),
    ["code", undefined, "image"],
  );
});

test("looks become elements, and what is never closed or opened does no harm", () => {
  const { body } = freshDocument("body");
  typeset(body, [...runsOf("</b>a <b>c", BOLD), { kind: "segment", segment: 7 }], (number) => `[${number}]`);
  assert.equal(body.textContent, "a c[7]");
  assert.equal(body.all("b")[0].textContent, "c[7]");
});

test("markup in a text stays text", () => {
  const { body } = freshDocument("body");
  typeset(body, runsOf("<script>alert(1)</script>", []));
  assert.deepEqual(body.children, ["<script>alert(1)</script>"]);
});

test("a tag with a hyphen is a tag, whatever else patterns mean by it", () => {
  const tags = ['<a href="my-page.html">', "`a-b`", "[x-1]", "{a-z}", "(p|q)^*$\\"];
  const looks = tags.map((tag) => ({ tag, kind: "alone", look: "tag", text: tag }));
  assert.deepEqual(
    runsOf(tags.join(" "), looks).map(({ text }) => text),
    tags.flatMap((tag, n) => (n ? [" ", tag] : [tag])),
  );
});
