// A question in a small dialog.

import { h } from "./dom.js";

/** Ask for some fields (name, label, value and attributes; `choices` are offered); resolves to their values, or to null
 *  if the dialog was closed. */
export function ask({ title, text = "", fields = [], button = "Save" }) {
  const row = ({ name, label, choices, required = true, ...about }) => {
    const list = choices?.length ? `choices-${name}` : null;
    return h(
      "label",
      {},
      label,
      h("input", { name, required, autocomplete: "off", list, ...about }),
      list && h("datalist", { id: list }, choices.map((value) => h("option", { value }))),
    );
  };
  return new Promise((resolve) => {
    let found = null;
    const take = () => (found = Object.fromEntries(new FormData(form)));
    const form = h(
      "form",
      { method: "dialog", onsubmit: take },
      h("h2", { id: "ask-title" }, title),
      text && h("p", {}, text),
      fields.length > 0 && h("div", { class: "fields" }, fields.map(row)),
      h(
        "p",
        { class: "line" },
        h("button", { class: "main" }, button),
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    );
    const dialog = h("dialog", { class: "sheet small", "aria-labelledby": "ask-title" }, form);
    dialog.addEventListener("close", () => (dialog.remove(), resolve(found)));
    document.body.append(dialog);
    dialog.showModal();
  });
}
