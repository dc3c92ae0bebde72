// Texts of segments outside the editor: their tags are chips there, too, and stand where they belong in any script.

import { h } from "./dom.js";
import { label, tags } from "./text.js";

/** A tag as a chip. In right-to-left text it needs a frame that keeps words on both sides of it apart (style.css). */
export const chip = (tag, about = {}) =>
  h("span", { class: "tag" }, h("span", { class: "chip", title: tag, ...about }, label(tag)));

/** A text with its tags as chips: what `fill` and `h` take as children. */
export function chipped(text) {
  const parts = [];
  let at = 0;
  for (const tag of tags(text)) {
    parts.push(text.slice(at, tag.from), chip(tag.text));
    at = tag.to;
  }
  return [...parts, text.slice(at)];
}
