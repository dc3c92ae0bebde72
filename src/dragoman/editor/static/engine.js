// The other engine that a project builds on: which one, and where.

import { get, inside, patch, post } from "./api.js";
import { h } from "./dom.js";
import { notify, notifyError, sentence } from "./notices.js";

const SLOW = 1; // seconds, after which a suggestion does not wait for an answer any longer

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
    this.said = h("p", { class: "nothing", role: "status" });
    this.test = h("button", { type: "button", onclick: () => this.ask() }, "Test engine");
    this.element = h(
      "form",
      { onsubmit: (event) => (event.preventDefault(), this.set()) },
      h("p", { class: "nothing" }, "Its translations are the starting point; what you correct is learned on top."),
      h("div", { class: "fields" }, h("label", {}, "Engine", this.kind), this.where),
      h("p", { class: "line" }, h("button", {}, "Save engine"), this.test),
      this.said,
    );
  }

  changed() {
    this.where.hidden = !this.kind.value;
    this.test.hidden = this.kind.value !== this.inForce;
  }

  async load() {
    const { settings, upstream_problem: problem } = await get(this.path);
    this.show(settings.upstream);
    this.say(problem && `The last time it was asked, it gave no answer: ${problem}`, "problem");
  }

  say(text, kind = "nothing") {
    this.said.className = kind;
    this.said.textContent = text ? sentence(text) : "";
  }

  /** Ask the engine a test question, and show what came of it. */
  async ask() {
    this.say("Asking the engine …");
    const { text, answer, problem, seconds } = await post(`${this.path}/upstream/test`, {});
    const slow = seconds > SLOW ? `, slow: suggestions do not wait for it` : "";
    if (answer === null) this.say(`No answer to “${text}”: ${problem}`, "problem");
    else this.say(`It translates “${text}” as “${answer}” (${seconds.toFixed(1)} s${slow})`);
  }

  show(name) {
    const { kind, address } = parts(name);
    this.kind.value = this.inForce = kind;
    this.kind.disabled = false;
    this.address.value = address;
    this.changed();
  }

  async set() {
    try {
      const name = named({ kind: this.kind.value, address: this.address.value });
      this.show((await patch(this.path, { upstream: name })).settings.upstream);
      this.say("");
      notify(name ? "The engine is set." : "The project no longer builds on another engine.");
      if (name) await this.ask();
    } catch (error) {
      notifyError(error);
    }
  }
}
