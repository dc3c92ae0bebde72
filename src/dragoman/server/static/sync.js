// The open document and everybody else: what is loaded, what is sent to the server, what it accepts and refuses, and
// what other people and windows change meanwhile.

import { Unavailable, get, inside, post } from "./api.js";
import { asDraft } from "./changes.js";
import { counted } from "./dom.js";
import { dismiss, notify, notifyError, showPeople, showStatus } from "./notices.js";
import { Outbox } from "./outbox.js";
import { inWords, questionOf } from "./questions.js";

const PAGE = 1000; // segments in one answer, at most
const AROUND = 200; // segments that are loaded at once around one that is in sight

export class Sync {
  /** `desk` has the document (`about`), its `list` and `drafts`, the panels, and opens and shows segments. */
  constructor(desk) {
    Object.assign(this, { desk, unsent: 0, connection: null, status: null, loading: new Map() });
    this.outbox = new Outbox(desk.project.name, {
      saved: (segment, milliseconds) => this.saved(segment, milliseconds),
      refused: (item, error) => this.refused(item, error),
      waiting: (unsent) => showStatus(this.status, (this.unsent = unsent)),
    });
    this.channel = new BroadcastChannel(`dragoman:${desk.project.name}`);
    this.channel.onmessage = ({ data }) => this.changedElsewhere(data).catch(notifyError);
  }

  close() {
    Promise.resolve(this.outbox.sending).finally(() => this.channel.close());
  }

  /** The path of the document, or of something in it. */
  path(rest, document = this.desk.about.id) {
    return inside(this.desk.project.name, `documents/${document}/${rest}`);
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
    const { list } = this.desk,
      wanted = list.segments.missing(number, AROUND);
    if (!wanted) return Promise.resolve();
    const page = `limit=${wanted.to - wanted.from + 1}&after=${wanted.from - 1}`;
    if (!this.loading.has(page)) {
      const loaded = get(this.path(`segments?${page}`)).then(({ segments }) => list.updateAll(segments));
      this.loading.set(page, loaded.catch(notifyError).finally(() => this.loading.delete(page)));
    }
    return this.loading.get(page);
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
    const found = await get(inside(this.desk.project.name)).catch((error) => error);
    if (this.connection !== "away" || this.desk.stopped) return;
    const away = found instanceof Unavailable;
    this.missed ||= away;
    showStatus((this.status = away ? "away" : "refused"), this.unsent);
  }

  /** The server has acknowledged a change. */
  saved(segment, milliseconds) {
    const { desk } = this,
      { document, number } = segment;
    this.channel.postMessage({ document, number });
    dismiss(`${document}:${number}`);
    const draft = desk.drafts.get(document, number);
    if (draft?.text === segment.target && (segment.state === "confirmed" || !draft.question))
      desk.drafts.delete(document, number); // else the question about it would be forgotten
    if (desk.stopped || document !== desk.about.id) return;
    desk.list.update(segment);
    if (number === desk.number) desk.show();
    if (segment.state !== "confirmed") return;
    if (segment.unlearned) this.notifyUnlearned(segment);
    else desk.effort.learned(milliseconds);
    if (segment.filled_count) this.filled(segment);
    Promise.all([desk.effort.load(), desk.history.load()]).catch(notifyError);
  }

  /** Other segments with the same source are drafts now. */
  filled({ document, number, filled, filled_count: all, change }) {
    const some = counted(all, "other segment with the same source", "other segments with the same source");
    const choices = [["Undo", () => this.undoLast(change)]];
    notify(`Filled ${some}, as drafts to review.`, { choices, name: `${document}:${number}` });
    this.reload(filled).catch(notifyError);
  }

  /** Texts were replaced in many segments. */
  replaced({ count: all, segments, change }) {
    const choices = change ? [["Undo", () => this.undoLast(change)]] : [];
    notify(`Replaced in ${counted(all, "segment")}.`, { choices });
    this.reload(segments.map(({ number }) => number)).catch(notifyError);
  }

  /** The server refuses a change: it cannot be delivered, is doubtful, looks like a mistake, or somebody was faster. */
  async refused({ document, number, change }, error) {
    const { desk } = this,
      here = document === desk.about.id && !desk.stopped,
      question = questionOf(error);
    if (question?.kind === "conflict") {
      const theirs = error.more?.segment ?? (await get(this.path(`segments/${number}`, document)).catch(() => null));
      question.theirs = theirs?.target ?? null;
      if (theirs && here) desk.list.update(theirs);
    } else if (error.more?.segment && here) desk.list.update(error.more.segment);
    if (question || change.state === "confirmed") {
      const draft = { ...desk.drafts.get(document, number), text: change.target, question: question ?? undefined };
      desk.drafts.set(document, number, { ...draft, refused: true });
    }
    if (!question) return notifyError(error);
    if (here && number === desk.number) desk.show();
    else this.notifyQuestion(document, number, question);
  }

