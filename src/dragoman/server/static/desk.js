// The desk: a document open at one of its segments, with everything that helps to translate it.
//
// 1. `open` shows a segment, with the draft that was left there, and asks for a completion.
// 2. Each key stores the draft and asks for a new completion (live.js), which is drawn after the text (ghost.js).
// 3. `confirm` puts what is shown into the outbox, from where it is sent and learned (sync.js); then the next segment
//    is opened.

import { get, post } from "./api.js";
import { buildPanels } from "./beside.js";
import { Card } from "./card.js";
import { asDraft, changedSince, confirmation, onLeaving, readiness, untouched } from "./changes.js";
import { Alternatives, completion } from "./completions.js";
import { count, h } from "./dom.js";
import { download } from "./downloading.js";
import { Drafts, NO_EFFORT, addEffort } from "./drafts.js";
import { takenBack } from "./fused.js";
import { Events } from "./events.js";
import { Live } from "./live.js";
import { notify, notifyError, sentence } from "./notices.js";
import { Pointing } from "./pointing.js";
import { Replacing } from "./replacing.js";
import { SegmentList } from "./segments.js";
import { preference, setPreference } from "./storage.js";
import { Sync } from "./sync.js";
import { direction, setTagPattern } from "./text.js";
import { may, person, whyReadOnly } from "./who.js";

