// Who is working here: the person that a key belongs to, what they may do, signing in and out.

import { get, key, onKeyRequired, setKey } from "./api.js";
import { fill, find, h } from "./dom.js";
import { sentence } from "./notices.js";

const ROLES = ["read", "translate", "learn", "review", "admin"]; // each may do what those before it may

/** What a role allows in a project: to edit segments, to teach (terms, files, replacements), to approve, to manage. */
export function may(role) {
  const least = (wanted) => ROLES.indexOf(role) >= ROLES.indexOf(wanted);
  const edit = least("translate");
  return { edit, complete: edit, teach: least("learn"), review: least("review"), manage: least("admin") };
}

/** Why somebody cannot edit, for people; null if they can. */
export function whyReadOnly(role) {
  if (may(role).edit) return null;
  return "You can read this document but not change it. Ask the administrator for a key with the “translate” role.";
}

let me = { name: null, key: false, may_create: true };
export const person = () => me.name;
export const mayCreate = () => me.may_create;

/** Find out whose key this is, and show it in the bar. */
export async function loadPerson(changed) {
  me = await get("me");
  const out = h("button", { class: "quiet", onclick: () => signOut(changed) }, "Sign out");
  fill(find("person"), me.key && [me.name && h("span", { class: "who" }, me.name), out]);
}

function signOut(changed) {
  setKey(null);
  fill(find("person"));
  changed();
}

// ── Signing in ─────────────────────────────────────────────────────────────────────────────────────────────────────

let asking = null;

/** Ask for a key above whatever is shown, so that nothing is lost; all requests wait for the same answer. */
export function askForKeys() {
  onKeyRequired((error) => (asking ??= signIn(error).finally(() => (asking = null))));
}

function signIn(error) {
  const field = h("input", {
    type: "password",
    "aria-label": "Key",
    placeholder: "Key",
    autocomplete: "current-password",
    required: true,
    autofocus: true,
  });
  const replaced = error.code === "key-unknown" || key();
  const why = replaced ? "Your key is no longer valid." : sentence(error.what);
  const dialog = h(
    "dialog",
    { class: "sheet small", "aria-labelledby": "sign-in" },
    h(
      "form",
      { method: "dialog" },
      h("h2", { id: "sign-in" }, "Sign in"),
      h("p", {}, why, replaced && " What you have typed is kept."),
      h("p", { class: "line" }, field, h("button", { class: "main" }, "Sign in")),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      const given = field.value.trim();
      if (given) setKey(given);
      dialog.remove();
      resolve(Boolean(given));
    }),
  );
}
