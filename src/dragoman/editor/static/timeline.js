// Subtitles over time: when a cue is shown, how fast it is to be read, and a line with all of them.

import { h } from "./dom.js";

/** A time of a film: 1:02.5, 1:00:02.5. */
export function clock(seconds) {
  const tenths = Math.round(seconds * 10),
    hours = Math.floor(tenths / 36_000),
    minutes = Math.floor(tenths / 600) % 60;
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** How long cues are shown in all, in seconds. */
export const duration = (cues) => cues.reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0);

/** How many characters a second are to be read, and whether that is too fast; null without a time. */
export function speed(characters, cues, limit) {
  const seconds = duration(cues);
  if (!seconds) return null;
  return { perSecond: Math.round(characters / seconds), tooFast: Boolean(limit) && characters > limit };
}

/** Where cues are on a line from the first to the last, in percent: left and width. */
export function spread(blocks) {
  const all = blocks.flatMap(({ cues }) => cues);
  const from = Math.min(...all.map(({ start }) => start)),
    to = Math.max(...all.map(({ end }) => end));
  const share = (seconds) => (to > from ? (100 * seconds) / (to - from) : 0);
  return blocks.map(({ cues }) => cues.map(({ start, end }) => ({ left: share(start - from), width: share(end - start) })));
}

/** A line with all cues; `isOpen(block)` says which are those of the open segment, `open(block)` opens another. */
export function timeline(blocks, { isOpen, open }) {
  const places = spread(blocks);
  const bars = blocks.flatMap((block, n) =>
    places[n].map(({ left, width }) => {
      const bar = h("span", { class: isOpen(block) ? "cue-bar open" : "cue-bar", onclick: () => open(block) });
      bar.style.left = `${left}%`;
      bar.style.width = `${Math.max(width, 0.5)}%`;
      return bar;
    }),
  );
  return h("div", { class: "timeline", "aria-hidden": "true" }, bars);
}
