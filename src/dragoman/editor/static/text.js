// Characters, tags and languages. The server counts code points, the browser UTF-16 units; these differ for emoji and
// rare ideographs.

const OUTSIDE = /[\ud800-\udfff]/;

/** The index in a JavaScript string of its nth code point. */
export function unit(text, point) {
  if (!OUTSIDE.test(text)) return point;
  let at = 0;
  for (const character of text) {
    if (point-- <= 0) break;
    at += character.length;
  }
  return at;
}

/** The server's tokens, with their spans in UTF-16 units. */
export const inUnits = (text, tokens) =>
  OUTSIDE.test(text)
    ? tokens.map((each) => ({ ...each, start: unit(text, each.start), end: unit(text, each.end) }))
    : tokens;

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The first word of a completion with the spaces around it, so that another word can be typed right after it.
 *  Scripts without spaces have words, too; where they end is known to the browser. */
export function firstWord(text, language) {
  const spaced = /^\s*\S+/u.exec(text)?.[0] ?? text;
  const [tag] = tags(text);
  const ahead = tag && !text.slice(0, tag.from).trim();
  const end = ahead ? tag.to : UNSPACED.test(spaced) ? wordEnd(spaced, language) : spaced.length;
  return text.slice(0, end) + /^\s*/u.exec(text.slice(end))[0];
}

/** Where the first word of a text without spaces ends, closing punctuation included. */
function wordEnd(text, language) {
  let end = 0,
    begun = false;
  for (const { segment } of segmenter(language).segment(text)) {
    if (begun && !CLOSING.test(segment)) break;
    end += segment.length;
    begun ||= Boolean(segment.trim());
  }
  return end;
}

const CLOSING = /^[\p{Po}\p{Pe}\p{Pf}]+$/u;
const segmenters = new Map();

function segmenter(language = "en") {
  if (!segmenters.has(language)) {
    let made;
    try {
      made = new Intl.Segmenter(language.replaceAll("_", "-"), { granularity: "word" });
    } catch {
      made = new Intl.Segmenter("en", { granularity: "word" });
    }
    segmenters.set(language, made);
  }
  return segmenters.get(language);
}

/** A text in the next case: small letters, then capitals, then one capital at the beginning. */
export function recased(text) {
  const small = text.toLocaleLowerCase(),
    large = text.toLocaleUpperCase(),
    one = small.replace(/\p{L}/u, (letter) => letter.toLocaleUpperCase());
  if (text === small) return large;
  return text === large && one !== large ? one : small;
}

/** Whether no word goes on across the ends of a piece of a text. */
export function standsAlone(text, from, to) {
  const within = (at) => /[\p{L}\p{N}]$/u.test(text.slice(0, at)) && /^[\p{L}\p{N}\p{M}]/u.test(text.slice(at));
  return !within(from) && !within(to);
}

/** Whether a term occurs in a text as whole words, whatever the case, or in the plural. */
export function occurs(text, term) {
  const [all, wanted] = [text.toLowerCase(), term.toLowerCase()];
  const ends = (at, end) => all.startsWith(end, at + wanted.length) && standsAlone(all, at, at + wanted.length + end.length);
  const alone = (at) => UNSPACED.test(wanted) || ["", "s", "es"].some((end) => ends(at, end));
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) if (alone(at)) return true;
  return false;
}

let tagPattern = null;

/** Take over what the server calls a tag in a project; null if it has no tags. */
export function setTagPattern(pattern) {
  tagPattern = pattern ? new RegExp(pattern, "gu") : null;
}

/** The tags in a text: from, to, text. The pattern also matches what else is copied verbatim, so that no tags are seen
 *  in it; a match is a tag if the group of that name took part. */
export function tags(text) {
  if (!tagPattern) return [];
  const found = [...text.matchAll(tagPattern)].filter(({ groups }) => groups?.tag !== undefined);
  return found.map(({ 0: tag, index }) => ({ from: index, to: index + tag.length, text: tag }));
}

/** Words, punctuation marks and tags: from, to. */
export function words(text) {
  const found = [];
  let at = 0;
  for (const tag of [...tags(text), { from: text.length, to: text.length }]) {
    for (const { 0: word, index } of text.slice(at, tag.from).matchAll(/[^\s\p{P}<]+|\p{P}|</gu))
      found.push({ from: at + index, to: at + index + word.length });
    if (tag.to > tag.from) found.push({ from: tag.from, to: tag.to });
    at = tag.to;
  }
  return found;
}

/** Tags of the source that are missing in the target, in their order. */
export function missing(source, target) {
  const there = tags(target).map((tag) => tag.text);
  return tags(source)
    .map((tag) => tag.text)
    .filter((tag) => {
      const at = there.indexOf(tag);
      if (at >= 0) there.splice(at, 1);
      return at < 0;
    });
}

/** What a chip shows of a tag. */
export const label = (tag) =>
  tag
    .replace(/^<|>$/g, "")
    .replace(/\s+\w+=/g, " ")
    .replaceAll('"', "");

const RIGHT_TO_LEFT = new Set(["Adlm", "Arab", "Armi", "Hebr", "Mand", "Nkoo", "Rohg", "Samr", "Syrc", "Thaa"]);

/** The direction of the script that a language code names, or else of the language's usual script. */
export function direction(code) {
  try {
    return RIGHT_TO_LEFT.has(new Intl.Locale(code.replaceAll("_", "-")).maximize().script) ? "rtl" : "ltr";
  } catch {
    return "ltr";
  }
}

/** The name of a language in English. */
export function language(code) {
  try {
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code.replaceAll("_", "-"));
  } catch {
    return code;
  }
}

const CODES =
  "af am ar as ast az be bg bn bo br bs ca cs cy da de el en en-GB en-US eo es es-MX et eu fa fi fil fo fr fr-CA fy ga gd gl gu ha he hi hr ht hu hy ia id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my nb ne nl nn oc or pa pl ps pt pt-BR pt-PT qu rm ro ru rw sa sc sd si sk sl sn so sq sr st su sv sw ta te tg th ti tk tr tt ug uk ur uz vi wo xh yi yo zh zh-Hans zh-Hant zu";

/** The languages that are offered, by name: code and name. */
export const languages = () =>
  CODES.split(" ")
    .map((code) => [code, language(code)])
    .sort(([, one], [, other]) => one.localeCompare(other));

const CODE = /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{1,8})*$/;

/** The code that somebody means by a code or the name of a language, in English or in itself; null if it is neither. */
export function codeOf(text) {
  const wanted = text.trim().toLowerCase();
  const own = (code) => new Intl.DisplayNames([code], { type: "language" }).of(code).toLowerCase();
  const found = languages().find(([code, name]) => [code.toLowerCase(), name.toLowerCase(), own(code)].includes(wanted));
  return found?.[0] ?? (CODE.test(text.trim()) ? text.trim() : null);
}

/** A name of a project as the server has it: small letters, digits, - and _ instead of spaces and the rest. */
export const projectName = (text) =>
  text
    .normalize("NFD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "")
    .slice(0, 64);
