// Spelling of the translation, by a dictionary that the server has; if it has none, the browser's own is used.

import { inside, post } from "./api.js";
import { fill, h } from "./dom.js";
import { misspelt } from "./marks.js";
import { preference, setPreference } from "./storage.js";
import { tags } from "./text.js";

const QUIET = 300; // milliseconds without a key before words are looked up
const SHOWN = 8; // words that are listed
const WORD = /\p{L}[\p{L}\p{M}]*(?:['’\u00b7-][\p{L}\p{M}]+)*/gu;

/** The words of a text that are to be looked up: not in tags, without digits, not in the source; from, to, word. */
export function spelled(text, source = "") {
  const codes = tags(text),
    copied = new Set(source.match(WORD) ?? []);
  const inside_ = (at) => codes.some(({ from, to }) => at >= from && at < to);
  const found = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ from: index, to: index + word.length, word }));
  const joined = ({ from, to }) => /[\d_@/\\]$/.test(text.slice(0, from)) || /^[\d_@/\\]/.test(text.slice(to));
  return found.filter((each) => each.word.length > 1 && !inside_(each.from) && !copied.has(each.word) && !joined(each));
}

export class Spelling {
  constructor(project, editor) {
    Object.assign(this, { project, editor, known: new Map(), source: "", available: null });
    this.own = new Set(JSON.parse(preference(`words:${project.target}`, "[]")));
    this.element = h("div", { class: "spelling", role: "group", "aria-label": "Spelling" });
  }

  /** Another segment is open. */
  begin(source) {
    this.source = source;
    this.chosen = null;
    this.changed();
  }

  /** The text is different now: look up its words once nobody is typing. */
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look().catch(() => {}), QUIET);
  }

  stop() {
    clearTimeout(this.timer);
  }

  async look() {
    if (this.available === false) return;
    const words = [...new Set(spelled(this.editor.text, this.source).map(({ word }) => word))];
    const unknown = words.filter((word) => !this.known.has(word)).slice(0, 1000);
    if (unknown.length || this.available === null) {
      const { dictionary, wrong } = await post(inside(this.project.name, "spelling"), { words: unknown });
      this.available = dictionary !== null;
      if (this.available) this.editor.leaveSpelling(); // what the browser underlines would stand twice
      for (const word of unknown) this.known.set(word, !wrong.includes(word));
    }
    this.show();
  }

  /** The words that are wrong now; not the one that is just being typed. */
  get wrong() {
    const { head } = this.editor.view.state.selection.main,
      typing = this.editor.view.hasFocus && head === this.editor.text.length;
    const isWrong = ({ word, to }) => this.known.get(word) === false && !this.own.has(word) && !(typing && to === head);
    return this.available ? spelled(this.editor.text, this.source).filter(isWrong) : [];
  }

  show() {
    const { wrong } = this,
      words = [...new Set(wrong.map(({ word }) => word))].slice(0, SHOWN);
    if (!wrong.length && !this.element.firstChild) return;
    this.editor.view.dispatch({ effects: misspelt.of(wrong) });
    if (!words.includes(this.chosen)) this.chosen = null;
    const choose = (word) => () => this.suggest(word).catch(() => {});
    const button = (word) => h("button", { class: "small", "aria-pressed": String(word === this.chosen), onclick: choose(word) }, word);
    fill(this.element, words.length > 0 && [h("span", {}, "Not in the dictionary: "), words.map(button), this.choices()]);
  }

  async suggest(word) {
    this.chosen = word;
    this.suggested = null;
    this.show();
    const { suggestions } = await post(inside(this.project.name, "spelling/suggestions"), { word });
    if (this.chosen !== word) return;
    this.suggested = suggestions;
    this.show();
    this.element.querySelector(".choices button")?.focus();
  }

  choices() {
    if (!this.chosen) return null;
    const use = (text) => h("button", { class: "small", onclick: () => this.use(text) }, text);
    const add = h("button", { class: "small quiet", onclick: () => this.add(this.chosen) }, "Add to my words");
    return h("span", { class: "choices" }, this.suggested ? this.suggested.map(use) : "…", this.suggested && add);
  }

  /** Put another word in the place of the one that was chosen, wherever it stands. */
  use(text) {
    const changes = this.wrong.filter(({ word }) => word === this.chosen).map(({ from, to }) => ({ from, to, insert: text }));
    this.chosen = null;
    this.editor.view.dispatch({ changes, userEvent: "input" });
    this.editor.view.focus();
  }

  add(word) {
    this.own.add(word);
    setPreference(`words:${this.project.target}`, JSON.stringify([...this.own]));
    this.chosen = null;
    this.show();
    this.editor.view.focus();
  }
}
