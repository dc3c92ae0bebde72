// The page: routing, the bar, shortcuts that work everywhere, and waiting for the server.

import { Refused, get, inside } from "./api.js";
import { Desk } from "./desk.js";
import { fill, find, h } from "./dom.js";
import { onDrop } from "./drop_target.js";
import { deliver } from "./document_end.js";
import { toggleSheet } from "./keys.js";
import { notify, notifyError, sentence } from "./notices.js";
import { ProjectPage } from "./project.js";
import { Overview } from "./projects.js";
import { actionOf, combination } from "./shortcuts.js";
import { whenUsable } from "./startup.js";
import { preference, setPreference } from "./storage.js";
import { keepName } from "./tab.js";
import { addressAfter, upload } from "./upload.js";
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

/** Show what an address asks for; it is read from the event, since the page's own address may be another one by then. */
async function route(event) {
  const { hash } = new URL(event?.newURL ?? location.href);
  const [name, document_, number] = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
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
    if (error instanceof Refused && error.status === 404 && name) {
      const gone = document_ ? `There is no document ${document_} in ${name}: it was deleted, or the link is wrong.` : `There is no project ${name}.`;
      notify(gone, { kind: "problem", stay: true });
      return void (location.hash = document_ && error.what?.includes("document") ? `#/${encodeURIComponent(name)}` : "#/");
    }
    fill(
      find("main"),
      h(
        "div",
        { class: "overview" },
        h("h1", {}, "Something went wrong"),
        h("p", {}, sentence(error.message)),
        h("button", { onclick: () => route() }, "Try again"),
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
  const desk_ = new Desk(found, about, nonce, (at) => reopen(desk_, at));
  view = desk_;
  fill(find("main"), view.element);
  await view.start(number);
}

/** The document has other segments now: open it anew, unless somebody has gone elsewhere meanwhile. */
async function reopen(desk_, number) {
  if (view !== desk_) return;
  view.stop();
  await desk(desk_.project.name, desk_.about.id, number).catch(notifyError);
}

/** Files were dropped on the page: they go to the project that is open. */
async function dropped(files, target) {
  if (view instanceof Overview) return view.drop(files, target);
  if (!view?.may?.teach) return notify("You cannot add files to this project.");
  const document = await upload(view.project.name, files, find("status"));
  if (document) location.hash = addressAfter(view.project.name, files, document);
}

// ── Shortcuts that work everywhere ─────────────────────────────────────────────────────────────────────────────────

const DOES = {
  mode: (desk) => desk.setMode(desk.mode === "interactive" ? "postedit" : "interactive"),
  shading: (desk) => desk.setShading(!desk.shading),
  tag: (desk) => desk.card.insertTag(),
  copySource: (desk) => desk.may.edit && desk.editor.insert(desk.segment.source, { all: true }),
  changeCase: (desk) => desk.may.edit && desk.editor.changeCase(),
  hardSpace: (desk) => desk.may.edit && desk.editor.insert("\u00a0"),
  undo: (desk) => desk.may.edit && desk.sync.undoLast(),
  redo: (desk) => desk.may.edit && desk.sync.redoLast(),
  origin: (desk) => desk.showOrigin(desk.pointing.sourcesAtCaret),
  lookUp: (desk) => desk.lookUp(),
  find: (desk) => desk.card.finder.open(desk.selected),
  replace: (desk) => desk.replace(),
  goTo: (desk) => desk.list.jump.focus(),
  grid: (desk) => desk.setGrid(!desk.grid),
  preview: (desk) => desk.preview.toggle(),
  approve: (desk) => desk.may.review && desk.card.approve(),
  merge: (desk) => desk.regroup.merge(),
  split: (desk) => desk.regroup.split(),
  next: (desk) => desk.step(1),
  previous: (desk) => desk.step(-1),
};

function pressed(event) {
  const writing = event.target.closest?.("input, textarea, select, [contenteditable=true]");
  if (event.key === "F1" || (event.key === "?" && !writing)) {
    event.preventDefault();
    return toggleSheet();
  }
  if (!(view instanceof Desk) || view.number === null) return;
  if (event.isComposing || document.querySelector("dialog[open]")) return;
  const keys = combination(event),
    action = actionOf(keys),
    digit = /^Alt\+Digit([1-9])$/.exec(keys)?.[1];
  if (action) {
    event.preventDefault();
    DOES[action](view);
  } else if (digit && view.suggestions.take(Number(digit) - 1)) event.preventDefault();
}

// ── Starting ──────────────────────────────────────────────────────────────────────────────────────────────────────

keepName();
bar();
crumbs();
askForKeys();
onDrop((files, target) => dropped(files, target).catch(notifyError));
addEventListener("keydown", pressed);
addEventListener("hashchange", route);
addEventListener("pagehide", () => {
  if (!(view instanceof Desk) || view.number === null || !view.drafts.get(view.about.id, view.number)) return;
  view.saveDraft();
  view.typedTexts.flush({ leaving: true });
});
whenUsable().then(() => route());
