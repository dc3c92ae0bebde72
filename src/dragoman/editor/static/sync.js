// The open document and everybody else: what is loaded, what is sent to the server, what it accepts and refuses, and
// what other people and windows change meanwhile.

import { Unavailable, get, inside, post } from "./api.js";
import { asDraft, isFilled } from "./changes.js";
import { counted } from "./dom.js";
import { dismiss, notify, notifyError, showPeople, showStatus } from "./notices.js";
import { Outbox } from "./outbox.js";
import { inWords, isConflict, questionOf } from "./questions.js";

const PAGE = 1000; // segments in one answer, at most
const FEW = 20; // segments; what was replaced in more took its time, and is said until somebody has read it
const AROUND = 200; // segments that are loaded at once around one that is in sight

export class Sync {
  /** `workspace` has the document (`about`), its `list` and `drafts`, the panels, and opens and shows segments. */
  constructor(workspace) {
    Object.assign(this, { workspace, unsent: 0, connection: null, status: null, loading: new Map(), coming: new Set() });
    this.outbox = new Outbox(workspace.project.name, {
      saved: (segment, milliseconds) => this.saved(segment, milliseconds),
      refused: (item, error) => this.refused(item, error),
      waiting: (unsent) => showStatus(this.status, (this.unsent = unsent)),
    });
    this.channel = new BroadcastChannel(`dragoman:${workspace.project.name}`);
    this.channel.onmessage = ({ data }) => this.changedElsewhere(data).catch(notifyError);
  }

  close() {
    Promise.resolve(this.outbox.sending).finally(() => this.channel.close());
  }

  /** The path of the document, or of something in it. */
  path(rest, document = this.workspace.about.id) {
    return inside(this.workspace.project.name, `documents/${document}/${rest}`);
  }

  // ── Loading ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** All segments; `progress(count)` is told how many have come. */
  async fetchAll(progress = () => {}) {
    const segments = [];
    for (let page; !page || page.length === PAGE;) {
      page = (await get(this.path(`segments?limit=${PAGE}&after=${segments.at(-1)?.number ?? 0}`))).segments;
      segments.push(...page);
      progress(segments.length);
    }
    return segments;
  }

  /** Load the segments around a number that are not here yet; a page is asked for once. */
  load(number) {
    const { list } = this.workspace,
      wanted = list.segments.missing(number, AROUND);
    if (!wanted) return Promise.resolve();
    const page = `limit=${wanted.to - wanted.from + 1}&after=${wanted.from - 1}`;
    if (!this.loading.has(page)) {
      const loaded = get(this.path(`segments?${page}`)).then(({ segments }) => list.updateAll(segments));
      this.loading.set(page, loaded.catch(notifyError).finally(() => this.loading.delete(page)));
    }
    return this.loading.get(page);
  }

  /** Some segments by their numbers; those that were merged meanwhile are not among them. */
  async fetchThese(numbers) {
    return (await get(this.path(`segments?limit=${numbers.length}&only=${numbers.join(",")}`))).segments;
  }

  /** Load some segments by their numbers; none of them is asked for twice at a time. */
  async loadThese(numbers) {
    const wanted = numbers.filter((number) => !this.coming.has(number)).slice(0, AROUND);
    if (!wanted.length) return;
    for (const number of wanted) this.coming.add(number);
    try {
      this.workspace.list.updateAll(await this.fetchThese(wanted));
    } catch (error) {
      notifyError(error);
    } finally {
      for (const number of wanted) this.coming.delete(number);
    }
  }

  /** The numbers of all segments that fit a query. */
  async numbers(query) {
    return (await get(this.path(`numbers?${query}`)).catch(notifyError))?.numbers;
  }

  // ── The server ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The connection is "online", "slow" or "away" from now on. */
  connected(state) {
    const before = this.connection;
    this.connection = state;
    if (state === "away") return void this.findOut();
    showStatus((this.status = state), this.unsent);
    if (before !== "away" || state !== "online" || !this.missed) return;
    this.missed = false;
    notify("Connected again.");
    this.outbox.flush();
    this.refresh().catch(notifyError);
  }

  /** The live session has ended: is the server away, or does it only refuse us? A key that is no longer valid is asked
   *  for meanwhile. */
  async findOut() {
    const found = await get(inside(this.workspace.project.name)).catch((error) => error);
    if (this.connection !== "away" || this.workspace.stopped) return;
    const away = found instanceof Unavailable;
    this.missed ||= away;
    showStatus((this.status = away ? "away" : "refused"), this.unsent);
  }

