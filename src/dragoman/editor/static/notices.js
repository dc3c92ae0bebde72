// Notices: a line at the bottom that goes away by itself, or one that waits for an answer.

import { counted, fill, find, h } from "./dom.js";

const SECONDS = 6;
const MOST = 4; // notices at once; one that waits for an answer never has to go for another one
const staying = new WeakSet();

/** Show a notice; `choices` are [label, function] pairs. With `stay` it stays until it is answered or dismissed;
 *  with a `name` it replaces the notice of that name. */
export function notify(text, { choices = [], stay = false, kind = "info", name } = {}) {
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
  if (stay) staying.add(notice);
  else setTimeout(close, SECONDS * 1000);
  const passing = [...box.children].filter((each) => each !== notice && !staying.has(each));
  for (const each of passing.slice(0, Math.max(0, box.children.length - MOST))) each.remove();
  return close;
}

/** Take away the notice of a name. */
export const dismiss = (name) => find("notices").querySelector(`[data-name="${name}"]`)?.remove();

/** Show what went wrong, until somebody has read it; the same problem is shown once. */
export const notifyError = (error) => {
  if (!(error instanceof Error) || error.name === "TypeError") console.error(error);
  const text = sentence(error.message);
  notify(text, { kind: "problem", stay: true, name: text.replaceAll(/["\\]/g, "") });
};

/** A message as a sentence; one that begins with the name of a file keeps it as it is. */
export const sentence = (text) => {
  const named = /^\S+\.\w{1,8}\b/.test(text);
  return (text ? (named ? text[0] : text[0].toUpperCase()) + text.slice(1) : "") + (/[.!?]$/.test(text) ? "" : ".");
};

const TEXTS = {
  slow: "The server is slow to respond …",
  refused: "No completions at the moment. Your work is saved as usual.",
  away: "Server unavailable. Your work is kept here and sent when it is back.",
};

/** Show who else is in the document. */
export function showPeople(people) {
  const names = people.map(({ user, segment }) => `${user ?? "somebody"}${segment ? ` at segment ${segment}` : ""}`);
  fill(find("people"), names.length > 0 && `Also here: ${names.join(", ")}`);
}

/** Show whether the server can be reached, and how many changes wait to be sent. */
export function showStatus(state, unsent) {
  const changes = unsent ? counted(unsent, "change") : "";
  const trouble = TEXTS[state] && (changes ? `${TEXTS[state]} (${changes} waiting)` : TEXTS[state]);
  const text = trouble ?? (changes && `Saving ${changes} …`);
  fill(find("status"), text && h("span", { class: `state ${state}` }, text));
}
