// The panel of terms: those in the open segment, with what else holds for them, and a form to add more.

import { get, inside, put, remove } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { notifyError } from "./notices.js";
import { fillRows, panel } from "./panel.js";
import { preference, setPreference } from "./storage.js";
import { occurs } from "./text.js";

/** The texts in a field, separated by commas. */
export const listed = (text) =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);

/** What a form says of a term: fields that are left empty are not sent. */
export function asTerm({ source, target = "", note = "", forbidden = "", case: same }) {
  const term = { source: source.trim() };
  if (target.trim()) term.target = target.trim();
  if (note.trim()) term.note = note.trim();
  if (listed(forbidden).length) term.forbidden = listed(forbidden);
  if (same) term.case = "same";
  return term;
}

export class Glossary {
  /** `insert(text)` is called to use a term, `changed()` when terms were added or removed. */
  constructor(project, insert, changed) {
    Object.assign(this, { project, insert, changed, terms: [], source: "" }, panel("Glossary"));
    this.pinned = new Set(JSON.parse(preference(`pinned:${project}`, "[]")));
    this.list = h("div");
    this.form = this.build();
    fill(this.body, this.list, this.form);
  }

  build() {
    const field = (name, label, placeholder, more = {}) =>
      h("input", { name, "aria-label": label, placeholder, maxlength: 500, ...more });
    const target = field("target", "Translation of the term", "translation", { required: true });
    const forbidden = field("forbidden", "Forbidden translations", "forbidden translations, with commas", {
      oninput: (event) => (target.required = !event.target.value.trim()), // to forbid one is enough
    });
    return h(
      "form",
      { class: "term edits teaches", onsubmit: (event) => this.add(event) },
      field("source", "Term", "term", { required: true }),
      target,
      h(
        "details",
        { class: "more" },
        h("summary", {}, "Note, capitals, forbidden"),
        field("note", "Note", "note", { maxlength: 4000 }),
        forbidden,
        h("label", { class: "check" }, h("input", { type: "checkbox", name: "case" }), "Match case, and keep it"),
      ),
      h("button", { class: "small" }, "Add term"),
    );
  }

  async load() {
    this.terms = (await get(inside(this.project, "glossary"))).terms;
    this.show(this.source);
  }

  show(source) {
    this.source = source;
    const pinned = this.terms.filter((term) => this.pinned.has(term.source));
    const here = [...pinned, ...this.terms.filter((term) => !pinned.includes(term) && occurs(source, term.source))];
    const otherwise = this.terms.length
      ? `No terms in this segment (${counted(this.terms.length, "term")} in the glossary).`
      : "No terms yet. A term is always translated the way you enter it here.";
    fillRows(this.list, here.map((term) => this.row(term)), otherwise);
  }

  row(term) {
    const { source, target, note, admitted = [], forbidden = [], case: capitals } = term;
    const use = (text) => h("button", { class: "small edits", onclick: () => this.insert(text) }, "Insert");
    const drop = { class: "small quiet edits teaches", "aria-label": `Remove ${source}`, onclick: () => this.remove(term) };
    const pin = this.pinned.has(source);
    const pinning = h(
      "button",
      {
        class: "small quiet",
        "aria-pressed": String(pin),
        "aria-label": `${pin ? "Unpin" : "Pin"} ${source}`,
        title: "Pinned terms are always shown",
        onclick: () => this.pin(source, !pin),
      },
      "📌",
    );
    const said = (text) => h("span", {}, h("span", { class: "of" }, source), text ? ` → ${text}` : "");
    return h(
      "li",
      {},
      h("div", { class: "row" }, said(target), h("span", {}, target && use(target), pinning, h("button", drop, "×"))),
      admitted.map((text) => h("div", { class: "row" }, h("span", { class: "of" }, "also ", text), use(text))),
      forbidden.length > 0 && h("p", { class: "forbidden" }, "not ", h("del", {}, forbidden.join(", "))),
      capitals === "same" && h("p", { class: "time" }, "in these capitals"),
      note && h("p", { class: "time" }, note),
    );
  }

  /** Show a term with every segment, or only where it occurs. */
  pin(source, on) {
    this.pinned[on ? "add" : "delete"](source);
    setPreference(`pinned:${this.project}`, JSON.stringify([...this.pinned]));
    this.show(this.source);
  }

  async add(event) {
    event.preventDefault();
    const term = asTerm(Object.fromEntries(new FormData(this.form)));
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