  /** A question about a segment that is not open: nobody is taken away from what they are doing. */
  notifyQuestion(document, number, question) {
    const { text, points } = inWords(question);
    const said = `Segment ${number}: ${text}${points.length ? ` ${points.join(" ")}` : ""}`;
    const choices = [[`Open segment ${number}`, () => this.desk.goTo(document, number)]];
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
      const { what, segments } = await post(this.path("undo"), change ? { change } : {});
      this.keepTexts(segments);
      await this.reload(segments);
      await this.undone(what);
    } catch (error) {
      if (error.code === "nothing-to-undo" && !change) notify("Nothing of yours to undo in this document.");
      else notifyError(error);
    }
  }

  /** What was confirmed and is taken back stays as a draft, so that it can be corrected. */
  keepTexts(numbers) {
    const { drafts, about, list } = this.desk;
    for (const number of numbers) {
      const known = list.segments.get(number);
      if (known?.state === "confirmed" && !drafts.get(about.id, number))
        drafts.set(about.id, number, { text: known.target, suggestion: known.suggestion, time: Date.now() });
    }
  }

  /** Something was taken back: the segment that it came from is a draft again. */
  async undone(what) {
    const { desk } = this;
    await this.refresh();
    this.channel.postMessage({ document: desk.about.id });
    desk.ask();
    Promise.all([desk.effort.load(), desk.history.load()]).catch(notifyError);
    notify(what);
  }

  // ── Other people ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** What happens when other people do something in the document. */
  events() {
    const { desk } = this;
    return {
      segment: ({ segment }) => this.receive(segment),
      segments: ({ numbers }) => this.reload(numbers).catch(notifyError),
      people: (people) => this.showPeople(people),
      comment: ({ segment }) => this.commented(segment).catch(notifyError),
      glossary: () => this.termsChanged().catch(notifyError),
      document: () => this.refresh().catch(notifyError), // assigned to somebody, or other checks
      deleted: () => notify("This document was deleted.", { kind: "problem", stay: true }),
      reload: () => this.refresh().catch(notifyError),
      connected: () => this.refresh().catch(notifyError),
    };
  }

  /** Somebody has said something about a segment. */
  async commented(number) {
    if (number === this.desk.number) this.desk.loadNotes();
    await this.reload([number]);
  }

  /** A term is translated in another way: suggestions that nobody has touched follow. */
  async termsChanged() {
    await this.desk.glossary.load();
    if (!this.desk.dirty) this.desk.ask();
  }

  showPeople(people) {
    const { desk } = this,
      before = this.places ?? [];
    this.places = people.map(({ segment }) => segment);
    for (const number of new Set([...before, ...this.places])) if (number) desk.list.redraw(number);
    desk.card.showOthers(people.filter((each) => each.segment === desk.number).map(({ user }) => user ?? "Somebody"));
    showPeople(people);
  }

  // ── Other windows ─────────────────────────────────────────────────────────────────────────────────────

  /** Another window has changed a segment, or without a number any of them. */
  async changedElsewhere({ document, number }) {
    const { desk } = this;
    if (document !== desk.about.id || desk.number === null) return;
    await this.refresh(number);
    await Promise.all([desk.effort.load(), desk.history.load(), desk.glossary.load()]);
  }

  /** Somebody has changed the segment that is being edited here. */
  conflict({ document, number, target }) {
    const { desk } = this,
      draft = desk.drafts.get(document, number);
    desk.drafts.set(document, number, { ...draft, question: { kind: "conflict", theirs: target } });
    desk.show();
  }

  /** Get a segment anew, or all that are here. */
  async refresh(number) {
    const { desk } = this;
    if (number) return this.received([await get(this.path(`segments/${number}`))]);
    if (desk.list.segments.complete) return this.received(await this.fetchAll());
    const first = Math.max(0, desk.number - AROUND / 2);
    const { segments } = await get(this.path(`segments?limit=${AROUND}&after=${first}`));
    desk.list.forget();
    return this.received(segments);
  }

  /** Get some segments anew, if they are here. */
  async reload(numbers) {
    const known = numbers.filter((number) => this.desk.list.segments.get(number));
    if (known.length > 20) return this.refresh();
    this.received(await Promise.all(known.map((number) => get(this.path(`segments/${number}`)))));
  }

  received(segments) {
    for (const segment of segments) this.receive(segment);
  }

  /** Take over a segment as the server has it; whether it is news. */
  receive(segment) {
    const { desk } = this;
    const known = desk.list.segments.get(segment.number);
    if (!desk.list.update(segment)) {
      // Approving a segment leaves its version as it is.
      if (segment.number === desk.number && known?.stage !== segment.stage) desk.show();
      return false;
    }
    if (segment.number !== desk.number) return true;
    if (this.outbox.isSending(segment.document, segment.number, segment.target)) return true; // our own change
    if (!desk.dirty) desk.open(segment.number);
    else {
      desk.saveDraft(); // the other window may have deleted it with its own
      this.conflict(segment);
    }
    return true;
  }
}
