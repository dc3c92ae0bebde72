// The open document and everybody else: what is sent to the server, what it accepts and refuses, and what other windows
// change meanwhile.

import { get, inside } from "./api.js";
import { asDraft } from "./changes.js";
import { notify, notifyError, showStatus } from "./notices.js";
import { Outbox } from "./outbox.js";

const PAGE = 1000; // segments in one answer

export class Sync {
  /** `desk` has the document (`about`), its `list` and `drafts`, the panels, and opens and shows segments. */
  constructor(desk) {
    Object.assign(this, { desk, unsent: 0, connection: null });
    this.unlearned = null; // the segment that was confirmed last, if nothing could be learned from it
    this.outbox = new Outbox(desk.project.name, {
      saved: (segment, milliseconds) => this.saved(segment, milliseconds),
      refused: (item, error) => this.refused(item, error),
      waiting: (unsent) => showStatus(this.connection, (this.unsent = unsent)),
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

  async fetchAll() {
    const segments = [];
    for (let page; !page || page.length === PAGE;) {
      page = (await get(this.path(`segments?limit=${PAGE}&after=${segments.at(-1)?.number ?? 0}`))).segments;
      segments.push(...page);
    }
    return segments;
  }

  // ── The server ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** The connection is "online", "slow" or "away" from now on. */
  connected(state) {
    const before = this.connection;
    this.connection = state;
    showStatus(state, this.unsent);
    if (before !== "away" || state !== "online") return;
    notify("Connected again.");
    this.outbox.flush();
    this.refresh().catch(notifyError);
  }

  /** The server has acknowledged a change. */
  saved(segment, milliseconds) {
    const { desk } = this,
      { document, number } = segment;
    this.channel.postMessage({ document, number });
    if (desk.drafts.get(document, number)?.text === segment.target) desk.drafts.delete(document, number);
    if (desk.stopped || document !== desk.about.id) return;
    desk.list.update(segment);
    if (number === desk.number) desk.show();
    if (segment.state !== "confirmed") return;
    this.unlearned = segment.unlearned ? segment : null;
    if (segment.unlearned) this.notifyUnlearned(segment);
    else desk.effort.learned(milliseconds);
    Promise.all([desk.effort.load(), desk.history.load()]).catch(notifyError);
  }

  /** The server refuses a change: it looks like a mistake, or somebody else was faster. */
  async refused({ document, number, change }, error) {
    const { desk } = this;
    if (document === desk.about.id && change.state === "confirmed")
      desk.drafts.set(document, number, { ...desk.drafts.get(document, number), text: change.target, refused: true });
    if (desk.stopped) return notifyError(error);
    if (error.more?.flagged) return this.notifyFlagged(document, number, error.more.reason ?? error.what);
    if (error.status === 409) {
      const theirs = await get(this.path(`segments/${number}`, document)).catch(() => null);
      if (theirs && document === desk.about.id) desk.list.update(theirs);
      if (theirs) return this.notifyConflict(theirs);
    }
    notifyError(error);
  }

  notifyFlagged(document, number, reason) {
    const { desk } = this,
      here = document === desk.about.id;
    if (here && number !== desk.number) desk.open(number);
    const choices = here ? [["Confirm anyway", () => desk.confirm(true)]] : [];
    const options = { kind: "problem", choices, stay: true, name: `${document}:${number}` };
    notify(`Segment ${number} was not confirmed: ${reason}.`, options);
  }

  notifyUnlearned(segment) {
    const { document, number, unlearned } = segment;
    const options = { choices: [["Undo", () => this.makeDraft(segment)]], name: `${document}:${number}` };
    notify(`Segment ${number} was confirmed but not learned: ${unlearned}.`, options);
  }

  /** Make a segment that nothing was learned from a draft again. */
  makeDraft(segment) {
    this.unlearned = null;
    this.outbox.add(segment.document, segment.number, asDraft(segment, segment.target));
  }

  // ── Undoing ──────────────────────────────────────────────────────────────────────────────────────────────────────

  undoLast() {
    const { history } = this.desk;
    if (this.unlearned) this.makeDraft(this.unlearned);
    else if (history.last) history.undo(history.last);
  }

  /** A correction was undone: the segment that it came from is a draft again. */
  async undone() {
    await this.refresh();
    this.channel.postMessage({ document: this.desk.about.id });
    this.desk.ask();
    this.desk.effort.load().catch(notifyError);
    notify("Undone: the correction is forgotten.");
  }

  // ── Other windows ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Another window has changed a segment, or without a number any of them. */
  async changedElsewhere({ document, number }) {
    const { desk } = this;
    if (document !== desk.about.id || desk.number === null) return;
    const { version } = desk.segment;
    await this.refresh(number);
    if (desk.dirty && desk.segment.version !== version) this.notifyConflict(desk.segment);
    await Promise.all([desk.effort.load(), desk.history.load(), desk.glossary.load()]);
  }

  /** Get a segment anew, or all of them. */
  async refresh(number) {
    const { desk } = this;
    for (const segment of number ? [await get(this.path(`segments/${number}`))] : await this.fetchAll()) {
      if (!desk.list.update(segment) || segment.number !== desk.number) continue;
      if (!desk.dirty) desk.open(segment.number);
      else {
        desk.saveDraft(); // the other window may have deleted it with its own
        desk.show();
      }
    }
  }

  notifyConflict({ document, number, target }) {
    const { desk } = this;
    const use = () => {
      desk.drafts.delete(document, number);
      desk.goTo(document, number);
    };
    const options = { kind: "problem", choices: [["Use theirs", use]], stay: true, name: `${document}:${number}` };
    const changed = `Conflict: segment ${number} was changed in another window to “${target}”.`;
    notify(`${changed} Your text is kept here until you confirm it.`, options);
  }
}
