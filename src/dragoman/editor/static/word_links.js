// Which words of source and translation belong together: highlighted when the mouse or the caret is at one of them.

import { inside, post } from "./api.js";
import { inUnits } from "./text.js";

const QUIET = 120; // milliseconds without a key before words are aligned

export class Pointing {
  /** `may` says whether words may be aligned by the server. */
  constructor(project, card, may = true) {
    Object.assign(this, { project, card, may, editor: card.editor, aligned: null, under: null });
  }

  /** Another segment is open. */
  begin() {
    this.aligned = this.under = null;
    this.drawn = false;
    this.card.drawSource(null);
    this.changed();
  }

  /** The tokens of the source are known: from now on they can be pointed at. */
  tokens(found) {
    if (!this.drawn) this.card.drawSource(inUnits(this.card.segment.source, found));
    this.drawn = true;
  }

  /** The text has changed, or the completion behind it. */
  changed() {
    this.shown = null;
    this.card.element.dataset.aligned = "no";
    clearTimeout(this.timer);
    if (this.may) this.timer = setTimeout(() => this.align().catch(() => {}), QUIET);
  }

  stop() {
    clearTimeout(this.timer);
  }

  async align() {
    const { segment } = this.card;
    const target = this.editor.whole;
    if (this.aligned?.target !== target) {
      const found = await post(inside(this.project.name, "alignments"), { source: segment.source, target });
      if (segment.number !== this.card.segment.number) return;
      this.tokens(found.source_tokens);
      this.aligned = { target, targets: inUnits(target, found.target_tokens), links: found.alignment };
    }
    if (this.under === null) this.atCaret();
    else this.at([this.under]);
    if (this.current) this.card.element.dataset.aligned = "yes";
  }

  /** The alignment, if it belongs to what is shown now. */
  get current() {
    return this.aligned?.target === this.editor.whole ? this.aligned : null;
  }

  /** The source tokens that belong to the word at an offset of the translation. */
  sources(offset) {
    if (offset === null || !this.current) return [];
    const { targets, links } = this.current;
    const n = targets.findIndex(({ start, end }) => offset >= start && offset < end);
    return links.filter(([, target]) => target === n).map(([source]) => source);
  }

  /** The source tokens of the word at the caret; at the end of the text, those of the next word. */
  get sourcesAtCaret() {
    const { head } = this.editor.view.state.selection.main;
    const { completion } = this.editor;
    const gap = completion && head === this.editor.text.length ? /^\s*/.exec(completion.text)[0].length : 0;
    const found = this.sources(head + gap);
    return found.length ? found : this.sources(head - 1);
  }

  /** Highlight source tokens and everything that belongs to them. */
  at(tokens) {
    const wanted = new Set(tokens);
    this.card.point(wanted);
    const { targets, links } = this.current ?? { targets: [], links: [] };
    const ranges = links
      .filter(([source]) => wanted.has(source))
      .map(([, target]) => ({ from: targets[target].start, to: targets[target].end }));
    const shown = ranges.map(({ from }) => from).join();
    if (shown !== this.shown) this.editor.point(ranges);
    this.shown = shown;
  }

  atCaret() {
    this.at(this.sourcesAtCaret);
  }

  /** The mouse is over a source token, or has left it. */
  over(token) {
    this.under = token;
    this.at(token === null ? [] : [token]);
  }
}
