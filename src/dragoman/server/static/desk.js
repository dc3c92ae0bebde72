// The desk: a document open at one of its segments, with everything that helps to translate it.
//
// 1. `open` shows a segment, with the draft that was left there, and asks for a completion.
// 2. Each key stores the draft and asks for a new completion (completing.js), which is drawn after the text (ghost.js).
// 3. `confirm` puts what is shown into the outbox, from where it is sent and learned (sync.js); then the next segment
//    is opened.

import { get, post } from "./api.js";
import { buildPanels } from "./beside.js";
import { Card } from "./card.js";
import { asDraft, changedSince, confirmation, onLeaving, readiness, untouched } from "./changes.js";
import { Completing } from "./completing.js";
import { count, h } from "./dom.js";
import { Drafts, NO_EFFORT, addEffort } from "./drafts.js";
import { Events } from "./events.js";
import { finished } from "./finishing.js";
import { takenBack } from "./fused.js";
import { notifyError } from "./notices.js";
import { Pointing } from "./pointing.js";
import { Replacing } from "./replacing.js";
import { SegmentList } from "./segments.js";
import { preference, setPreference } from "./storage.js";
import { Sync } from "./sync.js";
import { direction, setTagPattern } from "./text.js";
import { may, person, whyReadOnly } from "./who.js";

