// Reference memories of a project: translations of others, by priority; files in, switched on and off, removed.

import { get, inside, patch, remove, request } from "./api.js";
import { counted, fill, h } from "./dom.js";
import { notify, notifyError } from "./notices.js";
import { fillRows } from "./panel.js";

export class Memories {
  constructor(project, mayEdit) {
    Object.assign(this, { project, mayEdit });
    this.list = h("div");
    this.status = h("span", { class: "nothing", role: "status" });
    const accept = ".tmx,.tsv,.tab,.xlf,.xliff,.po";
    const input = h("input", { type: "file", class: "unseen", accept, multiple: true, onchange: () => this.add(input) });
    const about = "Read-only, by priority: they offer similar translations, and nothing is learned from them.";
    const adding = h("p", { class: "line" }, h("label", { class: "button small" }, "Add reference memories", input), this.status);
    this.element = h("div", { class: "rows" }, h("p", { class: "nothing" }, about), this.list, mayEdit && adding);
  }

  path(rest = "") {
    return inside(this.project, `memories${rest && `/${rest}`}`);
  }

  async load() {
    const found = await get(this.path());
    fillRows(this.list, found.map((each, n) => this.row(each, found[n - 1])), "No reference memories yet.", "ol");
  }

  row(memory, above) {
    const { id, name, enabled, entries } = memory;
    const act = (label, about, what) =>
      h("button", { class: "small", "aria-label": `${about}: ${name}`, onclick: () => this.change(what) }, label);
    const box = h("input", {
      type: "checkbox",
      checked: enabled,
      disabled: !this.mayEdit,
      onchange: () => this.change(() => patch(this.path(id), { enabled: !enabled })),
    });
    const up = () => this.swap(memory, above);
    return h(
      "li",
      { class: "row" },
      h("label", { class: "check" }, box, name, h("span", { class: "time" }, counted(entries, "entry", "entries"))),
      this.mayEdit && h("span", {}, above && act("↑", "Higher priority", up), act("Remove", "Remove", () => remove(this.path(id)))),
    );
  }

  /** Give a memory the priority of the one above it, and the other way round. */
  async swap(memory, above) {
    await patch(this.path(memory.id), { priority: above.priority });
    await patch(this.path(above.id), { priority: memory.priority });
  }

  async change(what) {
    await what().catch(notifyError);
    await this.load().catch(notifyError);
  }

  async add(input) {
    const files = [...input.files];
    input.value = "";
    for (const file of files) {
      fill(this.status, `Reading ${file.name} …`);
      try {
        const place = `${this.path()}?name=${encodeURIComponent(file.name)}`;
        const { entries } = await (await request("POST", place, file, { raw: true })).json();
        notify(`Added ${file.name}: ${counted(entries, "entry", "entries")}.`);
      } catch (error) {
        notifyError(error);
      }
    }
    fill(this.status);
    await this.load().catch(notifyError);
  }
}
