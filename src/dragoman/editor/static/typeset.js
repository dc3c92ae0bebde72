// Text with looks: what the server says is bold, a link or an image becomes elements; all else becomes text.

import { h } from "./dom.js";
import { label } from "./text.js";

// The only elements that a preview can have; links lead nowhere, and images are not loaded.
const ELEMENTS = {
  bold: "b",
  italic: "i",
  underline: "u",
  strike: "s",
  code: "code",
  mark: "mark",
  subscript: "sub",
  superscript: "sup",
};
const CLASSES = new Set(["link", "coming"]);

/** The text of a segment as runs: its tags are replaced by their looks, in order if some are alike. */
export function runsOf(text, looks) {
  const waiting = new Map();
  for (const each of looks) waiting.set(each.tag, [...(waiting.get(each.tag) ?? []), each]);
  const found = [];
  let at = 0,
    begun = 0;
  for (const { index, 0: tag } of tagsIn(text, [...waiting.keys()])) {
    if (index > begun) found.push({ kind: "text", text: text.slice(begun, index) });
    const same = waiting.get(tag);
    found.push(same.length > 1 ? same.shift() : same[0]);
    begun = at = index + tag.length;
  }
  if (at < text.length) found.push({ kind: "text", text: text.slice(at) });
  return found;
}

/** Where tags are in a text; of two that begin alike, the longer one. */
function tagsIn(text, tags) {
  if (!tags.length) return [];
  const longest = tags.sort((one, other) => other.length - one.length);
  return text.matchAll(new RegExp(longest.map((tag) => tag.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")).join("|"), "gu"));
}

/** How many characters of a text are read: all but its tags. */
export const readable = (text, looks) =>
  runsOf(text, looks).reduce((sum, { kind, text: some }) => sum + (kind === "text" ? [...some].length : 0), 0);

/** Put runs into an element; `segment(number)` makes the element of a segment. */
export function typeset(element, runs, segment = () => "") {
  const open = [element];
  for (const run of runs) {
    if (run.kind === "end") {
      if (open.length > 1) open.pop();
      continue;
    }
    const made = run.kind === "segment" ? segment(run.segment) : run.kind === "text" ? run.text : drawn(run);
    open.at(-1).append(made);
    if (run.kind === "start") open.push(made);
  }
  return element;
}

function drawn({ kind, look, text = "", tag = text }) {
  const plain = { class: CLASSES.has(look) && look };
  if (kind === "start") return h(ELEMENTS[look] ?? "span", plain);
  if (look === "break" || look === "cue") return h("br", { class: look });
  if (look === "image") return h("span", { class: "image" }, text || "image");
  if (look === "note") return h("sup", {}, text.replace(/[[\]^:]/g, "") || "*");
  if (look === "tag") return h("span", { class: "chip" }, label(tag));
  return h(ELEMENTS[look] ?? "span", plain, text);
}
