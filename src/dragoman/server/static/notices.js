// What the page has to say: a line at the bottom that goes away by itself, or one that waits for an answer.

import { fill, find, h } from "./dom.js";

const SECONDS = 6;

/** Say something; `choices` are [label, function] pairs, and with `stay` it stays until one is chosen. */
export function say(text, { choices = [], stay = false, kind = "info", name } = {}) {
  const box = find("notices");
  if (name) box.querySelector(`[data-name="${name}"]`)?.remove();
  const close = () => notice.remove();
  const buttons = choices.map(([label, act]) => h("button", { onclick: () => (close(), act()) }, label));
  const notice = h(
    "div",
    { class: `notice ${kind}`, "data-name": name },
    h("p", {}, text),
    buttons,
    h("button", { class: "quiet", "aria-label": "Dismiss", onclick: close }, "×"),
  );
  box.append(notice);
  while (box.children.length > 4) box.firstChild.remove();
  if (!stay) setTimeout(close, SECONDS * 1000);
  return close;
}

/** What happened, if it was an error. */
export const complain = (error) => {
  if (!(error instanceof Error) || error.name === "TypeError") console.error(error);
  say(sentence(error.message), { kind: "problem" });
};

export const sentence = (text) =>
  (text ? text[0].toUpperCase() + text.slice(1) : "") + (/[.!?]$/.test(text) ? "" : ".");

const TEXTS = {
  slow: "The server is slow to answer …",
  away: "The server is away. What you do is kept, and sent when it is back.",
};

/** Show whether the server is there, and how much waits to be sent. */
export function showStatus(state, unsent) {
  const text = TEXTS[state] ?? (unsent ? `${unsent} not saved yet …` : "");
  fill(
    find("status"),
    text && h("span", { class: `state ${state}` }, unsent && TEXTS[state] ? `${text} (${unsent} unsent)` : text),
  );
}
