// The panel that finds words in earlier corrections.

import { get, inside } from "./api.js";
import { count, fill, h } from "./dom.js";
import { notifyError } from "./notices.js";
import { fillRows, marked, nothing, panel } from "./panel.js";

export class Concordance {
  /** `insert(text)` is called to use what was found. */
  constructor(project, insert) {
    Object.assign(this, { project, insert }, panel("Concordance"));
    this.field = h("input", {
      type: "search",
      "aria-label": "Search corrections",
      placeholder: "Search corrections",
      title: "Accents and case do not matter; * stands for any letters of a word, ? for one",
      maxlength: 1000,
    });
    this.results = h("div");
    fill(
      this.body,
      h("form", { role: "search", onsubmit: (event) => (event.preventDefault(), this.search()) }, this.field),
      this.results,
    );
  }

  look(text) {
    this.element.open = true;
    this.field.value = text;
    this.field.focus();
    if (text) this.search();
  }

  async search() {
    const text = this.field.value.trim();
    if (!text) return void fill(this.results);
    try {
      const place = `concordance?limit=20&text=${encodeURIComponent(text)}`;
      const { hits, total = hits.length, total_is_exact: exact = true } = await get(inside(this.project, place));
      fillRows(this.results, hits.map((hit) => this.hit(hit)), `No corrections contain “${text}”.`);
      const all = exact ? count(total) : `more than ${count(total)}`;
      if (total > hits.length) this.results.append(nothing(`The newest ${count(hits.length)} of ${all}.`));
    } catch (error) {
      notifyError(error);
    }
  }

  hit({ source, target, in_source: inSource, in_target: inTarget }) {
    const use = { class: "small edits", "aria-label": `Insert ${target}`, onclick: () => this.insert(target) };
    const found = h("span", {}, marked(target, inTarget));
    return h(
      "li",
      {},
      h("p", { class: "of" }, marked(source, inSource)),
      h("div", { class: "row" }, found, h("button", use, "Insert")),
    );
  }
}
