// The panels beside the text: glossary, concordance, history. Suggestions and origin have files of their own.

import { get, inside, put, remove } from "./api.js";
import { count, counted, fill, h, when } from "./dom.js";
import { notifyError } from "./notices.js";
import { fillRows, marked, nothing, panel } from "./panel.js";
import { occurs } from "./text.js";
import { chipped } from "./texts.js";

export class Glossary {
  /** `insert(text)` is called to use a term, `changed()` when terms were added or removed. */
  constructor(project, insert, changed) {
    Object.assign(this, { project, insert, changed, terms: [], source: "" }, panel("Glossary"));
    this.list = h("div");
    const field = (name) =>
      h("input", {
        name,
        "aria-label": name === "source" ? "Term" : "Translation of the term",
        placeholder: name === "source" ? "term" : "translation",
        required: true,
        maxlength: 500,
      });
    this.form = h(
      "form",
      { class: "term", onsubmit: (event) => this.add(event) },
      field("source"),
      field("target"),
      h("button", { class: "small" }, "Add term"),
    );
    fill(this.body, this.list, this.form);
  }

  async load() {
    this.terms = (await get(inside(this.project, "glossary"))).terms;
    this.show(this.source);
  }

  show(source) {
    this.source = source;
    const here = this.terms.filter((term) => occurs(source, term.source));
    const rows = here.map((term) =>
      h(
        "li",
        { class: "row" },
        h("span", {}, h("span", { class: "of" }, term.source), " → ", term.target),
        h(
          "span",
          {},
          h("button", { class: "small", onclick: () => this.insert(term.target) }, "Insert"),
          h(
            "button",
            { class: "small quiet", "aria-label": `Remove ${term.source}`, onclick: () => this.remove(term) },
            "×",
          ),
        ),
      ),
    );
    const otherwise = this.terms.length
      ? `No terms in this segment (${counted(this.terms.length, "term")} in the glossary).`
      : "No terms yet. A term is always translated the way you enter it here.";
    fillRows(this.list, rows, otherwise);
  }

  async add(event) {
    event.preventDefault();
    const term = Object.fromEntries(new FormData(this.form));
    try {
      await put(inside(this.project, "glossary"), term);
      this.form.reset();
      await this.load();
      this.changed();
    } catch (error) {
      notifyError(error);
    }
  }

  async remove(term) {
    await remove(inside(this.project, `glossary?source=${encodeURIComponent(term.source)}`)).catch(notifyError);
    await this.load();
    this.changed();
  }
}

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
    const use = { class: "small", "aria-label": `Insert ${target}`, onclick: () => this.insert(target) };
    const found = h("span", {}, marked(target, inTarget));
    return h(
      "li",
      {},
      h("p", { class: "of" }, marked(source, inSource)),
      h("div", { class: "row" }, found, h("button", use, "Insert")),
    );
  }
}

export class History {
  /** `undone(id)` is called when a correction has been forgotten. */
  constructor(project, undone) {
    Object.assign(this, { project, undone }, panel("History"));
  }

  async load() {
    const { corrections } = await get(inside(this.project, "corrections?limit=12"));
    const rows = corrections.map((row) =>
      h(
        "li",
        { class: row.forgotten ? "forgotten" : row.kind },
        h(
          "div",
          { class: "row" },
          h(
            "span",
            { class: "time" },
            row.kind === "flagged" ? "not learned" : row.forgotten ? "undone" : when(row.time),
            row.user && ` · ${row.user}`,
          ),
          row.kind === "learn" &&
            !row.forgotten &&
            h(
              "button",
              { class: "small", "aria-label": `Undo: ${row.target}`, onclick: () => this.undo(row.id) },
              "Undo",
            ),
        ),
        h("p", { class: "of" }, chipped(row.source)),
        h("p", {}, chipped(row.target)),
        row.reason && nothing(row.reason),
      ),
    );
    fillRows(this.body, rows, "Nothing learned yet.", "ol");
  }

  async undo(id) {
    try {
      await remove(inside(this.project, `corrections/${id}`));
      this.undone(id);
    } catch (error) {
      notifyError(error);
    }
    await this.load().catch(notifyError);
  }
}
