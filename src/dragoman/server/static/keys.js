// All keys, and the sheet that shows them.

import { h } from "./dom.js";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const control = MAC ? "⌘" : "Ctrl";
const alt = MAC ? "⌥" : "Alt";

export const KEYS = {
  "The completion": [
    [["Tab"], [MAC ? "⌥" : "Ctrl", "→"], "take over the next word"],
    [[control, "End"], "take over all of it, and go on editing"],
    [["Esc"], "hide it; once more: leave the editor"],
    [[alt, "↓"], [alt, "↑"], "another completion; back"],
  ],
  "The segment": [
    [["Enter"], [control, "Enter"], "confirm what you see, learn it, go on"],
    [[control, "Shift", "Enter"], "confirm it although it looks like a mistake"],
    [["Shift", "Enter"], "a new line"],
    [[control, "↓"], [control, "↑"], "next segment; the one before"],
    [[alt, "T"], "put in the next missing tag"],
    [[alt, "1"], "… 9: put in that match"],
    [[alt, "Z"], "take back what was learned last"],
  ],
  "The workbench": [
    [["F2"], "interactive or post-editing"],
    [[alt, "S"], "shade words by confidence, or not"],
    [[alt, "W"], "where the word at the caret comes from"],
    [[control, "K"], "look up what is selected, or a word, in what was learned"],
    [["F1"], ["?"], "this sheet (the question mark outside of texts)"],
  ],
};

const keycaps = (combination) => combination.flatMap((name, n) => [n ? " + " : null, h("kbd", {}, name)]);

function row(entry) {
  const what = entry.at(-1);
  return [
    h(
      "dt",
      {},
      entry.slice(0, -1).flatMap((each, n) => [n ? " or " : null, ...keycaps(each)]),
    ),
    h("dd", {}, what),
  ];
}

let sheet;

/** Show the sheet of all keys, or hide it. */
export function toggleSheet() {
  if (sheet?.open) return sheet.close();
  sheet ??= document.body.appendChild(
    h(
      "dialog",
      { class: "sheet", "aria-labelledby": "sheet-title" },
      h("h2", { id: "sheet-title" }, "Keys"),
      h(
        "div",
        { class: "columns" },
        Object.entries(KEYS).map(([title, entries]) =>
          h("section", {}, h("h3", {}, title), h("dl", {}, entries.map(row))),
        ),
      ),
      h("form", { method: "dialog" }, h("button", { autofocus: true }, "Close ", h("kbd", {}, "Esc"))),
    ),
  );
  sheet.showModal();
}
