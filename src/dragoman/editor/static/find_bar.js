// The find bar: looks for a text in the open segment, in its translation and its source.

import { counted, fill, h } from "./dom.js";
import { EditorView } from "./vendor/codemirror.js";
import { hit } from "./marks.js";

/** Where a text occurs in another one, whatever the case unless `exact`: from, to. */
export function occurrences(text, wanted, exact = false) {
  if (!wanted) return [];
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|\/]/g, "\\$&"), exact ? "gu" : "giu");
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ from: index, to: index + found.length }));
}

export class FindBar {
  /** `editor` is the one of the translation, `source` the element with the source, `leave()` goes back to the text. */
  constructor(editor, source, leave) {
    Object.assign(this, { editor, source, leave, at: -1, found: [] });
    const label = "Find in this segment";
    this.input = h("input", { type: "search", placeholder: label, "aria-label": label, oninput: () => this.look(0), onkeydown: (event) => this.pressed(event) });
    this.exact = h("input", { type: "checkbox", onchange: () => this.look(0) });
    this.said = h("span", { class: "time", role: "status" });
    const step = (by, name, sign) => h("button", { class: "small", "aria-label": name, title: name, onclick: () => this.step(by) }, sign);
    const close = h("button", { class: "small quiet", "aria-label": "Close the find bar", onclick: () => this.close() }, "×");
    const matching = h("label", {}, this.exact, " Match case");
    this.element = h("div", { class: "find-bar", role: "search", hidden: true }, this.input, step(-1, "Previous", "↑"), step(1, "Next", "↓"), matching, this.said, close);
  }

  /** Look for a text: the one that is selected, or the last one. */
  open(selected) {
    this.element.hidden = false;
    if (selected) this.input.value = selected;
    this.input.focus();
    this.input.select();
    this.look(0);
  }

  close() {
    this.element.hidden = true;
    this.mark([]);
    this.leave();
  }

  pressed(event) {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key === "Escape") this.close();
    else this.step(event.shiftKey ? -1 : 1);
  }

  /** The text, or what is looked for, is another one now. */
  changed() {
    if (!this.element.hidden) this.look(null);
  }

  /** Look anew; at the occurrence of this number, or where one was. */
  look(at) {
    const { value } = this.input;
    this.found = occurrences(this.editor.text, value, this.exact.checked);
    this.at = this.found.length ? Math.min(at ?? Math.max(0, this.at), this.found.length - 1) : -1;
    this.inSource = this.markSource(value);
    this.show();
  }

  step(by) {
    const { length } = this.found;
    if (!length) return;
    this.at = (this.at + by + length) % length;
    this.show();
  }

  show() {
    const { found, at } = this;
    this.mark(found.map((each, n) => ({ ...each, now: n === at })));
    if (at >= 0) this.editor.view.dispatch({ effects: EditorView.scrollIntoView(found[at].from, { y: "nearest" }) });
    const here = found.length ? `${at + 1} of ${found.length}` : "Not in the translation";
    fill(this.said, this.input.value && `${here}; ${counted(this.inSource, "time", "times")} in the source`);
  }

  mark(ranges) {
    this.editor.view.dispatch({ effects: hit.of(ranges) });
    if (!ranges.length && this.element.hidden) globalThis.CSS?.highlights?.delete("hits");
  }

  /** Mark the text in the source, which is not touched for it; how often it is there. */
  markSource(wanted) {
    const nodes = [],
      walker = document.createTreeWalker(this.source, NodeFilter.SHOW_TEXT);
    let text = "";
    for (let node; (node = walker.nextNode()); text += node.data) nodes.push({ node, start: text.length });
    const hits = occurrences(text, wanted, this.exact.checked);
    const place = (at) => nodes.findLast(({ start }) => start <= at);
    const ranges = hits.map(({ from, to }) => {
      const range = new Range(),
        [first, last] = [place(from), place(to - 1)];
      range.setStart(first.node, from - first.start);
      range.setEnd(last.node, to - last.start);
      return range;
    });
    if (globalThis.CSS?.highlights) CSS.highlights.set("hits", new Highlight(...ranges));
    return hits.length;
  }
}
