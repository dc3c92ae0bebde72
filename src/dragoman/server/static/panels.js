// What stands beside the text: matches, terms, where words come from, concordance, history, effort.

import { ask, get, inside, post, put, remove } from "./api.js";
import { count, counted, fill, h, when } from "./dom.js";
import { complain } from "./notices.js";
import { unit } from "./text.js";

/** A part that can be folded; it remembers whether it is. */
function part(title, ...children) {
  const name = `dragoman:folded:${title}`;
  const body = h("div", { class: "body" }, ...children);
  const element = h("details", { class: "part" }, h("summary", {}, h("h2", {}, title)), body);
  element.open = localStorage.getItem(name) !== "folded";
  element.addEventListener("toggle", () => localStorage.setItem(name, element.open ? "open" : "folded"));
  return { element, body };
}

const nothing = (text) => h("p", { class: "nothing" }, text);

/** A text with some of its characters (code points, from – to) marked. */
function marked(text, spans) {
  const parts = [];
  let at = 0;
  for (const [from, to] of spans.map((span) => span.map((point) => unit(text, point)))) {
    parts.push(text.slice(at, from), h("mark", {}, text.slice(from, to)));
    at = to;
  }
  return [...parts, text.slice(at)];
}

export class Matches {
  constructor(use) {
    this.use = use;
    this.found = [];
    Object.assign(this, part("Matches"));
  }

  show(found) {
    this.found = found;
    const rows = found.map(({ similarity, source, target }, n) =>
      h(
        "li",
        {},
        h(
          "div",
          { class: "row" },
          h("span", { class: "badge", title: "how similar the sources are" }, `${Math.floor(similarity)} %`),
          h("button", { class: "small", onclick: () => this.take(n) }, "Use ", n < 9 && h("kbd", {}, `Alt ${n + 1}`)),
        ),
        h("p", { class: "of" }, source),
        h("p", {}, target),
      ),
    );
    fill(this.body, rows.length ? h("ol", { class: "rows" }, rows) : nothing("No similar segment was confirmed yet."));
  }

  take(n) {
    if (this.found[n]) this.use(this.found[n].target);
    return Boolean(this.found[n]);
  }
}

export class Glossary {
  constructor(project, put_in, changed) {
    Object.assign(this, { project, put_in, changed, terms: [], source: "" }, part("Glossary"));
    this.list = h("div");
    const field = (name) =>
      h("input", {
        name,
        "aria-label": name === "source" ? "Term" : "Its translation",
        placeholder: name === "source" ? "term" : "translation",
        required: true,
        maxlength: 500,
      });
    this.form = h(
      "form",
      { class: "term", onsubmit: (event) => this.add(event) },
      field("source"),
      field("target"),
      h("button", { class: "small" }, "Settle"),
    );
    fill(this.body, this.list, this.form);
  }

  async load() {
    this.terms = (await get(inside(this.project, "glossary"))).terms;
    this.show(this.source);
  }

  show(source) {
    this.source = source;
    const text = source.toLowerCase(),
      here = this.terms.filter((term) => text.includes(term.source.toLowerCase()));
    const rows = here.map((term) =>
      h(
        "li",
        { class: "row" },
        h("span", {}, h("span", { class: "of" }, term.source), " → ", term.target),
        h(
          "span",
          {},
          h("button", { class: "small", onclick: () => this.put_in(term.target) }, "Put in"),
          h(
            "button",
            { class: "small quiet", "aria-label": `Remove ${term.source}`, onclick: () => this.remove(term) },
            "×",
          ),
        ),
      ),
    );
    fill(
      this.list,
      rows.length
        ? h("ul", { class: "rows" }, rows)
        : nothing(
            this.terms.length
              ? `None of ${count(this.terms.length)} settled terms is in this segment.`
              : "No terms are settled yet. A settled term is always translated the same way.",
          ),
    );
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
      complain(error);
    }
  }

  async remove(term) {
    await remove(inside(this.project, `glossary?source=${encodeURIComponent(term.source)}`)).catch(complain);
    await this.load();
    this.changed();
  }
}

export class Origin {
  constructor(project, open) {
    Object.assign(this, { project, open, known: new Map() }, part("Where it comes from"));
    this.clear();
  }

  clear() {
    this.key = null;
    fill(this.body, nothing("Click a word of the translation to see where it was learned."));
  }

  /** Where the phrases of a source come from, that have one of these source tokens. */
  async show(source, revision, tokens) {
    const key = `${revision}\n${source}`;
    if (!this.known.has(key)) {
      this.known.clear();
      this.known.set(key, post(inside(this.project, "translations"), { texts: [source], provenance: true }));
    }
    const found = (await this.known.get(key)).translations[0];
    const phrases = found.phrases.filter(({ source: [from, to] }) =>
      tokens.some((token) => token >= from && token < to),
    );
    const rows = await Promise.all(
      (phrases.length ? phrases : found.phrases.slice(0, 1)).map((phrase) => this.phrase(source, found, phrase)),
    );
    this.element.open = true;
    fill(this.body, h("ul", { class: "rows" }, rows));
  }

