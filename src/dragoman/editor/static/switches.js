// The panel of checks: how many findings each has in the document, to show them and to switch a check off.

import { get, inside, patch, put } from "./api.js";
import { count, fill, h } from "./dom.js";
import { notifyError, sentence } from "./notices.js";
import { panel } from "./panel.js";

export class CheckSwitches {
  /** `show(check)` filters the list by a check, `changed()` is called when checks were switched on or off. */
  constructor(project, document_, { show, changed, about = {}, may = true }) {
    const path = inside(project, `documents/${document_}/checks`);
    Object.assign(this, { path, show, changed, about, may }, panel("Checks", { folded: true }));
    this.element.addEventListener("toggle", () => this.element.open && this.load().catch(notifyError));
  }

  async load() {
    if (this.element.open) this.draw((await get(this.path)).checks);
  }

  draw(checks) {
    this.checks = checks;
    const rows = checks.map(({ check, about, on, count: found }) =>
      h(
        "li",
        { class: "row" },
        h(
          "label",
          { class: "check", title: sentence(about) },
          h("input", {
            type: "checkbox",
            checked: on,
            disabled: check === "file" || !this.may,
            onchange: (event) => this.turn(check, event.target.checked),
          }),
          check,
        ),
        found > 0 &&
          h("button", { class: "small", "aria-label": `Show ${check}`, onclick: () => this.show(check) }, count(found)),
      ),
    );
    fill(this.body, h("ul", { class: "rows tight" }, rows), this.may && this.repeating());
  }

  /** What becomes of other segments with the same source when one is confirmed. */
  repeating() {
    const names = { off: "stay as they are", draft: "are filled as drafts", confirm: "are confirmed, too" };
    const option = ([value, name]) => h("option", { value, selected: value === this.about.propagation }, name);
    const set = async (event) => {
      this.about.propagation = event.target.value;
      await patch(this.path.replace(/\/checks$/, ""), { propagation: event.target.value }).catch(notifyError);
    };
    return h(
      "label",
      { class: "check" },
      "Same source elsewhere: ",
      h("select", { "aria-label": "Segments with the same source", onchange: set }, Object.entries(names).map(option)),
    );
  }

  async turn(check, on) {
    const off = this.checks.filter((each) => (each.check === check ? !on : !each.on)).map((each) => each.check);
    try {
      this.draw((await put(this.path, { off })).checks);
      this.changed();
    } catch (error) {
      notifyError(error);
    }
  }
}
