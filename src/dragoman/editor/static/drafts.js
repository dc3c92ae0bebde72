// Drafts: what was typed and not confirmed, kept with every key, and what it took so far.

import { SegmentStore } from "./storage.js";

export const NO_EFFORT = Object.freeze({ keys: 0, clicks: 0, milliseconds: 0 });

export const addEffort = (one, other) => ({
  keys: one.keys + other.keys,
  clicks: one.clicks + other.clicks,
  milliseconds: one.milliseconds + other.milliseconds,
});

/** Text, first suggestion, effort and time of each segment that was edited; `refused` if the server said no to it. */
export class Drafts extends SegmentStore {
  constructor(project) {
    super("draft", project);
  }
}
