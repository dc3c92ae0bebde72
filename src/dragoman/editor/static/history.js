// The panel of what was learned last, each of which can be taken back.

import { get, inside, remove } from "./api.js";
import { chipped } from "./chipped_text.js";
import { h, when } from "./dom.js";
import { notifyError } from "./notices.js";
import { fillRows, nothing, panel } from "./panel.js";

export class History {
  /** `undone(target)` is called when a correction has been forgotten. */
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
              { class: "small edits teaches", "aria-label": `Undo: ${row.target}`, onclick: () => this.undo(row) },
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

  async undo({ id, target }) {
    try {
      await remove(inside(this.project, `corrections/${id}`));
      this.undone(target);
    } catch (error) {
      notifyError(error);
    }
    await this.load().catch(notifyError);
  }
}
