// Other segments: the open one merged with the next, or split where somebody has clicked in its source.

import { post } from "./api.js";
import { notify, notifyError } from "./notices.js";
import { isConflict } from "./questions.js";

const WHERE = "Click in the source where the second part begins, then split.";
const LARGE = 10_000; // segments: reading a file with more takes seconds

/** How many characters there are before a place in a text: the server counts those of Unicode. */
export const characters = (text, at) => [...text.slice(0, at)].length;

/** What a text becomes when its segment is split with the caret at a place: one at an end leaves it whole. */
export function halves(text, caret) {
  const [before, after] = [text.slice(0, caret).trimEnd(), text.slice(caret).trimStart()];
  return before && after ? [before, after] : [text, ""];
}

/** What is said meanwhile: the file has to be read for the first change, and a large one takes a while. */
export const saying = (what, count) =>
  (what === "merge" ? "Merging …" : "Splitting …") +
  (count < LARGE ? "" : " The first time, the whole file is read for this; in a large one that takes up to half a minute.");

export class Regroup {
  constructor(workspace) {
    Object.assign(this, { workspace, busy: false });
  }

  /** Merge the open segment with the next one. */
  async merge() {
    const { workspace } = this,
      { segments } = workspace.list,
      next = segments.at(segments.rowOf(workspace.number) + 1);
    if (!this.possible) return;
    if (!next) return void workspace.card.say("There is no segment after this one.");
    const texts = { target: this.unsaved(workspace.number), next_target: this.unsaved(next) };
    await this.send("merge", [workspace.number, next], texts);
  }

  /** Split the open segment before the place in the source where somebody has clicked. */
  async split() {
    const { workspace } = this,
      at = workspace.card.chosen;
    if (!this.possible) return;
    if (!at) return void workspace.card.say(WHERE);
    const [target, next_target] = halves(workspace.editor.text, workspace.editor.view.state.selection.main.head);
    await this.send("split", [workspace.number], { at: characters(workspace.segment.source, at), target, next_target });
  }

  /** Whether this file leaves it to us where segments end; if not, that is said. */
  get possible() {
    const { card, about } = this.workspace;
    if (!about.divisible) card.say("The segments of this file are units of the file: they cannot be merged or split.");
    return about.divisible;
  }

  /** A text that is newer than the one that the server has, if there is one. */
  unsaved(number) {
    const { workspace } = this,
      draft = workspace.drafts.get(workspace.about.id, number)?.text;
    return number === workspace.number ? workspace.editor.text : draft;
  }

  async send(what, numbers, wanted) {
    const { workspace } = this,
      { drafts, about, sync } = workspace;
    if (!workspace.may.edit || this.busy) return;
    if (numbers.some((number) => isConflict(drafts.get(about.id, number)?.question)))
      return void workspace.card.say("Choose first: use their text, or keep yours.");
    this.busy = true;
    try {
      workspace.typedTexts.flush();
      workspace.card.say(saying(what, workspace.list.segments.count));
      await sync.outbox.sending;
      const { version } = workspace.segment;
      const { segment } = await post(sync.path(`segments/${numbers[0]}/${what}`), { version, ...wanted });
      for (const number of numbers) drafts.delete(about.id, number);
      sync.channel.postMessage({ document: about.id, regrouped: true });
      notify(what === "merge" ? "Merged. Alt + Z takes it back." : "Split. Alt + Z takes it back.");
      workspace.reopen(segment.number);
    } catch (error) {
      workspace.card.say("");
      notifyError(error);
    } finally {
      this.busy = false;
    }
  }

  /** Somebody else has merged or split segments, or this page has. */
  elsewhere() {
    if (!this.busy && !this.workspace.stopped) this.workspace.reopen(this.workspace.number);
  }
}
