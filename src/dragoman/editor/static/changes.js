// What becomes of a segment's text: whether it can be confirmed, what is sent to the server, what is thrown away.

import { isConflict } from "./questions.js";

const FINAL = new Set(["confirmed", "locked"]);

/** Whether a segment can be confirmed with a text: "ready", or why not: "locked" or "empty". */
export function readiness(segment, text) {
  if (segment.state === "locked") return "locked";
  return !text.trim() && segment.source.trim() ? "empty" : "ready";
}

/** Whether a text was only filled in, because another segment with the same source was confirmed: it never replaces
 *  what a person has written, and gives way to what somebody types. */
export const isFilled = ({ origin, state }) => origin === "repetition" && state === "translated";

/** Whether a draft was begun on another text of its segment than there is now: somebody has changed it since. */
export const isOutdated = (draft, segment) =>
  Boolean(draft) &&
  draft.base !== undefined &&
  draft.base < segment.version &&
  draft.text !== segment.target &&
  !isFilled(segment);

/** What was typed after a text that was confirmed, before the next segment was open: it belongs to that one. */
export const typedAhead = (confirmed, text) => (text.startsWith(confirmed) ? text.slice(confirmed.length) : "");

/** The change that confirms a segment; `base` is the version that the text was begun on. */
export const confirmation = (segment, target, { suggestion, effort, base, force = false, accept }) => ({
  target,
  state: "confirmed",
  version: base ?? segment.version,
  force,
  ...(accept?.length && { accept }),
  suggestion: suggestion ?? undefined,
  key_strokes: effort.keys,
  mouse_actions: effort.clicks,
  milliseconds: Math.round(effort.milliseconds),
});

/** The change that makes a segment a draft. */
export const asDraft = ({ version }, target, base) => ({ target, state: "translated", version: base ?? version });

/** What to do with the draft of a segment that is left: "keep" it here, "discard" it, or "send" it to the server.
 *  `unsent` is the change of the segment that still waits to be sent, if there is one. */
export function onLeaving(segment, draft, unsent) {
  if (!draft || !segment || unsent || isConflict(draft.question)) return "keep"; // nobody has chosen yet
  if (draft.text === segment.target) return draft.question ? "keep" : "discard";
  return FINAL.has(segment.state) ? "keep" : "send"; // sending it would take back what was learned
}

/** The numbers of confirmed segments that have a draft with another text: what was changed since is in no file. */
export function changedSince(drafts, document, segments) {
  const ours = drafts.all().filter((draft) => draft.document === document);
  const differs = ({ number, text }) =>
    segments.states[number] === "confirmed" && segments.get(number)?.target !== text;
  return new Set(ours.filter(differs).map(({ number }) => number));
}

/** Whether the editor holds nothing of the translator's own, so that another mode can start afresh. */
export const untouched = (mode, text, { suggestion, target }) =>
  mode === "interactive" ? text === suggestion && !target : !text;
