import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { TAGS, page } from "./support.mjs";

const { direction, firstWord, inUnits, label, language, missing, recased, setTagPattern, tags, unit, words } = await page("text");
const slices = (text, found) => found.map(({ from, to }) => text.slice(from, to));

beforeEach(() => setTagPattern(TAGS));
afterEach(() => setTagPattern(null));

test("code points are counted as UTF-16 units, which are two for an emoji", () => {
  assert.equal(unit("botón", 3), 3);
  assert.equal(unit("👍🏽 ok", 3), 5);
  assert.equal(unit("👍", 9), 2);
});

test("the server's spans become those of JavaScript strings, and keep what else is known of a token", () => {
  const text = "👍 <b>";
  const found = inUnits(text, [{ start: 2, end: 5, tag: true }]);
  assert.deepEqual(found, [{ start: 3, end: 6, tag: true }]);
  assert.equal(text.slice(found[0].start, found[0].end), "<b>");
});

test("tags are what the server's pattern calls tags", () => {
  const text = 'Press <g id="1">%s</g>.';
  assert.deepEqual(
    tags(text).map((tag) => tag.text),
    ['<g id="1">', "%s", "</g>"],
  );
  assert.deepEqual(slices(text, tags(text)), ['<g id="1">', "%s", "</g>"]);
});

test("what the pattern matches outside the group of tags is no tag", () => {
  assert.deepEqual(tags("see https://example.org/%s"), []);
});

test("a project without tags has none", () => {
  setTagPattern(null);
  assert.deepEqual(tags("<b>"), []);
});

test("missing tags are counted, and come in the order of the source", () => {
  assert.deepEqual(missing("<b>a</b> <b>c</b> %s", "%s </b>"), ["<b>", "<b>", "</b>"]);
  assert.deepEqual(missing("<b>a</b>", "</b><b>"), []);
  assert.deepEqual(missing("a", "<b>"), []);
});

test("the first word has the spaces around it", () => {
  assert.equal(firstWord("botón verde"), "botón ");
  assert.equal(firstWord("  botón  verde"), "  botón  ");
  assert.equal(firstWord("verde."), "verde.");
  assert.equal(firstWord(""), "");
  assert.equal(firstWord(" "), " ");
});

test("a tag at the beginning is the first word, with spaces inside it and without the word that follows", () => {
  assert.equal(firstWord('<g id="1">botón</g>'), '<g id="1">');
  assert.equal(firstWord(' <g id="1"> botón'), ' <g id="1"> ');
  assert.equal(firstWord("el <b>botón"), "el ");
});

/** The words of a text as Tab takes them one by one. */
function taken(text, language) {
  const found = [];
  for (let rest = text; rest; rest = rest.slice(found.at(-1).length)) found.push(firstWord(rest, language));
  return found;
}

test("without spaces between words, words end where the language says", () => {
  assert.deepEqual(taken("緑色のボタンを押す。", "ja"), ["緑色", "の", "ボタン", "を", "押す。"]);
  assert.deepEqual(taken("请按下绿色按钮。", "zh_CN"), ["请", "按下", "绿色", "按钮。"]);
  assert.deepEqual(taken("กดปุ่มสีเขียว", "th"), ["กด", "ปุ่ม", "สี", "เขียว"]);
  assert.deepEqual(taken("「緑」の", "ja"), ["「", "緑」", "の"]);
});

test("a language code that nobody knows does not keep words from being taken", () => {
  assert.equal(firstWord("緑色のボタン", "not a code"), "緑色");
});

test("words are separated by spaces, punctuation marks and tags", () => {
  const text = "Pulse <b>el botón</b>.";
  assert.deepEqual(slices(text, words(text)), ["Pulse", "<b>", "el", "botón", "</b>", "."]);
  assert.deepEqual(slices("a < b", words("a < b")), ["a", "<", "b"]);
  assert.deepEqual(words(""), []);
});

test("a chip shows what tells a tag from others", () => {
  assert.equal(label('<g id="1">'), "g 1");
  assert.equal(label("</g>"), "/g");
  assert.equal(label("{name}"), "{name}");
});

test("the direction is that of the script, named or usual", () => {
  for (const code of ["ar", "he_IL", "uz-Arab"]) assert.equal(direction(code), "rtl", code);
  for (const code of ["es", "ja", "uz", "no such code"]) assert.equal(direction(code), "ltr", code);
});

test("languages have English names, and unknown codes stay as they are", () => {
  assert.equal(language("es"), "Spanish");
  assert.equal(language("pt_BR"), "Brazilian Portuguese");
  assert.equal(language("?"), "?");
});

test("capitals change in a circle", () => {
  assert.deepEqual(["ábra la", "ÁBRA LA", "Ábra la"].map(recased), ["ÁBRA LA", "Ábra la", "ábra la"]);
  assert.equal(recased("a"), "A");
  assert.equal(recased("A"), "a");
});
