// All keyboard shortcuts, and the sheet that shows them.

import { h } from "./dom.js";

const MAC = /Mac|iPhone|iPad/.test(navigator.platform);
const control = MAC ? "⌘" : "Ctrl";
const alt = MAC ? "⌥" : "Alt";

export const KEYS = {
  Completion: [
    [["Tab"], [MAC ? "⌥" : "Ctrl", "→"], "accept the next word"],
    [[control, "End"], "accept all of it and keep editing"],
    [["Esc"], "hide it; press again to leave the editor"],
    [[alt, "↓"], [alt, "↑"], "next or previous completion"],
  ],
  Segment: [
    [["Enter"], [control, "Enter"], "confirm what you see and go to the next segment"],
    [[control, "Shift", "Enter"], "confirm even if it looks like a mistake"],
    [["Shift", "Enter"], "new line"],
    [[control, "↓"], [control, "↑"], "next or previous segment"],
    [[alt, "T"], "insert the next missing tag"],
    [[alt, "1 … 9"], "use that match"],
    [[alt, "Z"], "undo your last confirmation"],
    [[alt, "A"], "approve a confirmed segment"],
  ],
  Workbench: [
    [["F2"], "switch between interactive and post-editing"],
    [[alt, "S"], "shade words by confidence"],
    [[alt, "W"], "show the origin of the word at the caret"],
    [[alt, "G"], "switch between list and grid"],
    [[alt, "P"], "show or hide the preview"],
    [[control, "G"], "go to a segment by its number"],
    [[control, "H"], "find and replace"],
    [[control, "K"], "look up the selection in the concordance"],
    [["F1"], ["?"], "show these shortcuts (? only outside text fields)"],
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

/** Show or hide the sheet of shortcuts. */
export function toggleSheet() {
  if (sheet?.open) return sheet.close();
  sheet ??= document.body.appendChild(
    h(
      "dialog",
      { class: "sheet", "aria-labelledby": "sheet-title" },
      h("h2", { id: "sheet-title" }, "Keyboard shortcuts"),
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
