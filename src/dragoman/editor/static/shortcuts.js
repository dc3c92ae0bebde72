// Shortcuts that everybody can change: what they do, which keys they have at first, and which this person has given them.

import { preference, setPreference } from "./storage.js";

/** What can be done by a key: the keys it has at first, and what it does, in words. */
export const ACTIONS = {
  mode: ["F2", "switch between interactive and post-editing"],
  next: ["Control+ArrowDown", "next segment"],
  previous: ["Control+ArrowUp", "previous segment"],
  goTo: ["Control+KeyG", "go to a segment by its number"],
  tag: ["Alt+KeyT", "insert the next missing tag"],
  copySource: ["Alt+KeyC", "copy the source into the translation"],
  changeCase: ["Shift+F3", "change capitals of the selection or the word"],
  hardSpace: ["Control+Shift+Space", "insert a non-breaking space"],
  undo: ["Alt+KeyZ", "undo your last confirmation or replacement"],
  redo: ["Alt+Shift+KeyZ", "redo"],
  approve: ["Alt+KeyA", "approve a confirmed segment"],
  merge: ["Alt+KeyM", "merge the segment with the next one"],
  split: ["Alt+KeyX", "split the segment where you clicked in its source"],
  find: ["Control+KeyF", "find in the segment"],
  replace: ["Control+KeyH", "find and replace in the document"],
  lookUp: ["Control+KeyK", "look up the selection in the concordance"],
  origin: ["Alt+KeyW", "show the origin of the word at the caret"],
  shading: ["Alt+KeyS", "shade words by confidence"],
  grid: ["Alt+KeyG", "switch between list and grid"],
  preview: ["Alt+KeyP", "show or hide the preview"],
};
const MODIFIERS = new Set(["Control", "Shift", "Alt", "AltGraph", "Meta"]);
const TAKEN = new Set(["Enter", "Tab", "Escape", "Alt+Enter", "Control+Enter", "Control+Shift+Enter", "Shift+Enter", "F1"]);

/** The keys of an event, by their places on the keyboard: "Alt+Shift+KeyZ". */
export const combination = ({ ctrlKey, metaKey, altKey, shiftKey, code }) =>
  [(ctrlKey || metaKey) && "Control", altKey && "Alt", shiftKey && "Shift", code].filter(Boolean).join("+");

const own = () => JSON.parse(preference("shortcuts", "{}"));

/** The keys of an action: one's own, or those it has at first. */
export const keysOf = (action) => own()[action] ?? ACTIONS[action][0];

/** What keys do; undefined if nothing. */
export const actionOf = (keys) => Object.keys(ACTIONS).find((action) => keysOf(action) === keys);

/** Give an action other keys; why that is not possible, or null. Without keys it gets its first ones back. */
export function assign(action, keys) {
  const { [action]: _, ...others } = own();
  if (!keys) return void setPreference("shortcuts", JSON.stringify(others)) ?? null;
  if (TAKEN.has(keys) || (/^(Shift\+)?(Key|Digit|Space|Arrow|Backspace|Delete)/.test(keys) && keys.split("+").length < 3))
    return "These keys are needed for typing.";
  const taken = actionOf(keys);
  if (taken && taken !== action) return `These keys already ${ACTIONS[taken][1]}.`;
  setPreference("shortcuts", JSON.stringify({ ...others, [action]: keys }));
  return null;
}

/** Whether an event is only that of a modifier, with other keys to come. */
export const isIncomplete = ({ key }) => MODIFIERS.has(key);

const SIGNS = { Control: "Ctrl", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→" };

/** Keys as they are shown: ["Alt", "Shift", "Z"]. */
export const shown = (keys) => keys.split("+").map((each) => SIGNS[each] ?? each.replace(/^(Key|Digit)/, ""));
