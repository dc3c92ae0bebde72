// What the panels beside the text have in common.

import { fill, h } from "./dom.js";
import { preference, setPreference } from "./storage.js";
import { unit } from "./text.js";

/** A panel that can be folded, and remembers whether it is: its element, and the body to fill. */
export function panel(title, { folded = false } = {}) {
  const name = `folded:${title}`;
  const body = h("div", { class: "body" });
  const element = h("details", { class: "part" }, h("summary", {}, h("h2", {}, title)), body);
  element.open = preference(name, folded ? "folded" : "open") !== "folded";
  element.addEventListener("toggle", () => setPreference(name, element.open ? "open" : "folded"));
  return { element, body };
}

export const nothing = (text) => h("p", { class: "nothing" }, text);

/** Fill an element with rows, or say that there are none. */
export const fillRows = (element, rows, otherwise, list = "ul") =>
  fill(element, rows.length ? h(list, { class: "rows" }, rows) : nothing(otherwise));

/** A text with some of its characters (code points, from – to) marked. */
export function marked(text, spans) {
  const parts = [];
  let at = 0;
  for (const [from, to] of spans.map((span) => span.map((point) => unit(text, point)))) {
    parts.push(text.slice(at, from), h("mark", {}, text.slice(from, to)));
    at = to;
  }
  return [...parts, text.slice(at)];
}
