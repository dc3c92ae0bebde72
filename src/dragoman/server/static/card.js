// The card in the middle: a segment's source, the editor for its translation, and hints.

import { fill, h } from "./dom.js";
import { Editor } from "./editor.js";
import { Findings } from "./findings.js";
import { Question } from "./questions.js";
import { STATES } from "./segments.js";
import { direction, label, language, missing, tags } from "./text.js";
import { chip, chipped } from "./texts.js";

const SPEAKING = 700; // milliseconds without a key before screen readers are given the completion
const MODES = { interactive: "Interactive", postedit: "Post-edit" };
const KINDS = { changed: "changed since", held: "held back", done: "approved" };
const HINTS = {
  interactive: "Press Tab to accept the next word, or type your own.",
  postedit: "Edit the suggestion where it is wrong.",
  locked: "This segment is locked in the file.",
};

export class Card {
  /** `handlers` has those of the editor and of questions, and: revert(), mode(name), shading(), over(token),
   *  asked(token). */
  constructor(project, nonce, handlers) {
    Object.assign(this, { project, handlers, segment: null });
    this.title = h("h1", {});
    this.state = h("span", { class: "badge" });
    this.reverting = h("button", { class: "small", hidden: true, onclick: () => handlers.revert() }, "Revert");
    this.approving = h("button", { class: "small", hidden: true, onclick: () => this.approve() });
    this.others = h("span", { class: "time" });
    this.question = new Question(handlers);
    this.findings = new Findings(project.name, {
      insert: (text) => this.editor.insert(text),
      mark: (ranges) => this.editor.find(ranges),
    });
    this.before = h("div", { class: "context" });
    this.after = h("div", { class: "context" });
    this.missing = h("div", { class: "lacking" });
    this.hint = h("p", { class: "hint" });
    this.spoken = h("div", { id: "completion", class: "unseen", "aria-live": "polite" });
    const host = h("div", { class: "target" });
    const act = { class: "main", onclick: () => handlers.confirm() };
    this.confirming = h("button", act, "Confirm ", h("kbd", {}, "Enter"));
    const about = [this.title, this.state, this.reverting, this.approving, this.others];
    const head = [...about, h("span", { class: "space" }), this.buildSwitches()];
    this.element = h(
      "article",
      { class: "card" },
      h("div", { class: "head" }, head),
      h("p", { class: "tongue" }, language(project.source)),
      this.buildSource(),
      h("p", { class: "tongue" }, language(project.target)),
      host,
      this.spoken,
      this.question.element,
      h("div", { class: "foot" }, this.confirming, this.missing, this.hint),
      this.findings.element,
    );
    this.editor = new Editor(host, nonce, handlers);
  }

  buildSwitches() {
    const button = ([mode, name]) => h("button", { "data-mode": mode, onclick: () => this.handlers.mode(mode) }, name);
    const group = { class: "switch edits", role: "group", "aria-label": "Mode" };
    this.modes = h("div", group, Object.entries(MODES).map(button), h("kbd", {}, "F2"));
    this.shader = h("button", { class: "quiet edits", onclick: () => this.handlers.shading() }, "Confidence");
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

  /** Edit a text for a segment, or another text for the same one; `readOnly` says why nobody may edit it here. */
  load(segment, text, readOnly = null) {
    Object.assign(this, { segment, readOnly });
    const { target } = this.project;
    this.editor.load(text, {
      label: `Translation of segment ${segment.number}`,
      language: target,
      direction: direction(target),
      locked: segment.state === "locked" || Boolean(readOnly),
    });
    this.confirming.hidden = Boolean(readOnly);
    this.findings.begin(segment);
  }

  /** Show what is known of the segment, and the segments before and after it. */
  show(segment, { before, after, mode }) {
    this.segment = segment;
    fill(this.title, `Segment ${segment.number}`);
    this.hintAt(mode);
    const pair = ({ source, target }) => [
      h("p", { class: "of" }, chipped(source)),
      target && h("p", {}, chipped(target)),
    ];
    fill(this.before, before.map(pair));
    fill(this.after, after.map(pair));
    this.textChanged();
  }

  /** The text or the completion after it looks different now. */
  textChanged() {
    const { state, held, stage, target } = this.segment;
    const changed = state === "confirmed" && this.editor.text !== target;
    const kind = changed ? "changed" : held ? "held" : stage === "done" ? "done" : state;
    if (kind !== this.state.dataset.kind || stage !== this.stage) this.showKind(kind, stage);
    this.showMissing();
    this.findings.changed(this.editor.whole);
  }

  /** Show what kind of segment this is now, and what can be done with it besides editing. */
  showKind(kind, stage) {
    this.stage = stage;
    this.state.dataset.kind = kind;
    fill(this.state, KINDS[kind] ?? STATES[kind]);
    this.reverting.hidden = kind !== "changed";
    this.approving.hidden = Boolean(this.readOnly) || kind === "changed" || !["review", "done"].includes(stage);
    fill(this.approving, stage === "done" ? "Take back approval" : "Approve");
  }

  /** Approve the segment after reading it, or take that back. */
  approve() {
    this.handlers.approve(this.segment.stage !== "done");
  }

  /** Say who else has this segment open. */
  showOthers(names) {
    fill(this.others, names.length > 0 && `${names.join(", ")} ${names.length > 1 ? "are" : "is"} here, too`);
  }

  /** Ask something about the text, or nothing any more. */
  ask(question) {
    this.question.show(question);
  }

  /** Draw the source: by its tokens if they are known; tags are chips in any case. */
  drawSource(tokens) {
    const text = this.segment.source;
    const pieces = tokens ?? tags(text).map(({ from, to }) => ({ start: from, end: to, tag: true }));
    let at = 0;
    const parts = pieces.flatMap(({ start, end, tag }, n) => {
      const word = text.slice(start, end);
      const about = { "data-n": tokens ? n : null };
      const found = [text.slice(at, start), tag ? chip(word, about) : h("span", { class: "word", ...about }, word)];
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
    if (!absent.length && !this.missing.firstChild) return;
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
    this.say(this.readOnly ?? HINTS[this.segment.state === "locked" ? "locked" : mode]);
  }

  /** Give a completion to screen readers, once nobody is typing. */
  speak(text) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => fill(this.spoken, text && `Completion: ${text}`), SPEAKING);
  }

  stop() {
    clearTimeout(this.speaking);
    this.findings.stop();
    this.editor.view.destroy();
  }
}