  async phrase(source, found, phrase) {
    const slice = (text, tokens, [from, to]) =>
      to > from ? text.slice(unit(text, tokens[from].start), unit(text, tokens[to - 1].end)) : "";
    const pair = [
      h("span", { class: "of" }, slice(source, found.source_tokens, phrase.source)),
      " → ",
      slice(found.text, found.target_tokens, phrase.target),
    ];
    const corrections = await Promise.all(
      (phrase.corrections ?? []).slice(0, 3).map((id) => get(inside(this.project, `corrections/${id}`))),
    );
    const more = (phrase.learned ?? 0) - corrections.length;
    const said = { copy: "Nobody has taught it yet: it is copied.", term: "Settled in the glossary." }[phrase.kind];
    return h(
      "li",
      {},
      h("p", {}, pair),
      said && nothing(said),
      corrections.map((row) => this.taught(row)),
      more > 0 && corrections.length > 0 && nothing(`and ${count(more)} more`),
      phrase.base > 0 && nothing(`seen ${counted(phrase.base, "time")} in the base`),
    );
  }

  taught(row) {
    const where = row.segment ? `segment ${row.segment}` : `correction ${row.id}`;
    const go =
      row.segment && h("button", { class: "link", onclick: () => this.open(row.document, row.segment) }, where);
    return h(
      "p",
      { class: "origin" },
      "learned from ",
      go || where,
      `, ${when(row.time)}`,
      row.user && `, ${row.user}`,
    );
  }
}

export class Concordance {
  constructor(project) {
    Object.assign(this, { project }, part("Concordance"));
    this.field = h("input", {
      type: "search",
      "aria-label": "Look up in what was learned",
      placeholder: "Look up in what was learned",
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
      const { hits } = await get(inside(this.project, `concordance?limit=20&text=${encodeURIComponent(text)}`));
      const rows = hits.map((hit) =>
        h(
          "li",
          {},
          h("p", { class: "of" }, marked(hit.source, hit.in_source)),
          h("p", {}, marked(hit.target, hit.in_target)),
        ),
      );
      fill(this.results, rows.length ? h("ul", { class: "rows" }, rows) : nothing(`Nothing learned has “${text}”.`));
    } catch (error) {
      complain(error);
    }
  }
}

export class History {
  /** `undone(id)` is called after a correction was forgotten. */
  constructor(project, undone) {
    Object.assign(this, { project, undone, last: null }, part("History"));
  }

  async load() {
    const { corrections } = await get(inside(this.project, "corrections?limit=12"));
    this.last = corrections.find((row) => row.kind === "learn" && !row.forgotten)?.id ?? null;
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
            row.kind === "flagged" ? "kept, not learned" : row.forgotten ? "taken back" : when(row.time),
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
        h("p", { class: "of" }, row.source),
        h("p", {}, row.target),
        row.reason && nothing(row.reason),
      ),
    );
    fill(this.body, rows.length ? h("ol", { class: "rows" }, rows) : nothing("Nothing was learned yet."));
  }

  async undo(id) {
    try {
      await ask("DELETE", inside(this.project, `corrections/${id}`));
      this.undone(id);
    } catch (error) {
      complain(error);
    }
    await this.load().catch(complain);
  }
}

export class Effort {
  constructor(project) {
    this.project = project;
    this.times = [];
    this.element = h("section", { class: "effort", "aria-label": "Effort" });
  }

  learned(milliseconds) {
    this.times = [...this.times.slice(-99), milliseconds];
  }

  async load() {
    const { effort } = await get(inside(this.project, "statistics"));
    const pressed = effort.key_strokes + effort.mouse_actions,
      saved = Math.round(100 - effort.ksmr);
    const sorted = [...this.times].sort((one, other) => one - other),
      median = sorted[Math.floor(sorted.length / 2)];
    const figure = (value, name, about) =>
      h("div", { class: "figure", title: about }, h("strong", {}, value), h("span", {}, name));
    fill(
      this.element,
      effort.segments
        ? [
            figure(
              `${saved} %`,
              `effort saved: ${count(pressed)} keys and clicks for ${count(effort.characters)} characters`,
              "against typing everything",
            ),
            figure(
              `${Math.round(effort.wer)} %`,
              `words to correct (WER), over ${counted(effort.segments, "segment")}`,
              "words that differ between the first suggestion and what was confirmed",
            ),
            median !== undefined &&
              figure(
                `${Math.round(median)} ms`,
                "to learn a correction, until it is safe on disk",
                "median of this session, there and back",
              ),
          ]
        : h("p", { class: "nothing" }, "Confirm a segment, and what it took is counted here."),
    );
  }
}
