// The card in the middle: a segment's source, the editor for its translation, and hints.

import { fill, h } from "./dom.js";
import { Editor } from "./editor.js";
import { STATES } from "./segments.js";
import { direction, label, language, missing, tags } from "./text.js";

const SPEAKING = 700; // milliseconds without a key before screen readers are given the completion
const MODES = { interactive: "Interactive", postedit: "Post-edit" };
const HINTS = {
  interactive: "Press Tab to accept the next word, or type your own.",
  postedit: "Edit the suggestion where it is wrong.",
  locked: "This segment is locked in the file.",
};

export class Card {
  /** `handlers` has those of the editor, and: mode(name), shading(), over(token), asked(token). */
  constructor(project, nonce, handlers) {
    Object.assign(this, { project, handlers, segment: null });
    this.title = h("h1", {});
    this.state = h("span", { class: "badge" });
    this.before = h("div", { class: "context" });
    this.after = h("div", { class: "context" });
    this.missing = h("div", { class: "lacking" });
    this.hint = h("p", { class: "hint" });
    this.spoken = h("div", { id: "completion", class: "unseen", "aria-live": "polite" });
    const host = h("div", { class: "target" });
    const act = { class: "main", onclick: () => handlers.confirm() };
    const confirm = h("button", act, "Confirm ", h("kbd", {}, "Enter"));
    this.element = h(
      "article",
      { class: "card" },
      h("div", { class: "head" }, this.title, this.state, h("span", { class: "space" }), this.buildSwitches()),
      h("p", { class: "tongue" }, language(project.source)),
      this.buildSource(),
      h("p", { class: "tongue" }, language(project.target)),
      host,
      this.spoken,
      h("div", { class: "foot" }, confirm, this.missing, this.hint),
    );
    this.editor = new Editor(host, nonce, handlers);
  }

  buildSwitches() {
    const button = ([mode, name]) => h("button", { "data-mode": mode, onclick: () => this.handlers.mode(mode) }, name);
    const group = { class: "switch", role: "group", "aria-label": "Mode" };
    this.modes = h("div", group, Object.entries(MODES).map(button), h("kbd", {}, "F2"));
    this.shader = h("button", { class: "quiet", onclick: () => this.handlers.shading() }, "Confidence");
    return [this.shader, this.modes];
  }

  buildSource() {
    const token = (event) => (event.target.dataset.n === undefined ? null : Number(event.target.dataset.n));
    const { source } = this.project;
    this.source = h("p", {
      class: "source",
      lang: source,
      dir: direction(source),
      onmouseover: (event) => this.handlers.over(token(event)),
      onmouseleave: () => this.handlers.over(null),
      onclick: (event) => token(event) !== null && this.handlers.asked(token(event)),
    });
    return this.source;
  }

  /** Edit a text for a segment, or another text for the same one. */
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
    this.showMissing();
  }

  /** Draw the source: by its tokens if they are known; tags are chips in any case. */
  drawSource(tokens) {
    const text = this.segment.source;
    const pieces = tokens ?? tags(text).map(({ from, to }) => ({ start: from, end: to, tag: true }));
    let at = 0;
    const parts = pieces.flatMap(({ start, end, tag }, n) => {
      const word = text.slice(start, end);
      const about = { class: tag ? "chip" : "word", title: tag ? word : null, "data-n": tokens ? n : null };
      const found = [text.slice(at, start), h("span", about, tag ? label(word) : word)];
      at = end;
      return found;
    });
    fill(this.source, parts, text.slice(at));
  }

  point(tokens) {
    for (const word of this.source.querySelectorAll("[data-n]"))
      word.classList.toggle("pointed", tokens.has(Number(word.dataset.n)));
  }

  /** Show the tags of the source that are missing in the translation; a click inserts them. */
  showMissing() {
    const button = (tag) =>
      h("button", { class: "chip", title: `Insert ${tag}`, onclick: () => this.editor.insert(tag) }, label(tag));
    const absent = missing(this.segment.source, this.editor.whole);
    fill(this.missing, absent.length > 0 && ["Missing tags: ", absent.map(button)]);
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

  /** Give a completion to screen readers, once nobody is typing. */
  speak(text) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => fill(this.spoken, text && `Completion: ${text}`), SPEAKING);
  }

  stop() {
    clearTimeout(this.speaking);
    this.editor.view.destroy();
  }
}
