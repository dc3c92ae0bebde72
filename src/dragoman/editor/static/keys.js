// All keyboard shortcuts, and the sheet that shows them.

import { fill, h } from "./dom.js";
import { ACTIONS, assign, combination, isIncomplete, keysOf, shown } from "./shortcuts.js";

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
    [["Enter"], [control, "Enter"], "confirm your text, without the grey, and go to the next segment"],
    [[alt, "Enter"], "accept all of the grey text and confirm"],
    [[control, "Shift", "Enter"], "confirm even if it looks like a mistake"],
    [["Shift", "Enter"], "new line"],
    [[alt, "1 … 9"], "use that suggestion"],
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

/** The keys that everybody can change: a click, and the next keys are the new ones. */
function ownKeys() {
  const said = h("p", { class: "wrong", role: "status" });
  const list = h("dl", {});
  const draw = () => fill(list, Object.keys(ACTIONS).map(changeable));
  const changeable = (action) => {
    const button = h(
      "button",
      { type: "button", class: "small", "aria-label": `Change: ${ACTIONS[action][1]}`, onclick: () => listen(action, button) },
      keycaps(shown(keysOf(action))),
    );
    return [h("dt", {}, button), h("dd", {}, ACTIONS[action][1])];
  };
  const listen = (action, button) => {
    fill(button, "Press the new keys …");
    const pressed = (event) => {
      if (isIncomplete(event)) return;
      event.preventDefault();
      event.stopPropagation();
      button.removeEventListener("keydown", pressed);
      const reset = event.key === "Escape" || event.key === "Backspace";
      fill(said, assign(action, reset ? null : combination(event)) ?? "");
      draw();
      list.querySelector(`[aria-label="Change: ${ACTIONS[action][1]}"]`)?.focus();
    };
    button.addEventListener("keydown", pressed);
    button.focus();
  };
  draw();
  const hint = "Click one and press other keys to change it; Esc gives it back its first ones.";
  return h("section", { class: "own-keys" }, h("h3", {}, "Your keys"), h("p", { class: "nothing" }, hint), said, list);
}

let sheet;

/** Show or hide the sheet of shortcuts. */
export function toggleSheet() {
  if (sheet?.open) return sheet.close();
  sheet ??= document.body.appendChild(
    h(
      "dialog",
      { class: "sheet", "aria-labelledby": "sheet-title" },
      h("h2", { id: "sheet-title", tabindex: "-1", autofocus: true }, "Keyboard shortcuts"),
      h(
        "div",
        { class: "columns" },
        Object.entries(KEYS).map(([title, entries]) =>
          h("section", {}, h("h3", {}, title), h("dl", {}, entries.map(row))),
        ),
        ownKeys(),
      ),
      h("form", { method: "dialog" }, h("button", {}, "Close ", h("kbd", {}, "Esc"))),
    ),
  );
  sheet.showModal();
}
