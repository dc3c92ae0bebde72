// The desk: a document open at one of its segments, with what helps to translate it.
//
// 1. `open` shows a segment, with the draft that was left there, and asks for a completion.
// 2. Each key keeps the draft and asks for another one (live.js); it is drawn behind the text (ghost.js).
// 3. `confirm` puts what is seen into the outbox, from where it is sent and learned; then the next segment is opened.

import { get, inside, post } from "./api.js";
import { Card } from "./card.js";
import { h } from "./dom.js";
import { Live } from "./live.js";
import { complain, say, sentence, showStatus } from "./notices.js";
import { Drafts } from "./drafts.js";
import { Outbox } from "./outbox.js";
import { Concordance, Effort, Glossary, History, Matches, Origin } from "./panels.js";
import { Pointing } from "./pointing.js";
import { SegmentList } from "./segments.js";
import { direction, unit } from "./text.js";

const PATIENCE = 400; // milliseconds to wait for a confirmation before going on to the next segment
const FADING = 500; // milliseconds for which a completion of an older text stays when no new one comes
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Desk {
  constructor(project, about, nonce) {
    Object.assign(this, { project, about, number: null, others: [], revision: 0, unsent: 0, stopped: false });
    this.unlearned = null; // the segment that was confirmed last, if nothing could be learned from it
    this.mode = localStorage.getItem("dragoman:mode") ?? "interactive";
    this.shading = localStorage.getItem("dragoman:shading") === "on";
    this.drafts = new Drafts(project.name);
    this.outbox = new Outbox(project.name, {
      saved: (segment, milliseconds) => this.saved(segment, milliseconds),
      refused: (item, error) => this.refused(item, error),
      waiting: (unsent) => showStatus(this.live?.state, (this.unsent = unsent)),
    });
    this.list = new SegmentList((number) => this.open(number));
    this.build(nonce);
    this.channel = new BroadcastChannel(`dragoman:${project.name}`);
    this.channel.onmessage = ({ data }) => this.changedElsewhere(data);
  }

  build(nonce) {
    const { name } = this.project;
    this.card = new Card(this.project, nonce, {
      typed: (text, ask) => this.typed(text, ask),
      confirm: (force) => this.confirm(force),
      leave: () => this.list.focus(),
      other: (step) => this.other(step),
      moved: () => this.pointing.atCaret(),
      pointed: (offset) => this.pointing.at(this.pointing.sources(offset)),
      clicked: (offset) => this.tellOrigin(this.pointing.sources(offset)),
      mode: (mode) => this.setMode(mode),
      shading: () => this.setShading(!this.shading),
      over: (token) => this.pointing.over(token),
      asked: (token) => this.tellOrigin([token]),
    });
    this.editor = this.card.editor;
    this.pointing = new Pointing(this.project, this.card);
    this.matches = new Matches((text) => this.editor.insert(text, { all: true }));
    const insert = (text) => this.editor.insert(text);
    this.glossary = new Glossary(name, insert, () => this.reopen());
    this.origin = new Origin(name, (document, number) => this.goTo(document, number));
    this.concordance = new Concordance(name);
    this.history = new History(name, () => this.undone());
    this.effort = new Effort(name);
    const parts = [this.matches, this.glossary, this.origin, this.concordance, this.history];
    const beside = parts.map((each) => each.element);
    this.work = h("div", { class: "work" }, this.card.before, this.card.element, this.card.after, this.effort.element);
    const directions = { "data-from": direction(this.project.source), "data-into": direction(this.project.target) };
    this.element = h("div", { class: "desk", ...directions }, this.list.element, this.work);
    this.element.append(h("aside", { class: "beside", "aria-label": "Beside the text" }, beside));
    this.card.setMode(this.mode);
    this.card.setShading(this.shading);
    this.element.classList.toggle("shaded", this.shading);
  }

  /** Load the document and open it: at a segment, or at the first that is to be done. */
  async start(number) {
    const segments = await this.fetchAll();
    this.list.set(segments);
    this.live = new Live(
      this.project.name,
      (answer, asked) => this.heard(answer, asked),
      (state, busy) => this.connected(state, busy),
    );
    if (!segments.length)
      return void this.work.replaceChildren(h("p", { class: "nothing" }, "There are no segments in this file."));
    this.open(this.list.segments.has(number) ? number : (this.list.next(0) ?? segments[0].number));
    this.outbox.flush();
    await Promise.all([this.glossary.load(), this.history.load(), this.effort.load()]).catch(complain);
  }

  async fetchAll() {
    const segments = [];
    for (let page; !page || page.length === 1000;) {
      const from = `documents/${this.about.id}/segments?limit=1000&after=${segments.at(-1)?.number ?? 0}`;
      page = (await get(inside(this.project.name, from))).segments;
      segments.push(...page);
    }
    return segments;
  }

  stop() {
    if (this.number !== null) this.keepDraft();
    this.stopped = true;
    this.live?.close();
    clearTimeout(this.fading);
    this.pointing.stop();
    this.card.stop();
    Promise.resolve(this.outbox.sending).finally(() => this.channel.close());
  }

  // ── Opening a segment ────────────────────────────────────────────────────────────────────────────────────────────

  get segment() {
    return this.list.segments.get(this.number);
  }

  open(number) {
    if (this.number !== null && number !== this.number) this.keepDraft();
    this.number = number;
    const { segment } = this;
    const draft = this.drafts.get(this.about.id, number);
    this.suggestion = draft?.suggestion ?? null;
    this.spent = draft?.effort ?? { keys: 0, clicks: 0, milliseconds: 0 };
    this.untouched = draft === null && !segment.target;
    this.others = [];
    this.waits = this.dirty = false;
    this.card.load(segment, draft?.text ?? segment.target);
    this.list.select(number);
    this.show();
    this.pointing.begin();
    this.origin.clear();
    this.ask();
    this.lookAround();
    window.history.replaceState(null, "", this.address(this.about.id, number));
    document.title = `${number} · ${this.about.name} · dragoman`;
    if (!document.querySelector("dialog[open]")) this.editor.view.focus();
  }

  /** Show what is known of the open segment, beside the text in the editor. */
  show() {
    const [before, after] = [-1, 1].map((step) => this.list.segments.get(this.list.beside(this.number, step)));
    this.card.show(this.segment, before, after, this.mode);
    this.glossary.show(this.segment.source);
  }

  address(document, number) {
    return `#/${encodeURIComponent(this.project.name)}/${document}/${number}`;
  }

  /** Matches, for which the server translates the segment once more: after the completion is there. */
  async lookAround() {
    const { number, segment } = this;
    await pause(30);
    if (number !== this.number) return;
    try {
      const answer = await post(inside(this.project.name, "translations"), { texts: [segment.source] });
      if (number === this.number) this.matches.show(answer.translations[0].matches);
    } catch (error) {
      if (number === this.number) this.matches.show([]);
    }
  }

  /** Ask for a completion of what is there, or in post-editing for a whole translation. */
  ask() {
    const prefix = this.mode === "interactive" ? this.editor.text : "";
    this.live.open(this.about.id, this.number, prefix, this.shading);
  }

  /** Ask again for the open segment: what is learned or settled has changed. */
  reopen() {
    this.ask();
    this.lookAround();
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
    this.others = [];
    this.waits = false;
    this.card.hintAt(this.mode);
    this.saveDraft(text);
    if (!ask) return; // an input method composes
    if (this.mode === "interactive") this.live.complete(text, this.shading);
    clearTimeout(this.fading);
    this.fading = setTimeout(() => this.editor.stale && this.editor.hide({ forGood: false }), FADING);
    this.card.showLacking();
    this.pointing.changed();
  }

  saveDraft(text = this.editor.text) {
    const { effort } = this.editor,
      { keys, clicks, milliseconds } = this.spent;
    const spent = {
      keys: keys + effort.keys,
      clicks: clicks + effort.clicks,
      milliseconds: milliseconds + effort.milliseconds,
    };
    this.drafts.set(this.about.id, this.number, { text, suggestion: this.suggestion, effort: spent, time: Date.now() });
  }

  /** On leaving a segment that is not confirmed, its draft goes to the server, too. */
  keepDraft() {
    const { segment, number } = this,
      draft = this.drafts.get(this.about.id, number);
    if (!draft || !segment || segment.state === "confirmed" || segment.state === "locked") return;
    if (this.outbox.get(this.about.id, number)) return; // confirmed, and on its way
    if (draft.text === segment.target) this.drafts.delete(this.about.id, number);
    else this.outbox.add(this.about.id, number, { target: draft.text, state: "translated", version: segment.version });
  }

  heard(answer, asked) {
    if (asked.document !== this.about.id || asked.segment !== this.number) return;
    if (answer.error) return void this.card.say(sentence(answer.error.what));
    this.revision = answer.revision;
    if (asked.do === "open" && asked.prefix === "") this.suggestion ??= answer.suffix;
    if (this.mode === "postedit") return void this.prefill(answer, asked);
    if (asked.prefix !== this.editor.text || this.editor.composing) return;
    const completion = this.completed(answer);
    if (asked.do !== "reject") this.others = [completion];
    else if (completion.text) this.others.push(completion);
    else return void this.card.say("There is no other completion.");
    this.at = this.others.length - 1;
    this.suggest(completion);
  }

  completed({ suffix, words = [] }) {
    const found = words.map(({ text, begin, confidence }) => {
      const from = unit(suffix, begin);
      return { from, to: from + text.length, confidence };
    });
    return { text: suffix, words: found, shade: this.shading };
  }

  suggest(completion) {
    const wanted = this.waits;
    this.waits = false;
    this.editor.suggest(completion);
    this.card.showLacking();
    this.pointing.changed();
    this.card.speak(completion.text);
    if (!wanted) return;
    if (completion.text) this.card.say("There is a new completion: Enter takes it, Esc drops it.");
    else this.confirm();
  }

  /** In post-editing the whole suggestion is the text to begin with. */
  prefill(answer, asked) {
    this.editor.clear();
    if (asked.do !== "open" || asked.prefix !== "") return;
    if (this.untouched && !this.editor.text) {
      const { effort } = this.editor;
      this.card.load(this.segment, answer.suffix);
      this.editor.effort = effort;
      this.editor.view.focus();
      this.card.showLacking();
      this.pointing.changed();
    }
    if (this.shading && this.editor.text === answer.suffix) this.editor.shade(this.completed(answer).words);
  }

  /** Another completion of the same text, or one of those before. */
  other(step) {
    if (this.mode !== "interactive" || !this.others.length) return;
    const at = this.at + step;
    if (at < 0) return;
    this.editor.unwanted = null;
    if (at < this.others.length) {
      this.at = at;
      this.suggest(this.others[at]);
    } else this.live.reject(this.shading);
  }

  setMode(mode) {
    this.mode = mode;
    localStorage.setItem("dragoman:mode", mode);
    this.card.setMode(mode);
    const { text } = this.editor,
      nothing = mode === "interactive" ? text === this.suggestion && !this.segment.target : !text;
    if (nothing) {
      // was typed: begin anew
      const { keys, clicks, milliseconds } = this.editor.effort;
      this.drafts.delete(this.about.id, this.number);
      this.open(this.number);
      Object.assign(this.editor.effort, { keys, clicks, milliseconds });
      return;
    }
    if (mode === "postedit") this.editor.takeAll();
    this.editor.clear();
    this.ask();
    this.show();
    this.editor.view.focus();
  }

  setShading(on) {
    this.shading = on;
    localStorage.setItem("dragoman:shading", on ? "on" : "off");
    this.card.setShading(on);
    this.element.classList.toggle("shaded", on);
    this.ask();
    this.editor.view.focus();
  }

  // ── Confirming ───────────────────────────────────────────────────────────────────────────────────────────────────

  async confirm(force = false) {
    const { segment, editor, number } = this;
    if (segment.state === "locked") return this.step(1);
    if (editor.completion?.fresh === false) {
      if (this.live.state === "online") return void (this.waits = true); // nobody confirms what they have not seen
      editor.hide();
    }
    const target = editor.whole;
    if (!target.trim() && segment.source.trim()) return void this.card.say("There is nothing to confirm yet.");
    const completion = editor.completion?.text;
    if (completion) editor.takeAll();
    editor.active();
    this.saveDraft(target);
    const { effort } = this.drafts.get(this.about.id, number);
    const change = {
      target,
      state: "confirmed",
      version: segment.version,
      force,
      suggestion: this.suggestion ?? undefined,
      key_strokes: effort.keys,
      mouse_actions: effort.clicks,
      milliseconds: Math.round(effort.milliseconds),
    };
    await Promise.race([this.outbox.add(this.about.id, number, change), pause(PATIENCE)]);
    const refused = this.drafts.get(this.about.id, number)?.refused;
    if (this.number !== number || refused) return;
    const next = this.list.next(number);
    if (next) this.open(next);
    else {
      this.open(number);
      say("Every segment is confirmed. The file can be downloaded above.");
    }
  }

  /** The server has acknowledged a change. */
  saved(segment, milliseconds) {
    this.channel.postMessage({ document: segment.document, number: segment.number });
    const draft = this.drafts.get(segment.document, segment.number);
    if (draft?.text === segment.target) this.drafts.delete(segment.document, segment.number);
    if (this.stopped || segment.document !== this.about.id) return;
    this.list.update(segment);
    if (segment.number === this.number) this.show();
    if (segment.state !== "confirmed") return;
    this.unlearned = segment.unlearned ? segment : null;
    if (segment.unlearned) this.tellUnlearned(segment);
    else this.effort.learned(milliseconds);
    Promise.all([this.effort.load(), this.history.load()]).catch(complain);
  }

  tellUnlearned(segment) {
    const { document, number, unlearned } = segment,
      choices = [["Undo", () => this.takeBack(segment)]];
    say(`Segment ${number} is confirmed, but not learned: ${unlearned}.`, { choices, name: `${document}:${number}` });
  }

  /** Make a segment that nothing was learned from a draft again. */
  takeBack({ document, number, target, version }) {
    this.unlearned = null;
    this.outbox.add(document, number, { target, state: "translated", version });
  }

  /** The server does not want a change: it looks like a mistake, or somebody else was quicker. */
  async refused({ document, number, change }, error) {
    if (document === this.about.id && change.state === "confirmed")
      this.drafts.set(document, number, { ...this.drafts.get(document, number), text: change.target, refused: true });
    if (this.stopped) return complain(error);
    if (error.more?.flagged) {
      if (number !== this.number) this.open(number);
      const choices = [["Confirm anyway", () => this.confirm(true)]];
      const name = `${document}:${number}`;
      return void say(`Segment ${number} was ${error.what}.`, { kind: "problem", choices, stay: true, name });
    }
    if (error.status === 409) {
      const theirs = await get(inside(this.project.name, `documents/${document}/segments/${number}`)).catch(() => null);
      if (theirs && document === this.about.id) this.list.update(theirs);
      if (theirs) return void this.tellChanged(theirs);
    }
    complain(error);
  }

  /** A correction was taken back: the segment that it came from is a draft again. */
  async undone() {
    await this.refresh();
    this.channel.postMessage({ document: this.about.id });
    this.reopen();
    this.effort.load().catch(complain);
    say("Taken back: what it had taught is forgotten.");
  }

  undoLast() {
    if (this.unlearned) this.takeBack(this.unlearned);
    else if (this.history.last) this.history.undo(this.history.last);
  }

  // ── Others ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Another window has changed segments: one, or nobody knows which. */
  async changedElsewhere({ document, number }) {
    if (document !== this.about.id || this.number === null) return;
    const { version } = this.segment;
    await this.refresh(number);
    if (this.dirty && this.segment.version !== version) this.tellChanged(this.segment);
    Promise.all([this.effort.load(), this.history.load(), this.glossary.load()]).catch(complain);
  }

  async refresh(number) {
    const place = inside(this.project.name, `documents/${this.about.id}/segments/${number}`);
    const changed = number ? [await get(place)] : await this.fetchAll();
    for (const segment of changed) {
      const old = this.list.segments.get(segment.number);
      if (old.version >= segment.version) continue; // the same, or from before a change that came back sooner
      this.list.update(segment);
      if (segment.number !== this.number) continue;
      if (this.dirty) this.saveDraft(); // the other window may have thrown it away with its own
      if (this.dirty) this.show();
      else this.open(segment.number);
    }
  }

  tellChanged({ document, number, target }) {
    const take = () => (this.drafts.delete(document, number), this.open(number));
    const text = `Segment ${number} was changed in another window: “${target}”. Yours is kept here until you confirm it.`;
    say(text, { kind: "problem", choices: [["Take theirs", take]], stay: true, name: `${document}:${number}` });
  }

  connected(state, busy) {
    const was = this.away;
    this.element.dataset.busy = busy ? "yes" : "no";
    this.away = state === "away";
    showStatus(state, this.unsent);
    if (!was || state !== "online") return;
    say("The server is back.");
    this.outbox.flush();
    this.refresh().catch(complain);
  }

  // ── Looking up ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Where the translation of some source tokens comes from. */
  tellOrigin(tokens) {
    if (tokens.length) this.origin.show(this.segment.source, this.revision, tokens).catch(complain);
  }

  lookUp() {
    const { state } = this.editor.view,
      { main } = state.selection;
    const selected = this.editor.view.hasFocus ? state.sliceDoc(main.from, main.to) : getSelection().toString();
    this.concordance.look(selected.trim());
  }
}