const CALM = 150; // milliseconds at a segment before everything about it is loaded
const PATIENCE = 400; // milliseconds to wait for a confirmation before going on to the next segment
const WHOLE = 3000; // up to so many segments are all loaded at once
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Desk {
  constructor(project, about, nonce) {
    Object.assign(this, { project, about, number: null, wanted: null, stopped: false, dirty: false });
    this.may = may(project.role);
    setTagPattern(project.tag_pattern);
    this.mode = preference("mode", "interactive");
    this.shading = preference("shading") === "on";
    this.grid = preference("view") === "grid";
    this.drafts = new Drafts(project.name);
    this.sync = new Sync(this);
    this.list = new SegmentList({
      open: (number) => this.open(number),
      load: (number) => this.sync.load(number),
      numbers: (query) => this.sync.numbers(query),
      edited: () => this.edited,
      me: person,
      updated: (number) => number !== this.number && this.preview?.update(number),
      people: (number) => this.events?.at(number) ?? [],
      grid: () => this.setGrid(!this.grid),
    });
    this.build(nonce);
  }

  build(nonce) {
    this.card = new Card(this.project, nonce, {
      typed: (text, ask) => this.typed(text, ask),
      shown: () => (this.card.textChanged(), this.preview.typed()),
      waits: () => this.completing.expected,
      tabbed: () => this.card.say("Nothing more to accept. Enter confirms; Esc leaves the editor."),
      confirm: (force) => this.confirm({ force }),
      insist: (more) => this.confirm(more),
      useTheirs: () => this.revert(),
      revert: () => this.revert(),
      approve: (approve) => this.approve(approve).catch(notifyError),
      leave: () => this.list.focus(),
      other: (step) => this.completing.other(step),
      moved: () => this.pointing.atCaret(),
      pointed: (offset) => this.pointing.at(this.pointing.sources(offset)),
      clicked: (offset) => this.showOrigin(this.pointing.sources(offset)),
      mode: (mode) => this.setMode(mode),
      shading: () => this.setShading(!this.shading),
      over: (token) => this.pointing.over(token),
      asked: (token) => this.showOrigin([token]),
    });
    this.editor = this.card.editor;
    this.pointing = new Pointing(this.project, this.card, this.may.complete);
    this.completing = new Completing(this);
    const directions = { "data-from": direction(this.project.source), "data-into": direction(this.project.target) };
    Object.assign(this, buildPanels(this));
    this.work = h("div", { class: "work" }, this.card.before, this.card.element, this.card.after, this.effort.element);
    this.waiting = h("p", { class: "nothing loading", role: "status" });
    this.element = h("div", { class: "desk", ...directions }, this.list.element, this.work, this.beside);
    this.element.classList.toggle("reading", !this.may.edit); // hides what would be refused
    this.card.setMode(this.mode);
    this.card.setShading(this.shading);
    this.element.classList.toggle("shaded", this.shading);
    this.setGrid(this.grid);
  }

  /** Show the segments as a bilingual grid above the editor, or as a list beside it. */
  setGrid(on) {
    this.grid = on;
    setPreference("view", on ? "grid" : "list");
    this.element.dataset.view = on ? "grid" : "list";
    this.list.setGrid(on);
  }

  /** Load the document and open it: at a segment, or at the first one to do. */
  async start(number) {
    await this.load();
    if (this.stopped) return;
    const { segments } = this.list;
    if (!segments.count)
      return void this.work.replaceChildren(h("p", { class: "nothing" }, "This file has no segments."));
    if (this.may.edit) this.completing.connect();
    else this.element.dataset.busy = "no";
    this.events = new Events(this.project.name, this.about.id, this.sync.events());
    await this.open(segments.has(number) ? number : (this.list.next(0) ?? 1));
    this.sync.outbox.flush();
    await Promise.all([this.glossary.load(), this.history.load(), this.effort.load()]).catch(notifyError);
  }

  /** Load a small document as a whole; of a large one, only in which states its segments are. */
  async load() {
    const all = Object.values(this.about.states).reduce((sum, some) => sum + some, 0);
    const progress = (done) => this.waiting.replaceChildren(`Loading ${count(done)} of ${count(all)} segments …`);
    this.work.prepend(this.waiting);
    this.card.element.hidden = true;
    progress(0);
    this.list.begin(this.about, all > WHOLE ? (await get(this.sync.path("overview"))).states : null);
    if (all <= WHOLE) this.list.updateAll(await this.sync.fetchAll(progress));
    this.card.element.hidden = false;
    this.waiting.remove();
  }

  stop() {
    if (this.number !== null) this.keepDraft();
    this.stopped = true;
    this.completing.stop();
    this.events?.close();
    clearTimeout(this.calm);
    this.pointing.stop();
    this.card.stop();
    this.preview.stop();
    this.sync.close();
  }

  // ── Opening a segment ────────────────────────────────────────────────────────────────────────────────────────────

  get segment() {
    return this.list.segments.get(this.number);
  }

  /** The numbers of confirmed segments that were changed since, in this browser. */
  get edited() {
    if (!this.changedSince) {
      this.changedSince = changedSince(this.drafts, this.about.id, this.list.segments);
      queueMicrotask(() => (this.changedSince = null)); // each row of the list asks, and drafts may change any time
    }
    return this.changedSince;
  }

  /** Open a segment, once it is here. */
  open(number) {
    this.wanted = number;
    if (this.list.segments.get(number)) return this.opened(number);
    return this.sync.load(number).then(() => {
      if (this.wanted === number && this.list.segments.get(number) && !this.stopped) this.opened(number);
    });
  }

  opened(number) {
    if (this.number !== null && number !== this.number) this.keepDraft();
    this.number = number;
    const { segment } = this;
    const draft = this.drafts.get(this.about.id, number);
    this.suggestion = draft?.suggestion ?? null;
    this.spent = draft?.effort ?? NO_EFFORT;
    this.untouched = draft === null && !segment.target && this.may.edit;
    this.completing.begin();
    this.dirty = false;
    this.card.load(segment, draft?.text ?? segment.target, whyReadOnly(this.project.role));
    this.changedSince = null;
    this.list.select(number);
    this.show();
    this.preview.show(number);
    this.pointing.begin();
    this.origin.clear();
    if (this.may.edit) this.suggestions.wait();
    this.ask();
    this.events?.moveTo(number);
    clearTimeout(this.calm);
    this.calm = setTimeout(() => this.loadNotes(), CALM);
    window.history.replaceState(null, "", this.address(this.about.id, number));
    document.title = `${number} · ${this.about.name} · dragoman`;
    if (!document.querySelector("dialog[open]")) this.editor.view.focus();
  }

  /** Show what is known of the open segment, around the text in the editor. */
  show() {
    const { segments } = this.list,
      around = (...steps) => steps.map((step) => segments.get(this.number + step)).filter(Boolean);
    this.card.show(this.segment, { before: around(-2, -1), after: around(1, 2), mode: this.mode });
    this.card.ask(this.drafts.get(this.about.id, this.number)?.question ?? null);
    this.glossary.show(this.segment.source);
  }

  loadNotes() {
    if (!this.stopped) this.notes.load(this.segment).catch(notifyError);
  }

  /** Checks were switched on or off: all findings may be different. */
  checksChanged() {
    this.sync.refresh().catch(notifyError);
    this.card.textChanged();
  }

  /** Approve the open segment, or take that back. */
  async approve(approve) {
    const answer = await post(this.sync.path("review"), { segments: [this.number], approve });
    for (const each of answer.segments) this.list.update(each);
    this.show();
    if (approve) this.goOn();
  }

  address(document, number) {
    return `#/${encodeURIComponent(this.project.name)}/${document}/${number}`;
  }

  /** Ask for a completion anew, when something was learned, forgotten or added to the glossary meanwhile. */
  ask() {
    this.completing.ask();
  }

  goTo(document, number) {
    if (document === this.about.id) this.open(number);
    else location.hash = this.address(document, number);
  }

  step(by) {
    const number = this.list.beside(this.number, by);
    if (number) this.open(number);
  }

  // ── Typing ───────────────────────────────────────────────────────────────────────────────────────────────────────

  typed(text, ask) {
    this.untouched = false;
    this.dirty = true;
    this.card.hintAt(this.mode);
    this.saveDraft(text);
    this.card.ask(null);
    this.completing.typed(text, ask);
  }

  saveDraft(text = this.editor.text) {
    const effort = addEffort(this.spent, this.editor.effort);
    this.drafts.set(this.about.id, this.number, { text, suggestion: this.suggestion, effort, time: Date.now() });
  }

  /** On leaving a segment that is not confirmed, its draft goes to the server, too. */
  keepDraft() {
    const { segment, number } = this,
      { id } = this.about,
      { outbox } = this.sync;
    const draft = this.drafts.get(id, number);
    const what = onLeaving(segment, draft, outbox.get(id, number));
    if (what === "discard") this.drafts.delete(id, number);
    if (what === "send" && this.may.edit) outbox.add(id, number, asDraft(segment, draft.text));
  }

  /** Go back to the text that the server has. */
  revert() {
    this.drafts.delete(this.about.id, this.number);
    this.open(this.number);
  }

  /** Put the engine's own words in the place of a change to them. */
  takeBack(change) {
    if (this.segment.state === "locked") return;
    const text = takenBack(this.editor.whole, change);
    this.editor.insert(text ?? change.engine, { all: text !== null });
  }

  setMode(mode) {
    this.mode = mode;
    setPreference("mode", mode);
    this.card.setMode(mode);
    const { suggestion, segment } = this;
    if (untouched(mode, this.editor.text, { suggestion, target: segment.target })) return this.startAfresh();
    if (mode === "postedit") this.editor.takeAll();
    this.editor.clear();
    this.ask();
    this.show();
    this.editor.view.focus();
  }

  /** Open the segment as if nothing had been typed; the effort so far still counts. */
  startAfresh() {
    const effort = addEffort(this.spent, this.editor.effort);
    this.drafts.delete(this.about.id, this.number);
    this.open(this.number);
    this.editor.effort = effort;
  }

  setShading(on) {
    this.shading = on;
    setPreference("shading", on ? "on" : "off");
    this.card.setShading(on);
    this.element.classList.toggle("shaded", on);
    this.ask();
    this.editor.view.focus();
  }

  // ── Confirming ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Confirm what is shown; `more` says what was decided about it: force, or accept (findings). */
  async confirm(more = {}) {
    const { segment, editor, number, suggestion } = this;
    if (!this.may.edit) return this.step(1);
    if (editor.completion?.fresh === false && !this.completing.online) editor.hide(); // no new one will come
    const target = editor.whole;
    const state = readiness(segment, { shown: target, fresh: editor.completion?.fresh !== false });
    if (state === "locked") return this.step(1);
    if (state === "stale") return void (this.completing.waits = true); // nobody confirms what they have not seen
    if (state === "empty") return void this.card.say("Nothing to confirm yet.");
    editor.takeAll();
    editor.active();
    this.saveDraft(target);
    const { effort } = this.drafts.get(this.about.id, number);
    const change = confirmation(segment, target, { suggestion, effort, ...more });
    await Promise.race([this.sync.outbox.add(this.about.id, number, change), pause(PATIENCE)]);
    const refused = this.drafts.get(this.about.id, number)?.refused;
    if (this.number === number && !refused) this.goOn();
  }

  /** Open the next segment to do. */
  goOn() {
    const next = this.list.next(this.number);
    this.open(next ?? this.number);
    if (!next) finished(this).catch(notifyError);
  }

  // ── Looking up ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Show where the translation of some source tokens comes from. */
  showOrigin(tokens) {
    if (tokens.length) this.origin.show(this.segment.source, this.completing.revision, tokens).catch(notifyError);
  }

  get selected() {
    const { state } = this.editor.view,
      { main } = state.selection;
    return (this.editor.view.hasFocus ? state.sliceDoc(main.from, main.to) : getSelection().toString()).trim();
  }

  lookUp() {
    this.concordance.look(this.selected);
  }

  /** Find and replace in the whole document. */
  replace() {
    if (!this.may.edit) return;
    this.keepDraft();
    new Replacing(this.sync.path("replacements"), (answer) => this.sync.replaced(answer)).open(this.selected);
  }
}
