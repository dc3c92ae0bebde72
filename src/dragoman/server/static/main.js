// The page: routing, the bar, shortcuts that work everywhere, and waiting for the server.

import { Refused, get, inside } from "./api.js";
import { Desk } from "./desk.js";
import { fill, find, h } from "./dom.js";
import { onDrop } from "./dropping.js";
import { deliver } from "./finishing.js";
import { toggleSheet } from "./keys.js";
import { notify, notifyError, sentence } from "./notices.js";
import { ProjectPage } from "./project.js";
import { Overview } from "./projects.js";
import { whenUsable } from "./starting.js";
import { preference, setPreference } from "./storage.js";
import { upload } from "./uploading.js";
import { askForKeys, loadPerson } from "./who.js";

const nonce = document.querySelector("script[nonce]").nonce;
const THEMES = { auto: "◐ Auto", light: "○ Light", dark: "● Dark" };
let view = null;

// ── The bar ────────────────────────────────────────────────────────────────────────────────────────────────────────

function setTheme(theme) {
  setPreference("theme", theme);
  document.documentElement.dataset.theme = theme;
  fill(find("theme"), THEMES[theme]);
}

function nextTheme() {
  const names = Object.keys(THEMES);
  setTheme(names[(names.indexOf(document.documentElement.dataset.theme) + 1) % names.length]);
}

function bar() {
  fill(
    find("tools"),
    h(
      "button",
      {
        id: "download",
        class: "quiet",
        hidden: true,
        onclick: () => deliver(view).catch(notifyError),
      },
      "Download",
    ),
    h("button", { class: "quiet", onclick: toggleSheet }, "Shortcuts ", h("kbd", {}, "F1")),
    h("span", { id: "person" }),
    h("button", { id: "theme", class: "quiet", "aria-label": "Theme", onclick: nextTheme }),
  );
  setTheme(preference("theme", "auto"));
}

function crumbs(...names) {
  fill(
    find("crumbs"),
    h("a", { href: "#/", class: "brand" }, "dragoman"),
    names.map((name, n) => {
      const leads = n === 0 && names.length > 1;
      const shown = leads ? h("a", { href: `#/${encodeURIComponent(name)}` }, name) : h("span", {}, name);
      return [h("span", { "aria-hidden": "true" }, "›"), shown];
    }),
  );
  find("download").hidden = !names.length;
}

// ── Views ──────────────────────────────────────────────────────────────────────────────────────────────────────────

async function route() {
  const [name, document_, number] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (view instanceof Desk && view.project.name === name && view.about.id === Number(document_)) {
    if (Number(number) && view.number !== Number(number)) view.open(Number(number));
    return;
  }
  view?.stop();
  view = null;
  document.title = "dragoman";
  try {
    await loadPerson(signedOut);
    if (!name) await overview();
    else await (document_ ? desk(name, Number(document_), Number(number)) : project(name));
  } catch (error) {
    if (error instanceof Refused && error.status === 404 && name) return void (location.hash = "#/");
    fill(
      find("main"),
      h(
        "div",
        { class: "overview" },
        h("h1", {}, "Something went wrong"),
        h("p", {}, sentence(error.message)),
        h("button", { onclick: route }, "Try again"),
      ),
    );
    console.error(error);
  }
}

/** Nobody is here any more: whoever comes next starts at the same place. */
function signedOut() {
  view?.stop();
  view = null;
  fill(find("main"));
  route();
}

async function overview() {
  crumbs();
  const page = new Overview();
  view = page;
  await page.start();
  if (view === page) fill(find("main"), page.element); // otherwise somebody has gone elsewhere meanwhile
}

async function project(name) {
  crumbs(name);
  find("download").hidden = true;
  view = new ProjectPage(await get(inside(name)));
  fill(find("main"), view.element);
  await view.start();
}

async function desk(name, id, number) {
  const [found, about] = await Promise.all([get(inside(name)), get(inside(name, `documents/${id}`))]);
  crumbs(found.name, about.name);
  view = new Desk(found, about, nonce);
  fill(find("main"), view.element);
  await view.start(number);
}

/** Files were dropped on the page: they go to the project that is open. */
async function dropped(files, target) {
  if (view instanceof Overview) return view.drop(files, target);
  if (!view?.may?.edit) return notify("You cannot add files to this project.");
  const document = await upload(view.project.name, files, find("status"));
  if (document) location.hash = `#/${encodeURIComponent(view.project.name)}/${document}`;
}

// ── Shortcuts that work everywhere ─────────────────────────────────────────────────────────────────────────────────

const ANYWHERE = {
  F2: (desk) => desk.setMode(desk.mode === "interactive" ? "postedit" : "interactive"),
  "Alt+KeyS": (desk) => desk.setShading(!desk.shading),
  "Alt+KeyT": (desk) => desk.card.insertTag(),
  "Alt+KeyZ": (desk) => desk.may.edit && desk.sync.undoLast(),
  "Alt+KeyW": (desk) => desk.showOrigin(desk.pointing.sourcesAtCaret),
  "Control+KeyK": (desk) => desk.lookUp(),
  "Control+KeyH": (desk) => desk.replace(),
  "Control+KeyG": (desk) => desk.list.jump.focus(),
  "Alt+KeyG": (desk) => desk.setGrid(!desk.grid),
  "Alt+KeyP": (desk) => desk.preview.toggle(),
  "Alt+KeyA": (desk) => desk.may.edit && desk.card.approve(),
  "Control+ArrowDown": (desk) => desk.step(1),
  "Control+ArrowUp": (desk) => desk.step(-1),
};

function pressed(event) {
  const writing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
  if (event.key === "F1" || (event.key === "?" && !writing)) {
    event.preventDefault();
    return toggleSheet();
  }
  if (!(view instanceof Desk) || view.number === null) return;
  if (event.isComposing || document.querySelector("dialog[open]")) return;
  const name = `${event.ctrlKey || event.metaKey ? "Control+" : ""}${event.altKey ? "Alt+" : ""}${event.code}`;
  const digit = /^Alt\+Digit([1-9])$/.exec(name)?.[1];
  if (digit ? view.suggestions.take(Number(digit) - 1) : ANYWHERE[name]) {
    event.preventDefault();
    if (!digit) ANYWHERE[name](view);
  }
}

// ── Starting ──────────────────────────────────────────────────────────────────────────────────────────────────────

bar();
crumbs();
askForKeys();
onDrop((files, target) => dropped(files, target).catch(notifyError));
addEventListener("keydown", pressed);
addEventListener("hashchange", route);
addEventListener(
  "pagehide",
  () => view instanceof Desk && view.number !== null && view.drafts.get(view.about.id, view.number) && view.saveDraft(),
);
whenUsable().then(route);
