// The other engine that a project builds on: which one, and where.

import { get, inside, patch } from "./api.js";
import { h } from "./dom.js";
import { notify, notifyError } from "./notices.js";

export const ENGINES = {
  "": "None: only what this project has learned",
  libretranslate: "LibreTranslate",
  deepl: "DeepL",
  modernmt: "ModernMT",
  apertium: "Apertium",
  openai: "Chat model (OpenAI interface)",
  ct2: "CTranslate2 model",
  command: "Command",
  recorded: "Recorded answers",
};

/** Kind and address of an engine's name, and the name of both: "deepl:" is an engine with its usual address. */
export function parts(name) {
  const at = (name ?? "").indexOf(":");
  return at < 0 ? { kind: "", address: "" } : { kind: name.slice(0, at), address: name.slice(at + 1) };
}
export const named = ({ kind, address }) => (kind ? `${kind}:${address.trim()}` : null);

export class EngineForm {
  constructor(project) {
    this.path = inside(project, "settings");
    this.kind = h(
      "select",
      { name: "kind", "aria-label": "Engine", onchange: () => this.changed(), disabled: true }, // until it is loaded
      Object.entries(ENGINES).map(([value, text]) => h("option", { value }, text)),
    );
    this.address = h("input", { name: "address", placeholder: "https://… or a path, with options after #", size: 40 });
    this.where = h("label", {}, "Address", this.address);
    this.element = h(
      "form",
      { onsubmit: (event) => (event.preventDefault(), this.set()) },
      h("p", { class: "nothing" }, "Its translations are the starting point; what you correct is learned on top."),
      h("div", { class: "fields" }, h("label", {}, "Engine", this.kind), this.where),
      h("p", { class: "line" }, h("button", {}, "Save engine")),
    );
  }

  changed() {
    this.where.hidden = !this.kind.value;
  }

  async load() {
    this.show((await get(this.path)).settings.upstream);
  }

  show(name) {
    const { kind, address } = parts(name);
    this.kind.value = kind;
    this.kind.disabled = false;
    this.address.value = address;
    this.changed();
  }

  async set() {
    try {
      const name = named({ kind: this.kind.value, address: this.address.value });
      this.show((await patch(this.path, { upstream: name })).settings.upstream);
      notify(name ? "The engine is set." : "The project no longer builds on another engine.");
    } catch (error) {
      notifyError(error);
    }
  }
}
