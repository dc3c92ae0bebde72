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
  engine: "neural engine on this machine",
  command: "Command",
  recorded: "Recorded answers",
};

/** Kind and address of an engine's name, and the name of both: "deepl:" is an engine with its usual address. */
export function parts(name) {
  const at = (name ?? "").indexOf(":");
  return at < 0 ? { kind: "", address: "" } : { kind: name.slice(0, at), address: name.slice(at + 1) };
}
export const named = ({ kind, address }) => (kind ? `${kind}:${address.trim()}` : null);

/** Address and options of a name: "ct2:model#threads=1&learns=yes". */
function taken(name) {
  const at = name.lastIndexOf("#");
  return at < 0 ? [name, []] : [name.slice(0, at), name.slice(at + 1).split("&").filter(Boolean)];
}

/** Whether an engine of this name can learn itself, whether it is asked to, and its name with that answered. */
export const canLearn = (name) => /^(ct2|engine):/.test(name ?? "");
export const learns = (name) => taken(name ?? "")[1].includes("learns=yes");
export function withLearning(name, on) {
  const [address, options] = taken(name);
  const kept = options.filter((each) => !each.startsWith("learns="));
  if (on) kept.push("learns=yes");
  return kept.length ? `${address}#${kept.join("&")}` : address;
}

function learnedBy({ corrections, due }) {
  const left = due ? `, ${due} to go` : "";
  return `It has learned ${corrections} corrections itself${left}`;
}

export class EngineForm {
  constructor(project) {
    Object.assign(this, { path: inside(project, "settings"), byName: [] });
    this.kind = h(
      "select",
      { name: "kind", "aria-label": "Engine", onchange: () => this.changed(), disabled: true }, // until it is loaded
    );
    this.learning = h("input", { type: "checkbox", name: "learns" });
    this.learner = h("label", { class: "check" }, this.learning, "This engine learns from your corrections, too");
    this.address = h("input", { name: "address", placeholder: "https://… or a path, with options after #", size: 40 });
    this.where = h("label", {}, "Address", this.address);
    this.said = h("p", { class: "nothing", role: "status" });
    this.test = h("button", { type: "button", onclick: () => this.ask() }, "Test engine");
    this.element = h(
      "form",
      { onsubmit: (event) => (event.preventDefault(), this.set()) },
      h("p", { class: "nothing" }, "Its translations are the starting point; what you correct is learned on top."),
      h("div", { class: "fields" }, h("label", {}, "Engine", this.kind), this.where),
      this.learner,
      h("p", { class: "line" }, h("button", {}, "Save engine"), this.test),
      this.said,
    );
  }

  /** Offer the engines that can be chosen by name, and the kinds that need an address; the one in force in any case. */
  offer(kinds, byName, inForce) {
    this.byName = byName;
    const { kind } = parts(inForce);
    const offered = [...new Set([...kinds.filter((each) => each !== "engine"), kind])].filter((each) => each && each !== "engine");
    const option = (value, text) => h("option", { value }, text);
    const names = byName.map((name) => option(name, name.startsWith("engine:") ? `${name.slice(7)}, ${ENGINES.engine}` : name));
    this.kind.replaceChildren(option("", ENGINES[""]), ...names, ...offered.map((each) => option(each, ENGINES[each] ?? each)));
  }

  /** The name of the engine that is chosen, without what it is to learn. */
  get wanted() {
    const { value } = this.kind;
    return this.byName.includes(value) ? value : named({ kind: value, address: this.address.value });
  }

  changed() {
    const { value } = this.kind;
    this.where.hidden = !value || this.byName.includes(value);
    this.learner.hidden = !canLearn(this.wanted);
    this.test.hidden = this.kind.value !== this.inForce;
  }

  async load() {
    const { settings, upstream_problem: problem, upstream_learning: learning, ...may } = await get(this.path);
    this.offer(may.upstream_kinds, may.upstream_engines, settings.upstream);
    this.show(settings.upstream);
    if (problem) this.say(`The last time it was asked, it gave no answer: ${problem}`, "problem");
    else if (learning?.problem) this.say(`It cannot learn from your corrections: ${learning.problem}`, "problem");
    else this.say(learning && learnedBy(learning));
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
    const plain = name && canLearn(name) ? withLearning(name, false) : name;
    const { kind, address } = parts(plain);
    this.kind.value = this.inForce = this.byName.includes(plain) ? plain : kind;
    this.kind.disabled = false;
    this.address.value = address;
    this.learning.checked = learns(name);
    this.changed();
  }

  async set() {
    try {
      const { wanted } = this,
        name = canLearn(wanted) ? withLearning(wanted, this.learning.checked) : wanted;
      this.show((await patch(this.path, { upstream: name })).settings.upstream);
      this.say("");
      notify(name ? "The engine is set." : "The project no longer builds on another engine.");
      if (name) await this.ask();
    } catch (error) {
      notifyError(error);
    }
  }
}
