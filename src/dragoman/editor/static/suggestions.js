// The panel of whole translations to start from, in one list: from the memory, from another engine, and dragoman's own,
// which is the engine's with what was learned; there, what was changed is marked and can be taken back.

import { h } from "./dom.js";
import { changes, reason } from "./fused.js";
import { fillRows, panel } from "./panel.js";
import { chip, chipped } from "./chipped_text.js";

const TAGS = { same: "span", delete: "del", insert: "ins" };

/** What is different in the source of a match: left out here, and new here. */
const differences = (diff) => diff.map(([kind, text]) => h(TAGS[kind] ?? "span", {}, chipped(text)));

/** Which codes of this segment a match lacks, and which of its own were left out. */
function differentCodes({ lost = [], extra = [] }) {
  const said = [
    lost.length > 0 && ["Lacks ", lost.map((code) => chip(code))],
    extra.length > 0 && ["Left out ", extra.map((code) => chip(code))],
  ].filter(Boolean);
  return said.length > 0 && h("p", { class: "codes" }, said.flatMap((each, n) => [n ? " · " : null, each]));
}

export class Suggestions {
  /** `use(text)` is called with a whole translation, `takeBack(change)` with a change to undo, `refuse(change)` with
   *  one that is never to be made again. */
  constructor(use, takeBack, refuse) {
    Object.assign(this, { use, takeBack, refuse, found: [] }, panel("Suggestions"));
  }

  /** Another segment is being opened: what is still shown cannot be used any more. */
  wait() {
    this.found = [];
    this.element.setAttribute("aria-busy", "true");
  }

  /** Show matches from the memory, and what another engine said, if there is one. */
  show(matches, said = null) {
    this.found = matches.map(({ similarity, source, target, memory = null, ...codes }) => {
      const share = h("span", { class: "badge", title: "similarity of the sources" }, `${Math.floor(similarity)} %`);
      const badge = h("span", {}, share, memory && h("span", { class: "time", title: "reference memory" }, ` ${memory}`));
      const shown = [h("p", { class: "of" }, chipped(source)), h("p", {}, chipped(target)), differentCodes(codes)];
      return { source, target, badge, shown };
    });
    if (said !== null) {
      const badge = h("span", { class: "badge", title: "what the other engine said" }, "engine");
      this.found.push({ target: said, badge, shown: h("p", {}, said) });
    }
    this.draw();
  }

  /** Show how the sources of similar segments differ from this one. */
  explain(matches) {
    for (const { source, target, diff, ...codes } of matches) {
      const found = this.found.find((each) => each.source === source && each.target === target);
      if (!found || !diff) continue;
      found.shown = [h("p", { class: "of" }, differences(diff)), h("p", {}, chipped(target)), differentCodes(codes)];
    }
    if (matches.length && this.found.length) this.draw();
  }

  /** Add dragoman's own translation, unless it is one of those shown. */
  add(translation) {
    const { text } = translation;
    if (this.found.some(({ target }) => target === text)) return;
    const found = changes(translation);
    const badge = h("span", { class: "badge", title: "the engine's words, with what was learned" }, "dragoman");
    const shown = [h("p", {}, this.marked(text, found)), found.length > 0 && this.explained(found)];
    this.found.push({ target: text, badge, shown });
    this.draw();
  }

  marked(text, found) {
    let at = 0;
    const parts = found.flatMap((change) => {
      const before = text.slice(at, change.from);
      at = change.to;
      return [before, h("mark", { class: "changed", title: reason(change) }, change.words)];
    });
    return [...parts, text.slice(at)];
  }

  explained(found) {
    const rows = found.map((change) =>
      h(
        "li",
        { class: "row" },
        h("span", {}, reason(change)),
        h(
          "button",
          {
            class: "small edits",
            "aria-label": `Take back: ${change.engine}`,
            title: `Use the engine's words: ${change.engine}`,
            onclick: () => this.takeBack(change),
          },
          "Take back",
        ),
        this.refuse && change.evidence.length > 0 && this.never(change),
      ),
    );
    return h("ul", { class: "changes" }, rows);
  }

  never(change) {
    const title = `Use the engine's words, and never again say “${change.evidence[0].words}” for “${change.evidence[0].said}”`;
    const onclick = () => this.refuse(change);
    return h("button", { class: "small edits", "aria-label": `Never again: ${change.words}`, title, onclick }, "Never again");
  }

  draw() {
    this.element.removeAttribute("aria-busy");
    const rows = this.found.map(({ badge, shown }, n) =>
      h(
        "li",
        {},
        h(
          "div",
          { class: "row" },
          badge,
          h("button", { class: "small edits", onclick: () => this.take(n) }, "Use ", n < 9 && h("kbd", {}, `Alt ${n + 1}`)),
        ),
        shown,
      ),
    );
    fillRows(this.body, rows, "No similar segments yet.", "ol");
  }

  take(n) {
    if (this.found[n]) this.use(this.found[n].target);
    return Boolean(this.found[n]);
  }
}
