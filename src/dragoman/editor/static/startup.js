// Waiting for a server that has just been started: the page says what it is doing, and how long that may take.

import { fill, find, h } from "./dom.js";

const PAUSE = 500; // milliseconds between two looks

/** What the server says of itself: { usable, doing, done, total, seconds_left }; null if it cannot be reached. */
async function status() {
  try {
    const answer = await fetch("ready");
    const said = await answer.json();
    return answer.ok || said.state === "failed" ? { usable: true } : said; // after a failure, requests say what is wrong
  } catch {
    return null;
  }
}

/** A number of seconds as people say it. */
export function about(seconds) {
  if (seconds < 8) return "a few seconds";
  if (seconds < 90) return `about ${Math.ceil(seconds / 10) * 10} seconds`;
  return `about ${Math.round(seconds / 60)} minutes`;
}

/** What is happening, in one sentence. */
export function describe(state) {
  if (state === null) return "Cannot reach the server. Trying again …";
  const { doing, done, total, seconds_left: left } = state;
  if (doing === "compiling") {
    const more = left ? `, ${about(left)} more` : "";
    return `The first start compiles dragoman for this computer: ${done} of ${total} parts${more}.`;
  }
  if (doing === "learning the sample") return `Learning the sample: ${done} of ${total} segments.`;
  return "Loading …";
}

/** Show how far the server has come until it answers requests. */
export async function whenUsable() {
  const text = h("p", { role: "status" });
  const bar = h("progress", { "aria-label": "Progress" });
  const hint = h("p", {}, "It opens by itself. Meanwhile, press ", h("kbd", {}, "F1"), " for the keyboard shortcuts.");
  let shown = false;
  for (let state; !(state = await status())?.usable;) {
    if (!shown) fill(find("main"), h("div", { class: "overview waiting" }, h("h1", {}, "Getting ready"), text, bar, hint));
    shown = true;
    if (text.textContent !== describe(state)) fill(text, describe(state));
    bar.hidden = !state?.total;
    if (state?.total) Object.assign(bar, { max: state.total, value: state.done });
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