  /** The server has acknowledged a change. */
  saved(segment, milliseconds) {
    const { workspace } = this,
      { document, number } = segment;
    this.channel.postMessage({ document, number });
    dismiss(`${document}:${number}`);
    const draft = workspace.drafts.get(document, number);
    if (draft?.text === segment.target && (segment.state === "confirmed" || !draft.question))
      workspace.drafts.delete(document, number); // else the question about it would be forgotten
    else if (draft && !isConflict(draft.question))
      workspace.drafts.set(document, number, { ...draft, base: segment.version }); // typed since, on our own text
    if (workspace.stopped || document !== workspace.about.id) return;
    workspace.list.update(segment);
    if (number === workspace.number) workspace.show();
    if (segment.state !== "confirmed") return;
    if (segment.unlearned) this.notifyUnlearned(segment);
    else workspace.effort.learned(milliseconds);
    if (segment.filled_count) this.filled(segment);
    this.loadFigures();
  }

  /** Show what was done and learned, and what it took. */
  loadFigures() {
    const { effort, history, steps } = this.workspace;
    Promise.all([effort.load(), history.load(), steps?.load()]).catch(notifyError);
  }

  /** Other segments with the same source are drafts now. */
  filled({ document, number, filled, filled_count: all, change }) {
    const some = counted(all, "other segment with the same source", "other segments with the same source");
    const choices = [["Undo", () => this.undoLast(change)]];
    notify(`Filled ${some}, as drafts to review.`, { choices, name: `${document}:${number}` });
    this.filling = this.reload(filled).catch(notifyError);
  }

  /** Texts were replaced in many segments. */
  replaced({ count: all, change, skipped }) {
    const choices = change ? [["Undo", () => this.undoLast(change)]] : [];
    const left = skipped ? ` ${counted(skipped, "segment was", "segments were")} left as ${skipped === 1 ? "it was" : "they were"}.` : "";
    notify(`Replaced in ${counted(all, "segment")}.${left}`, { choices, stay: all > FEW });
    this.loadFigures();
    this.refresh().catch(notifyError);
  }

  /** The server refuses a change: it cannot be delivered, is doubtful, looks like a mistake, or somebody was faster. */
  async refused({ document, number, change }, error) {
    const { workspace } = this,
      here = document === workspace.about.id && !workspace.stopped,
      question = questionOf(error);
    if (question?.kind === "conflict") {
      const theirs = error.more?.segment ?? (await get(this.path(`segments/${number}`, document)).catch(() => null));
      question.theirs = theirs?.target ?? null;
      if (theirs && here) workspace.list.update(theirs);
    } else if (error.more?.segment && here) workspace.list.update(error.more.segment);
    if (question || change.state === "confirmed") {
      const known = workspace.drafts.get(document, number),
        kept = question?.kind !== "conflict" && error.more?.segment; // as a draft, which is our own
      const base = kept ? kept.version : (known?.base ?? change.version);
      const draft = { ...known, text: change.target, base, question: question ?? undefined };
      workspace.drafts.set(document, number, { ...draft, refused: true });
    }
    if (!question) return notifyError(error);
    if (here && number === workspace.number) workspace.show();
    else this.notifyQuestion(document, number, question);
  }

  /** A question about a segment that is not open: nobody is taken away from what they are doing. */
  notifyQuestion(document, number, question) {
    const { text, points } = inWords(question);
    const said = `Segment ${number}: ${text}${points.length ? ` ${points.join(" ")}` : ""}`;
    const choices = [[`Open segment ${number}`, () => this.workspace.goTo(document, number)]];
    notify(said, { kind: "problem", choices, stay: true, name: `${document}:${number}` });
  }

  notifyUnlearned(segment) {
    const { document, number, unlearned } = segment;
    const options = { choices: [["Undo", () => this.makeDraft(segment)]], name: `${document}:${number}` };
    notify(`Segment ${number} was confirmed but not learned: ${unlearned}.`, options);
  }

  /** Make a segment that nothing was learned from a draft again. */
  makeDraft(segment) {
    this.outbox.add(segment.document, segment.number, asDraft(segment, segment.target));
  }

  // ── Undoing ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Take back one's own last confirmation or replacement in this document, or a certain one; the notice says what that
   *  was. */
  async undoLast(change) {
    await this.outbox.sending;
    try {
      const { what, segments, regrouped } = await post(this.path("undo"), change ? { change } : {});
      if (regrouped) return this.regrouped(what, segments);
      this.keepTexts(segments);
      await this.reload(segments);
      await this.undone(what);
    } catch (error) {
      if (error.code === "nothing-to-undo" && !change) notify("Nothing of yours to undo in this document.");
      else notifyError(error);
    }
  }

  /** Do again what was taken back last, or one thing of it. */
  async redoLast(change) {
    await this.outbox.sending;
    try {
      const { what, segments, regrouped } = await post(this.path("redo"), change ? { change } : {});
      if (regrouped) return this.regrouped(what, segments);
      for (const number of segments) this.workspace.drafts.delete(this.workspace.about.id, number);
      await this.reload(segments);
      await this.undone(what);
    } catch (error) {
      if (error.code === "nothing-to-redo") notify("Nothing of yours to do again in this document.");
      else notifyError(error);
    }
  }

