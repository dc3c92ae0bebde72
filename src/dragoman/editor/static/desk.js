// The desk: a document open at one of its segments, with everything that helps to translate it.
//
// 1. `open` shows a segment, with the draft that was left there, and asks for a completion.
// 2. Each key stores the draft and asks for a new completion (completion_session.js), which is drawn after the text (ghost.js).
// 3. `confirm` puts the text, without the completion, into the outbox, from where it is sent and learned (sync.js); then the next segment
//    is opened.

import { get, inside, post } from "./api.js";
import { buildPanels } from "./side_panels.js";
import { Card } from "./card.js";
import { asDraft, changedSince, confirmation, isOutdated, onLeaving, readiness, typedAhead, untouched } from "./changes.js";
import { CompletionSession } from "./completion_session.js";
import { count, h } from "./dom.js";
import { Drafts, NO_EFFORT, addEffort } from "./drafts.js";
import { Events } from "./events.js";
import { finished } from "./document_end.js";
import { takenBack } from "./fused.js";
import { notifyError } from "./notices.js";
import { insisting, isConflict } from "./questions.js";
import { Pointing } from "./word_links.js";
import { Regroup } from "./regroup.js";
import { Replacing } from "./replacement.js";
import { SegmentList } from "./segments.js";
import { splitter } from "./splitters.js";
import { preference, setPreference } from "./storage.js";
import { Sync } from "./sync.js";
import { direction, setTagPattern } from "./text.js";
import { openTabs } from "./tab.js";
import { TypedTexts } from "./typed_texts.js";
import { may, person, whyReadOnly } from "./who.js";

