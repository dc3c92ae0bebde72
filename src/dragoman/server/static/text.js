// Characters. The server counts code points, the browser counts UTF-16 units; they differ for emoji and rare ideographs.

const OUTSIDE = /[\ud800-\udfff]/;

/** Where in a JavaScript string the code point of a number is. */
export function unit(text, point) {
  if (!OUTSIDE.test(text)) return point;
  let at = 0;
  for (const character of text) {
    if (point-- <= 0) break;
    at += character.length;
  }
  return at;
}

/** Spans of tokens as the server gives them, by UTF-16 units. */
export const inUnits = (text, tokens) =>
  OUTSIDE.test(text)
    ? tokens.map((each) => ({ ...each, start: unit(text, each.start), end: unit(text, each.end) }))
    : tokens;

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The first word of a completion with the gaps around it, so that another word can be typed right behind it.
 *  `ends` are where its tokens end, for scripts without spaces. */
export function firstWord(text, ends = []) {
  const spaced = /^\s*\S+/u.exec(text)?.[0] ?? text;
  const tag = new RegExp(`^\\s*(?:${TAG.source})`, "u").exec(text)?.[0];
  const token = UNSPACED.test(spaced) && ends.find((end) => text.slice(0, end).trim());
  const word = tag ?? (token ? text.slice(0, token) : spaced);
  return word + /^\s*/u.exec(text.slice(word.length))[0];
}

/** Inline tags and placeholders, which are copied as they are. */
export const TAG = /<\/?[A-Za-z][^<>]*>|\{[^{}\s]*\}|%(?:\d+\$)?[sdif@]|&(?:#\w+|\w+);/u;

/** The tags in a text: from, to, text. */
export function tags(text) {
  return [...text.matchAll(new RegExp(TAG.source, "gu"))].map((found) => ({
    from: found.index,
    to: found.index + found[0].length,
    text: found[0],
  }));
}

/** Tags of the source that the target has not (yet), in their order. */
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

/** The direction of the script that a code names, or in which most people write the language. */
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
    return new Intl.DisplayNames(["en"], { type: "language" }).of(code.replace("_", "-"));
  } catch {
    return code;
  }
}
