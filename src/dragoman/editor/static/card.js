// The card in the middle: a segment's source, the editor for its translation, and hints.

import { fill, h } from "./dom.js";
import { Editor } from "./editor.js";
import { FindBar } from "./find_bar.js";
import { Findings } from "./findings.js";
import { Question } from "./questions.js";
import { STATES } from "./segments.js";
import { direction, label, language, missing, tags } from "./text.js";
import { chip, chipped } from "./chipped_text.js";
import { may, person } from "./who.js";

const SPEAKING = 700; // milliseconds without a key before screen readers are given the completion
const LONG = 600; // characters above which source and translation stand side by side
const MODES = { interactive: "Interactive", postedit: "Post-edit" };
const KINDS = { changed: "changed since", held: "held back", done: "approved" };
const TOUCH = globalThis.matchMedia?.("(pointer: coarse)").matches;
const HINTS = {
  interactive: TOUCH
    ? "Tap a grey word to accept all up to it, or type your own. Confirm takes what is black."
    : "Press Tab to accept the next word, or type your own. Enter confirms what is black.",
  postedit: "Edit the suggestion where it is wrong.",
  locked: "This segment is locked in the file.",
};

/** How sure the words of a completion must be: it ends before the first that is less sure. */
const LEAST = { 0: "any", 0.2: "≥ 20 %", 0.4: "≥ 40 %", 0.6: "≥ 60 %", 0.8: "≥ 80 %" };

export class Card {
  /** `handlers` has those of the editor and of questions, and: revert(), mode(name), shading(), least(number),
   *  over(token), asked(token). */
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
    this.groups = this.buildGroups();
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
      h(
        "div",
        { class: "texts-of" },
        h("div", {}, h("p", { class: "tongue" }, language(project.source)), this.buildSource()),
        (this.places = h("div", {}, h("p", { class: "tongue" }, language(project.target)), host)),
      ),
      this.spoken,
      this.question.element,
      h("div", { class: "foot" }, this.confirming, this.missing, this.hint, this.groups),
      this.findings.element,
    );
    this.host = host;
    this.editor = new Editor(host, nonce, handlers);
    this.finder = new FindBar(this.editor, this.source, () => this.editor.view.focus());
    this.question.element.before(this.finder.element);
  }

  buildSwitches() {
    const button = ([mode, name]) => h("button", { "data-mode": mode, onclick: () => this.handlers.mode(mode) }, name);
    const group = { class: "switch edits", role: "group", "aria-label": "Mode" };
    this.modes = h("div", group, Object.entries(MODES).map(button), h("kbd", {}, "F2"));
    this.shader = h("button", { class: "quiet edits", onclick: () => this.handlers.shading() }, "Confidence");
    const least = {
      class: "quiet edits",
      "aria-label": "How sure the words of a completion must be",
      title: "Completions end before the first word of which the models are less sure",
    };
    const option = ([value, name]) => h("option", { value }, name);
    this.least = h(
      "select",
      { ...least, onchange: (event) => this.handlers.least(Number(event.target.value)) },
      Object.entries(LEAST).map(option),
    );
    return [this.shader, this.least, this.modes];
  }

  /** Buttons for other segments: shown where the file has paragraphs. */
  buildGroups() {
    const merge = { class: "small quiet", title: "Alt + M", onclick: () => this.handlers.merge() };
    const split = { class: "small quiet", title: "Alt + X", onmousedown: (event) => event.preventDefault(), onclick: () => this.handlers.split() };
    const group = { class: "groups edits", role: "group", "aria-label": "Segments", hidden: true };
    return h("div", group, h("button", merge, "Merge with next"), h("button", split, "Split"));
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
      onclick: (event) => {
        this.choose(this.placeOf(event));
        if (token(event) !== null) this.handlers.asked(token(event));
      },
    });
    return this.source;
  }

  /** Edit a text for a segment, or another text for the same one; `readOnly` says why nobody may edit it here. */
  load(segment, text, readOnly = null) {
    Object.assign(this, { segment, readOnly, chosen: null });
    const { target } = this.project;
    this.editor.load(text, {
      label: `Translation of segment ${segment.number}`,
      language: target,
      direction: direction(target),
      locked: segment.state === "locked" || Boolean(readOnly),
    });
    this.element.classList.toggle("long", Math.max(segment.source.length, text.length) > LONG);
    this.source.scrollTop = 0;
    this.confirming.hidden = Boolean(readOnly);
    this.findings.begin(segment);
  }

  /** Show what is known of the segment, and the segments before and after it. */
  show(segment, { before, after, mode, label = segment.number }) {
    this.segment = segment;
    fill(this.title, `Segment ${label}`);
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
    this.finder.changed();
    this.findings.changed(this.editor.whole);
  }

  /** Write the translation here: in an element elsewhere, or in its usual place. */
  lend(element) {
    const place = element ?? this.places;
    if (this.host.parentElement === place) return;
    const focused = this.editor.view.hasFocus;
    place.append(this.host);
    this.editor.view.requestMeasure();
    if (focused) this.editor.view.focus();
  }

  /** Show what kind of segment this is now, and what can be done with it besides editing. */
  showKind(kind, stage) {
    this.stage = stage;
    this.state.dataset.kind = kind;
    fill(this.state, KINDS[kind] ?? STATES[kind]);
    this.reverting.hidden = kind !== "changed";
    const own = stage === "review" && person() !== null && this.segment.user === person(); // nobody approves their own
    this.approving.hidden = !may(this.project.role).review || own || kind === "changed" || !["review", "done"].includes(stage);
    fill(this.approving, stage === "done" ? "Take back approval" : "Approve");
  }

  /** Approve the segment after reading it, or take that back. */
  approve() {
    if (this.approving.hidden) return void this.say("Nobody approves their own work: let somebody else review it.");
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
      const about = { "data-n": tokens ? n : null, "data-from": start };
      const found = [text.slice(at, start), tag ? chip(word, about) : h("span", { class: "word", ...about }, word)];
      at = end;
      return found;
    });
    fill(this.source, parts, text.slice(at));
  }

  /** Where in the source somebody has just clicked, in its text with the tags: at the beginning of a word. */
  placeOf(event) {
    const clicked = event.target.closest("[data-from]");
    if (clicked) return Number(clicked.dataset.from);
    const { anchorNode: node, anchorOffset: offset } = getSelection();
    if (node?.nodeType !== Node.TEXT_NODE || node.parentElement !== this.source) return null;
    const before = node.previousElementSibling, // this is the space between two words, or a text without any
      word = before?.matches("[data-from]") ? before : before?.querySelector("[data-from]");
    const length = word?.matches(".chip") ? word.title.length : (word?.textContent.length ?? 0);
    return (word ? Number(word.dataset.from) + length : 0) + offset;
  }

  /** Remember where the source can be split, and say so. */
  choose(at) {
    this.chosen = at;
    if (at && !this.groups.hidden) this.say(`Alt + X splits the segment before “${this.segment.source.slice(at).trim().slice(0, 30)}”.`);
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

  /** Show how sure words must be; what the browser has kept may be none of the choices. */
  setLeast(least) {
    this.least.value = String(least in LEAST ? least : 0);
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