const CALM = 150; // milliseconds at a segment before everything about it is loaded
const PATIENCE = 400; // milliseconds to wait for a confirmation before going on to the next segment
const DELIVERY = 10_000; // milliseconds to wait for changes to be saved before a file is written
const WHOLE = 3000; // up to so many segments are all loaded at once
const FADING = 500; // milliseconds for which a completion of an older text stays when no new one comes
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Desk {
  constructor(project, about, nonce) {
    Object.assign(this, { project, about, number: null, wanted: null, revision: 0, stopped: false, dirty: false });
    this.may = may(project.role);
    setTagPattern(project.tag_pattern);
    this.alternatives = new Alternatives();
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
      people: (number) => this.events?.at(number) ?? [],
      grid: () => this.setGrid(!this.grid),
    });
    this.build(nonce);
  }

  build(nonce) {
    this.card = new Card(this.project, nonce, {
      typed: (text, ask) => this.typed(text, ask),
      shown: () => this.card.textChanged(),
      waits: () => this.mode === "interactive" && this.live?.busy === true,
      tabbed: () => this.card.say("Nothing more to accept. Enter confirms; Esc leaves the editor."),
      confirm: (force) => this.confirm({ force }),
      insist: (more) => this.confirm(more),
      useTheirs: () => this.revert(),
      revert: () => this.revert(),
      approve: (approve) => this.approve(approve).catch(notifyError),
      leave: () => this.list.focus(),
      other: (step) => this.other(step),
      moved: () => this.pointing.atCaret(),
      pointed: (offset) => this.pointing.at(this.pointing.sources(offset)),
      clicked: (offset) => this.showOrigin(this.pointing.sources(offset)),
      mode: (mode) => this.setMode(mode),
      shading: () => this.setShading(!this.shading),
      over: (token) => this.pointing.over(token),
      asked: (token) => this.showOrigin([token]),
    });
    this.editor = this.card.editor;
    this.pointing = new Pointing(this.project, this.card);
    const directions = { "data-from": direction(this.project.source), "data-into": direction(this.project.target) };
    Object.assign(this, buildPanels(this));
    this.work = h("div", { class: "work" }, this.card.before, this.card.element, this.card.after, this.effort.element);
    this.waiting = h("p", { class: "nothing loading", role: "status" });
    this.element = h("div", { class: "desk", ...directions }, this.list.element, this.work, this.beside);
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
    if (this.may.edit) this.connect();
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

  connect() {
    this.live = new Live(
      this.project.name,
      (answer, asked) => this.answered(answer, asked),
      (state, busy) => this.connected(state, busy),
    );
  }

  connected(state, busy) {
    this.element.dataset.busy = busy ? "yes" : "no";
    this.sync.connected(state);
    if (state === "away") this.suggestions.show([]);
  }

  stop() {
    if (this.number !== null) this.keepDraft();
    this.stopped = true;
    this.live?.close();
    this.events?.close();
    clearTimeout(this.calm);
    clearTimeout(this.fading);
    this.pointing.stop();
    this.card.stop();
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
    this.alternatives.clear();
    this.waits = this.dirty = false;
    this.card.load(segment, draft?.text ?? segment.target, whyReadOnly(this.project.role));
    this.changedSince = null;
    this.list.select(number);
    this.show();
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

  /** Open the segment on the server, for a completion of what is there, or in post-editing for a whole translation.
   *  Also when something was learned, forgotten or added to the glossary meanwhile. */
  ask() {
    const prefix = this.mode === "interactive" ? this.editor.text : "";
    this.live?.open(this.about.id, this.number, prefix, this.shading);
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
    this.alternatives.clear();
    this.waits = false;
    this.card.hintAt(this.mode);
    this.saveDraft(text);
    this.card.ask(null);
    if (!ask) return; // an input method is composing
    if (this.mode === "interactive") this.live?.complete(text, this.shading);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => this.editor.stale && this.editor.hide({ forGood: false }), FADING);
    this.pointing.changed();
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

  /** The server has answered what was asked in the live session. */
  answered(answer, asked) {
    if (asked.document !== this.about.id || asked.segment !== this.number) return;
    if (asked.do === "open") this.showSuggestions(answer);
    if (answer.error) return void this.card.say(sentence(answer.error.what));
    this.revision = answer.revision;
    if (asked.do === "open") this.pointing.tokens(answer.source_tokens);
    if (asked.do === "open" && asked.prefix === "") this.suggestion ??= answer.suffix;
    if (this.mode === "postedit") return void this.prefill(answer, asked);
    if (asked.prefix !== this.editor.text || this.editor.composing) return;
    const found = completion(answer, this.shading);
    if (asked.do !== "reject") this.alternatives.clear();
    else if (!found.text) return void this.card.say("No other completions.");
    this.alternatives.add(found);
    this.suggest(found);
  }

  /** Show what there is to start from; over another engine also what was changed in its words, and why. */
  showSuggestions({ matches = [], upstream = null, revision }) {
    const { number } = this;
    this.suggestions.show(matches, upstream);
    if (upstream === null) return;
    const current = () => number === this.number && this.revision === revision && !this.stopped;
    this.origin
      .translation(this.segment.source, revision)
      .then((found) => current() && this.suggestions.add(found))
      .catch(() => {}); // the engine's words are shown, and there is a completion
  }

  /** Put the engine's own words in the place of a change to them. */
  takeBack(change) {
    if (this.segment.state === "locked") return;
    const text = takenBack(this.editor.whole, change);
    this.editor.insert(text ?? change.engine, { all: text !== null });
  }

  suggest(found) {
    const wanted = this.waits;
    this.waits = false;
    this.editor.suggest(found);
    this.pointing.changed();
    this.card.speak(found.text);
    if (!wanted) return;
    if (found.text) this.card.say("New completion: Enter accepts it, Esc dismisses it.");
    else this.confirm();
  }

  /** In post-editing the whole suggestion is the text to start from. */
  prefill(answer, asked) {
    this.editor.clear();
    if (asked.do !== "open" || asked.prefix !== "") return;
    if (this.untouched && !this.editor.text) {
      const { effort } = this.editor;
      this.card.load(this.segment, answer.suffix);
      this.editor.effort = effort;
      this.editor.view.focus();
      this.card.textChanged();
      this.pointing.changed();
    }
    if (this.shading && this.editor.text === answer.suffix) this.editor.shade(completion(answer, true).words);
  }

  /** Show the next completion of the same text (step 1), or the one before (-1). */
  other(step) {
    if (this.mode !== "interactive" || this.alternatives.empty) return;
    const found = this.alternatives.move(step);
    if (!found && step < 0) return;
    this.editor.unwanted = null;
    if (found) this.suggest(found);
    else this.live?.reject(this.shading);
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
    if (editor.completion?.fresh === false && this.live.state !== "online") editor.hide(); // no new one will come
    const target = editor.whole;
    const state = readiness(segment, { shown: target, fresh: editor.completion?.fresh !== false });
    if (state === "locked") return this.step(1);
    if (state === "stale") return void (this.waits = true); // nobody confirms what they have not seen
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
    if (!next) this.finished().catch(notifyError);
  }

  /** Nothing is left to do, here at least: say so, and only what is true of the file. */
  async finished() {
    await this.sync.outbox.sending;
    const { segments, filtered } = this.list,
      left = segments.count - segments.done,
      all = [["Show all segments", () => this.list.clearFilter()]];
    if (this.edited.size) return notify(`Changed since they were confirmed: ${[...this.edited].join(", ")}.`);
    if (left && filtered) return notify("Nothing left to do in this filter.", { choices: all });
    const { deliverable } = left ? {} : await get(this.sync.path("report"));
    if (deliverable) notify("All segments are confirmed. Download the file with the button above.");
    else if (!left) notify("Some segments cannot be written into the file: see “Held back” in the filter.");
  }

  /** Save everything, and download the file; whoever wants to see a segment first is shown it. */
  async download() {
    this.keepDraft();
    await Promise.race([this.sync.outbox.sending, pause(DELIVERY)]);
    const segment = await download(this.project.name, this.about, this.edited);
    if (segment) this.open(segment);
  }

  // ── Looking up ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Show where the translation of some source tokens comes from. */
  showOrigin(tokens) {
    if (tokens.length) this.origin.show(this.segment.source, this.revision, tokens).catch(notifyError);
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
