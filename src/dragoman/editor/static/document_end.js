// The end of the work on a document: what is said when nothing is left to do, and taking the file away.

import { get } from "./api.js";
import { download } from "./download.js";
import { notify } from "./notices.js";

const DELIVERY = 10_000; // milliseconds to wait for changes to be saved before a file is written

/** Nothing is left to do, here at least: say so, and only what is true of the file. */
export async function finished({ sync, list, edited }) {
  await sync.outbox.sending;
  const left = list.segments.count - list.segments.done;
  if (edited.size) return notify(`Changed since they were confirmed: ${[...edited].join(", ")}.`);
  if (left && list.filtered) {
    const choices = [["Show all segments", () => list.clearFilter()]];
    return notify("Nothing left to do in this filter.", { choices });
  }
  const { deliverable } = left ? {} : await get(sync.path("report"));
  if (deliverable) notify("All segments are confirmed. Download the file with the button above.");
  else if (!left) notify("Some segments cannot be written into the file: see “Held back” in the filter.");
}

/** Save everything, and download the file; whoever wants to see a segment first is shown it. */
export async function deliver(workspace) {
  workspace.keepDraft();
  const late = new Promise((resolve) => setTimeout(resolve, DELIVERY));
  await Promise.race([workspace.sync.outbox.sending, late]);
  const segment = await download(workspace.project.name, workspace.about, workspace.edited);
  if (segment) workspace.open(segment);
}
