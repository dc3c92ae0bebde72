// The panel of what one has done in this document, newest first: each step can be taken back, and done again.

import { get } from "./api.js";
import { counted, fill, h, when } from "./dom.js";
import { fillRows, nothing, panel } from "./panel.js";

export class Steps {
  /** `handlers` has: path(rest) in the document, undo(change) and redo(change). */
  constructor(handlers) {
    Object.assign(this, { handlers }, panel("Undo and redo", { folded: true }));
    this.undoing = h("div");
    this.redoing = h("div");
    fill(this.body, this.undoing, this.redoing);
    this.element.addEventListener("toggle", () => this.load().catch(() => {}));
  }

  /** Show the steps as they are now, if anybody can see them. */
  async load() {
    if (!this.element.open) return;
    const { undo, redo } = await get(this.handlers.path("steps"));
    fillRows(this.undoing, undo.map((step) => this.row(step, "Undo", this.handlers.undo)), "Nothing to undo.", "ol");
    fill(this.redoing, redo.length > 0 && h("h3", {}, "Taken back"));
    if (redo.length) {
      const rows = redo.map((step) => this.row(step, "Redo", this.handlers.redo));
      this.redoing.append(h("ol", { class: "rows" }, rows));
    }
  }

  row({ change, what, time, segments, possible }, label, act) {
    const about = { class: "small edits", disabled: !possible, "aria-label": `${label}: ${what}` };
    const why = "This segment was changed again since: take that back first.";
    return h(
      "li",
      {},
      h(
        "div",
        { class: "row" },
        h("span", { class: "time" }, when(time), segments > 1 && ` · ${counted(segments, "segment")}`),
        h("button", { ...about, title: possible ? null : why, onclick: () => act(change) }, label),
      ),
      h("p", {}, what),
      !possible && nothing("changed again since"),
    );
  }
}