const CALM = 150; // milliseconds at a segment before everything about it is loaded
const PATIENCE = 400; // milliseconds to wait for a confirmation before going on to the next segment
const WHOLE = 3000; // up to so many segments are all loaded at once
const NOTHING = "Nothing to confirm yet: Tab takes a word of the grey text, Ctrl + End all of it.";
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Desk {
  /** `reopen(number)` opens the document anew. */
  constructor(project, about, nonce, reopen = () => {}) {
    this.reopen = reopen;
    Object.assign(this, { project, about, number: null, wanted: null, stopped: false, dirty: false, leaving: null });
    this.may = may(project.role);
    setTagPattern(project.tag_pattern);
    this.mode = preference("mode", "interactive");
    this.shading = preference("shading") === "on";
    this.least = Number(preference("least-confidence", 0)) || 0;
    this.grid = preference("view") === "grid";
    this.inRows = preference("in-rows", "on") === "on";
    this.drafts = new Drafts(project.name);
    this.typedTexts = new TypedTexts(project.name, () => this.versionKept());
    this.sync = new Sync(this);
    this.list = new SegmentList({
      open: (number) => this.open(number),
      load: (number) => this.sync.load(number),
      loadThese: (numbers) => this.sync.loadThese(numbers),
      numbers: (query) => this.sync.numbers(query),
      waiting: (number) => this.sync.outbox.get(this.about.id, number)?.change.state === "confirmed",
      edited: () => this.edited,
      me: person,
      updated: (number) => number !== this.number && this.preview?.update(number),
      people: (number) => this.events?.at(number) ?? [],
      grid: () => this.setGrid(!this.grid),
      inRows: () => this.setInRows(!this.inRows),
    });
    this.build(nonce);
  }

  build(nonce) {
    this.card = new Card(this.project, nonce, {
      typed: (text, ask) => this.typed(text, ask),
      shown: () => (this.card.textChanged(), this.preview.typed()),
      waits: () => this.completions.expected || this.leaving !== null,
      tabbed: () => this.card.say("Nothing more to accept. Enter confirms; Esc leaves the editor."),
      confirm: (force) => this.confirm({ force }),
      insist: (more) => this.confirm(more),
      useTheirs: () => this.revert(),
      keepMine: () => this.keepMine(),
      revert: () => this.revert(),
      approve: (approve) => this.approve(approve).catch(notifyError),
      leave: () => this.list.focus(),
      other: (step) => this.completions.other(step),
      moved: () => this.pointing.atCaret(),
      pointed: (offset) => this.pointing.at(this.pointing.sources(offset)),
      clicked: (offset) => this.showOrigin(this.pointing.sources(offset)),
      mode: (mode) => this.setMode(mode),
      shading: () => this.setShading(!this.shading),
      least: (least) => this.setLeast(least),
      over: (token) => this.pointing.over(token),
      asked: (token) => this.showOrigin([token]),
      merge: () => this.regroup.merge(),
      split: () => this.regroup.split(),
    });
    this.editor = this.card.editor;
    this.pointing = new Pointing(this.project, this.card, this.may.complete);
    this.completions = new CompletionSession(this);
    this.regroup = new Regroup(this);
    const directions = { "data-from": direction(this.project.source), "data-into": direction(this.project.target) };
    Object.assign(this, buildPanels(this));
    this.work = h("div", { class: "work" }, this.card.before, this.card.element, this.card.after, this.effort.element);
    this.waiting = h("p", { class: "nothing loading", role: "status" });
    this.element = h("div", { class: "desk", ...directions }, this.list.element, this.work, this.beside);
    this.element.append(splitter("list", this.element), splitter("beside", this.element));
    this.element.classList.toggle("reading", !this.may.edit); // hides what would be refused
    this.element.classList.toggle("untaught", !this.may.teach);
    this.card.groups.hidden = !this.about.divisible || !this.may.edit;
    this.card.setMode(this.mode);
    this.card.setShading(this.shading);
    this.card.setLeast(this.least);
    this.element.classList.toggle("shaded", this.shading);
    this.setGrid(this.grid);
  }

  /** Show the segments as a bilingual grid above the editor, or as a list beside it. */
  setGrid(on) {
    this.grid = on;
    setPreference("view", on ? "grid" : "list");
    this.element.dataset.view = on ? "grid" : "list";
    this.list.setGrid(on);
    this.setInRows(this.inRows);
  }

  /** In the grid, write the translation in the row of its segment, or below. */
  setInRows(on) {
    this.inRows = on;
    setPreference("in-rows", on ? "on" : "off");
    this.list.inRows.setAttribute("aria-pressed", String(on));
    this.card.lend(this.grid && on ? this.list.inRow : null);
    this.list.placeInRow();
    if (this.number !== null) this.editor.view.focus();
  }

  /** Load the document and open it: at a segment, or at the first one to do. */
  async start(number) {
    await Promise.all([this.load(), this.adopt()]);
    if (this.stopped) return;
    const { segments } = this.list;
    if (!segments.count)
      return void this.work.replaceChildren(h("p", { class: "nothing" }, "This file has no segments."));
    if (this.may.edit) this.completions.connect();
    else this.element.dataset.busy = "no";
    this.events = new Events(this.project.name, this.about.id, this.sync.events());
    await this.open(segments.has(number) ? number : (this.list.next(0) ?? segments.at(0)));
    this.sync.outbox.flush();
    await Promise.all([this.glossary.load(), this.history.load(), this.effort.load(), this.steps.load()]).catch(notifyError);
  }

  /** Take over what tabs that were closed have left behind; what there is no room for goes to the versions. */
  async adopt() {
    const isOpen = await openTabs();
    this.sync.outbox.adopt(isOpen);
    for (const { document, number, text } of this.drafts.adopt(isOpen)) this.typedTexts.keep(document, number, text);
    this.keepConflicts();
  }

  /** Keep the texts that wait for a choice among the versions: the page may have been closed before it could send them. */
  keepConflicts() {
    const waiting = this.drafts.all().filter(({ document, question }) => document === this.about.id && isConflict(question));
    if (this.may.edit) for (const { document, number, text } of waiting) this.typedTexts.keep(document, number, text);
  }

  /** Load a small document as a whole; of a large one, only in which states its segments are. */
  async load() {
    const all = Object.values(this.about.states).reduce((sum, some) => sum + some, 0);
    const progress = (done) => this.waiting.replaceChildren(`Loading ${count(done)} of ${count(all)} segments …`);
    this.work.prepend(this.waiting);
    this.card.element.hidden = true;
    progress(0);
    const large = all > WHOLE || this.about.regrouped;
    this.list.begin(this.about, large ? await get(this.sync.path("overview")) : null);
    if (all <= WHOLE) this.list.updateAll(await this.sync.fetchAll(progress));
    this.card.element.hidden = false;
    this.waiting.remove();
  }

  stop() {
    if (this.number !== null) this.keepDraft();
    this.typedTexts.stop();
    this.stopped = true;
    this.completions.stop();
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
    if (this.stopped) return;
    const ahead = this.takeAhead(number);
    if (this.number !== null && number !== this.number) this.keepDraft();
    this.number = number;
    const { segment } = this;
    const draft = this.drafts.get(this.about.id, number);
    if (isOutdated(draft, segment)) this.sync.askAboutConflict(segment);
    this.suggestion = draft?.suggestion ?? null;
    this.spent = draft?.effort ?? NO_EFFORT;
    this.untouched = draft === null && !segment.target && this.may.edit;
    this.completions.begin();
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
    if (ahead) this.editor.insert(ahead);
  }

  /** Take out of a confirmed segment what was typed after Enter, before the next one could open. */
  takeAhead(number) {
    const { leaving, about, editor } = this;
    if (!leaving || leaving.number !== this.number || leaving.next !== number || number === this.number) return "";
    const ahead = typedAhead(leaving.target, editor.text);
    if (ahead) {
      this.drafts.set(about.id, this.number, { ...this.drafts.get(about.id, this.number), text: leaving.target });
      this.typedTexts.typed(about.id, this.number, leaving.target);
    }
    return ahead;
  }

  /** Show what is known of the open segment, around the text in the editor. */
  show() {
    const { segments } = this.list,
      around = (...steps) => steps.map((step) => segments.beside(this.number, step)).filter(Boolean);
    const label = segments.label(this.number);
    this.card.show(this.segment, { before: around(-2, -1), after: around(1, 2), mode: this.mode, label });
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
    this.completions.ask();
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
    this.card.ask(this.drafts.get(this.about.id, this.number).question ?? null);
    this.typedTexts.typed(this.about.id, this.number, text);
    if (!this.leaving) this.completions.typed(text, ask);
  }

  /** Whether somebody has to choose between two texts of the open segment. */
  get inConflict() {
    return isConflict(this.drafts.get(this.about.id, this.number)?.question);
  }

  /** Keep the text with the version of the segment that it was begun on; a conflict stays until somebody chooses. */
  saveDraft(text = this.editor.text) {
    const { about, number, suggestion } = this;
    const { base = this.segment.version, question: before } = this.drafts.get(about.id, number) ?? {};
    const effort = addEffort(this.spent, this.editor.effort);
    const question = isConflict(before) ? before : undefined;
    this.drafts.set(about.id, number, { text, suggestion, effort, base, question, time: Date.now() });
  }

  /** In a conflict, keep one's own text: from now on it builds on what the others have written. */
  keepMine() {
    const { id } = this.about;
    const draft = this.drafts.get(id, this.number);
    this.drafts.set(id, this.number, { ...draft, text: this.editor.text, base: this.segment.version, question: undefined });
    this.dirty = true;
    this.show();
    this.editor.view.focus();
  }

  /** A text that was typed is among the versions now. */
  versionKept() {
    if (!this.stopped) this.notes.refreshVersions().catch(() => {});
  }

  /** On leaving a segment that is not confirmed, its draft goes to the server, too. */
  keepDraft() {
    const { segment, number } = this,
      { id } = this.about,
      { outbox } = this.sync;
    const draft = this.drafts.get(id, number);
    const what = onLeaving(segment, draft, outbox.get(id, number));
    this.typedTexts.flush();
    if (what === "discard") this.drafts.delete(id, number);
    if (what === "send" && this.may.edit) outbox.add(id, number, asDraft(segment, draft.text, draft.base));
  }

  /** Go back to the text that the server has. */
  revert() {
    this.typedTexts.keep(this.about.id, this.number, this.editor.text);
    this.drafts.delete(this.about.id, this.number);
    this.open(this.number);
  }

  /** Put the engine's own words in the place of a change to them. */
  takeBack(change) {
    if (this.segment.state === "locked") return;
    const text = takenBack(this.editor.whole, change);
    this.editor.insert(text ?? change.engine, { all: text !== null });
  }

  /** Take a change back, and never make it again in this project. */
  async refuse(change) {
    this.takeBack(change);
    try {
      for (const { said, words } of change.evidence)
        await post(inside(this.project.name, "settings/refused_changes"), { said, words });
    } catch (error) {
      notifyError(error);
    }
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

  /** End completions before the first word of less confidence than that; 0 never. */
  setLeast(least) {
    this.least = least;
    setPreference("least-confidence", String(least));
    this.ask();
    this.editor.view.focus();
  }

  // ── Confirming ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Confirm the text, exactly: what is drawn in grey after it is not part of it. `more` says what was decided about
   *  it: force, or accept (findings). Until the next segment is open, what is typed belongs to that one, with its Enter. */
  confirm(more = {}) {
    const { leaving } = this;
    if (!leaving) return this.confirmNow(more);
    const same = leaving.number === this.number && leaving.target === this.editor.text; // Enter twice, or insisting
    const wanted = () => (same ? more.force && leaving.number === this.number : leaving.number !== this.number);
    return leaving.done.then(() => wanted() && this.confirm(more));
  }

  async confirmNow(more) {
    const { segment, editor, number, suggestion } = this;
    if (!this.may.edit) return this.step(1);
    const target = editor.text;
    const state = readiness(segment, target);
    if (state === "locked") return this.step(1);
    if (state === "empty") return void this.card.say(NOTHING);
    if (this.inConflict) {
      if (!more.force) return void this.card.say("Choose first: use their text, or keep yours.");
      this.keepMine();
    }
    const { question } = this.drafts.get(this.about.id, number) ?? {};
    if (more.force && question) more = { ...insisting(question), force: true }; // as the button of the question does
    editor.active();
    this.saveDraft(target);
    const { effort, base } = this.drafts.get(this.about.id, number);
    const change = confirmation(segment, target, { suggestion, effort, base, ...more });
    const sent = this.sync.outbox.add(this.about.id, number, change).then(() => this.sync.filling);
    this.list.redraw(number);
    editor.clear(); // nothing can be taken any more
    this.leaving = { number, target, next: null };
    this.leaving.done = this.leave(number, Promise.race([sent, pause(PATIENCE)])).finally(() => (this.leaving = null));
    return this.leaving.done;
  }

  /** Go on from a segment that is being confirmed, unless that is refused or somebody has gone elsewhere. */
  async leave(number, answered) {
    await answered;
    const refused = this.drafts.get(this.about.id, number)?.refused;
    if (this.number === number && !refused) await this.goOn();
  }

  /** Open the next segment to do. */
  goOn() {
    if (this.stopped) return;
    const next = this.list.next(this.number);
    if (this.leaving) this.leaving.next = next;
    if (!next) finished(this).catch(notifyError);
    return this.open(next ?? this.number);
  }

  // ── Looking up ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Show where the translation of some source tokens comes from. */
  showOrigin(tokens) {
    if (tokens.length) this.origin.show(this.segment.source, this.completions.revision, tokens).catch(notifyError);
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
    if (!this.may.teach) return;
    this.keepDraft();
    new Replacing(this.project.name, this.sync.path("replacements"), (answer) => this.sync.replaced(answer)).open(this.selected);
  }
}
