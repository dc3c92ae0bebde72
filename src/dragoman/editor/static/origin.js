// The panel that shows where a word of the translation was learned.

import { get, inside, post } from "./api.js";
import { count, counted, fill, h, when } from "./dom.js";
import { changes, reason } from "./fused.js";
import { nothing, panel } from "./panel.js";
import { unit } from "./text.js";

export class Origin {
  constructor(project, open) {
    Object.assign(this, { project, open, known: null }, panel("Origin"));
    this.clear();
  }

  clear() {
    this.latest = null;
    fill(this.body, nothing("Click a word in the translation to see where it was learned."));
  }

  /** Show where those phrases of a source were learned that have one of these source tokens. */
  async show(source, revision, tokens) {
    const request = (this.latest = {});
    const found = await this.translation(source, revision);
    const phrases = found.phrases.filter(({ source: [from, to] }) =>
      tokens.some((token) => token >= from && token < to),
    );
    const rows = await Promise.all(
      (phrases.length ? phrases : found.phrases.slice(0, 1)).map((phrase) => this.phrase(source, found, phrase)),
    );
    if (this.latest !== request) return; // another word or segment was chosen meanwhile
    this.element.open = true;
    fill(this.body, h("ul", { class: "rows" }, rows));
  }

  /** The translation of a source with its phrases and their corrections; the last one is remembered. */
  async translation(source, revision) {
    const key = `${revision}\n${source}`;
    if (this.known?.key === key) return this.known.found;
    const { translations } = await post(inside(this.project, "translations"), { texts: [source], provenance: true });
    const [found] = translations;
    this.known = { key, found };
    return found;
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
    const said = {
      copy: "Not learned yet: copied from the source.",
      term: "From the glossary.",
      upstream: "The engine's own words.",
      guess: `Not learned yet: guessed from ${(phrase.guessed_from ?? []).join(" + ")}.`,
    }[phrase.kind];
    const [change] = changes({ ...found, phrases: [phrase] });
    return h(
      "li",
      {},
      h("p", {}, pair),
      said && nothing(said),
      change && nothing(reason(change)),
      corrections.map((row) => this.correction(row)),
      more > 0 && corrections.length > 0 && nothing(`and ${count(more)} more`),
      phrase.base > 0 && nothing(`seen ${counted(phrase.base, "time")} in the base`),
    );
  }

  correction(row) {
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