  /** There are other segments now: those that were merged or split. */
  regrouped(what, [number]) {
    this.workspace.drafts.delete(this.workspace.about.id, number);
    notify(what);
    this.workspace.reopen(number);
  }

  /** What somebody has confirmed and takes back stays as a draft, so that it can be corrected; what was replaced does not. */
  keepTexts(numbers) {
    const { drafts, about, list } = this.workspace;
    for (const number of numbers) {
      const known = list.segments.get(number);
      if (known?.state === "confirmed" && known.origin !== "replacement" && !drafts.get(about.id, number))
        drafts.set(about.id, number, { text: known.target, suggestion: known.suggestion, time: Date.now() });
    }
  }

  /** Something was taken back: the segment that it came from is a draft again. */
  async undone(what) {
    const { workspace } = this;
    await this.refresh();
    this.channel.postMessage({ document: workspace.about.id });
    workspace.ask();
    this.loadFigures();
    notify(what, { choices: what.startsWith("Took back") ? [["Redo", () => this.redoLast()]] : [] });
  }

  // ── Other people ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** What happens when other people do something in the document. */
  events() {
    const { workspace } = this;
    return {
      segment: ({ segment }) => this.receive(segment),
      segments: ({ numbers }) => this.reload(numbers).catch(notifyError),
      people: (people) => this.showPeople(people),
      comment: ({ segment }) => this.commented(segment).catch(notifyError),
      glossary: () => this.termsChanged().catch(notifyError),
      document: () => this.refresh().catch(notifyError), // assigned to somebody, or other checks
      deleted: () => notify("This document was deleted.", { kind: "problem", stay: true }),
      reload: () => this.refresh().catch(notifyError),
      regrouped: () => workspace.regroup.elsewhere(),
      connected: () => this.refresh().catch(notifyError),
    };
  }

  /** Somebody has said something about a segment. */
  async commented(number) {
    if (number === this.workspace.number) this.workspace.loadNotes();
    await this.reload([number]);
  }

  /** A term is translated in another way: suggestions that nobody has touched follow. */
  async termsChanged() {
    await this.workspace.glossary.load();
    if (!this.workspace.dirty) this.workspace.ask();
  }

  showPeople(people) {
    const { workspace } = this,
      before = this.places ?? [];
    this.places = people.map(({ segment }) => segment);
    for (const number of new Set([...before, ...this.places])) if (number) workspace.list.redraw(number);
    workspace.card.showOthers(people.filter((each) => each.segment === workspace.number).map(({ user }) => user ?? "Somebody"));
    showPeople(people);
  }

  // ── Other windows ─────────────────────────────────────────────────────────────────────────────────────

  /** Another window has changed a segment, or without a number any of them. */
  async changedElsewhere({ document, number, regrouped }) {
    const { workspace } = this;
    if (document !== workspace.about.id || workspace.number === null) return;
    if (regrouped) return workspace.regroup.elsewhere();
    await this.refresh(number);
    await Promise.all([workspace.effort.load(), workspace.history.load(), workspace.glossary.load()]);
  }

  /** Somebody has changed a segment that was edited here: that is to be decided before anything is sent. */
  askAboutConflict({ document, number, target }) {
    const { workspace } = this,
      draft = workspace.drafts.get(document, number);
    workspace.drafts.set(document, number, { ...draft, question: { kind: "conflict", theirs: target } });
  }

  /** Get a segment anew, or all that are here. */
  async refresh(number) {
    const { workspace } = this;
    if (number) return this.received(await this.fetchThese([number]));
    if (workspace.list.segments.complete) return this.received(await this.fetchAll());
    const first = Math.max(0, workspace.number - AROUND / 2);
    const { segments } = await get(this.path(`segments?limit=${AROUND}&after=${first}`));
    workspace.list.forget();
    return this.received(segments);
  }

  /** Get some segments anew, if they are here. */
  async reload(numbers) {
    const known = numbers.filter((number) => this.workspace.list.segments.get(number));
    if (known.length > 20) return this.refresh();
    if (known.length) this.received(await this.fetchThese(known));
  }

  received(segments) {
    for (const segment of segments) this.receive(segment);
  }

  /** Take over a segment as the server has it; whether it is news. */
  receive(segment) {
    const { workspace } = this;
    const known = workspace.list.segments.get(segment.number);
    if (!workspace.list.update(segment)) {
      // Approving a segment leaves its version as it is.
      if (segment.number === workspace.number && known?.stage !== segment.stage) workspace.show();
      return false;
    }
    if (segment.number !== workspace.number) return true;
    if (this.outbox.isSending(segment.document, segment.number, segment.target)) return true; // our own change
    if (!workspace.dirty) workspace.open(segment.number);
    else if (workspace.editor?.text !== segment.target && !(isFilled(segment) && !workspace.inConflict)) {
      workspace.saveDraft();
      this.askAboutConflict(segment);
      workspace.typedTexts?.flush();
      workspace.show();
    } else workspace.keepMine();
    return true;
  }
}
