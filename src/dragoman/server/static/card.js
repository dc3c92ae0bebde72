// The card in the middle: a segment's source, the editor for its translation, and what is said about both.

import { fill, h } from "./dom.js";
import { Editor } from "./editor.js";
import { STATES } from "./segments.js";
import { direction, label, language, missing, tags } from "./text.js";

const TELLING = 700; // milliseconds without a key before a completion is told to screen readers
const MODES = { interactive: "Interactive", postedit: "Post-edit" };
const HINTS = {
  interactive: "Tab takes the next word. Type where you want another one.",
  postedit: "Change what is not right.",
  locked: "This segment is locked in its file.",
};

export class Card {
  /** `told` has what the editor tells, and: mode(name), shading(), over(token), asked(token). */
  constructor(project, nonce, told) {
    Object.assign(this, { project, told, segment: null });
    this.title = h("h1", {});
    this.state = h("span", { class: "badge" });
    this.before = h("div", { class: "context" });
    this.after = h("div", { class: "context" });
    this.lacking = h("div", { class: "lacking" });
    this.hint = h("p", { class: "hint" });
    this.spoken = h("div", { id: "completion", class: "unseen", "aria-live": "polite" });
    const host = h("div", { class: "target" });
    const confirm = h("button", { class: "main", onclick: () => told.confirm() }, "Confirm ", h("kbd", {}, "Enter"));
    this.element = h(
      "article",
      { class: "card" },
      h("div", { class: "head" }, this.title, this.state, h("span", { class: "space" }), this.buildSwitches()),
      h("p", { class: "tongue" }, language(project.source)),
      this.buildSource(),
      h("p", { class: "tongue" }, language(project.target)),
      host,
      this.spoken,
      h("div", { class: "foot" }, confirm, this.lacking, this.hint),
    );
    this.editor = new Editor(host, nonce, told);
  }

  buildSwitches() {
    const button = ([mode, name]) => h("button", { "data-mode": mode, onclick: () => this.told.mode(mode) }, name);
    const group = { class: "switch", role: "group", "aria-label": "How to work" };
    this.modes = h("div", group, Object.entries(MODES).map(button), h("kbd", {}, "F2"));
    this.shader = h("button", { class: "quiet", onclick: () => this.told.shading() }, "Confidence");
    return [this.shader, this.modes];
  }

  buildSource() {
    const token = (event) => (event.target.dataset.n === undefined ? null : Number(event.target.dataset.n));
    const { source } = this.project;
    this.source = h("p", {
      class: "source",
      lang: source,
      dir: direction(source),
      onmouseover: (event) => this.told.over(token(event)),
      onmouseleave: () => this.told.over(null),
      onclick: (event) => token(event) !== null && this.told.asked(token(event)),
    });
    return this.source;
  }

  /** Begin with a text for a segment, or with another text for the same. */
  load(segment, text) {
    this.segment = segment;
    const { target } = this.project;
    this.editor.load(text, {
      label: `Translation of segment ${segment.number}`,
      language: target,
      direction: direction(target),
      locked: segment.state === "locked",
    });
  }

  /** Show what is known of the segment, and the segments before and after it. */
  show(segment, before, after, mode) {
    this.segment = segment;
    fill(this.title, `Segment ${segment.number}`);
    fill(this.state, STATES[segment.state]);
    this.hintAt(mode);
    const context = (box, other) =>
      fill(box, other && [h("p", { class: "of" }, other.source), other.target && h("p", {}, other.target)]);
    context(this.before, before);
    context(this.after, after);
    this.showLacking();
  }

  /** The source, by its tokens if they are known; tags are chips in any case. */
  drawSource(tokens) {
    const text = this.segment.source;
    const pieces = tokens ?? tags(text).map(({ from, to }) => ({ start: from, end: to }));
    let at = 0;
    const parts = pieces.flatMap(({ start, end }, n) => {
      const word = text.slice(start, end);
      const chip = tags(word)[0]?.text === word;
      const about = { class: chip ? "chip" : "word", title: chip ? word : null, "data-n": tokens ? n : null };
      const found = [text.slice(at, start), h("span", about, chip ? label(word) : word)];
      at = end;
      return found;
    });
    fill(this.source, parts, text.slice(at));
  }

  point(tokens) {
    for (const word of this.source.querySelectorAll("[data-n]"))
      word.classList.toggle("pointed", tokens.has(Number(word.dataset.n)));
  }

  /** Tags of the source that are not in the translation yet; a click puts them in. */
  showLacking() {
    const button = (tag) =>
      h("button", { class: "chip", title: `Put in ${tag}`, onclick: () => this.editor.insert(tag) }, label(tag));
    const lacking = missing(this.segment.source, this.editor.whole);
    fill(this.lacking, lacking.length > 0 && ["Tags missing: ", lacking.map(button)]);
  }

  insertTag() {
    const [tag] = missing(this.segment.source, this.editor.text);
    if (tag) this.editor.insert(tag);
  }

  setMode(mode) {
    for (const button of this.modes.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
  }

  setShading(on) {
    this.shader.setAttribute("aria-pressed", String(on));
    if (!on) this.editor.shade([]);
  }

  /** Say something below the editor. */
  say(text) {
    fill(this.hint, text);
  }

  hintAt(mode) {
    this.say(HINTS[this.segment.state === "locked" ? "locked" : mode]);
  }

  /** Tell a completion to screen readers, when the keys rest. */
  speak(text) {
    clearTimeout(this.telling);
    this.telling = setTimeout(() => fill(this.spoken, text && `Completion: ${text}`), TELLING);
  }

  stop() {
    clearTimeout(this.telling);
    this.editor.view.destroy();
  }
}
