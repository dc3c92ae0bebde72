// The panels about the open segment: what the file says of it and what people say; and its versions.

import { get, inside, patch, post, remove } from "./api.js";
import { counted, fill, h, when } from "./dom.js";
import { notifyError } from "./notices.js";
import { fillRows, nothing, panel } from "./panel.js";
import { chipped } from "./chipped_text.js";
import { person } from "./who.js";

const DIFF = { delete: "del", insert: "ins" };
const ACTIONS = {
  confirmed: "confirmed",
  draft: "draft",
  typed: "typed",
  redo: "done again",
  returned: "approval taken back",
  undo: "undone",
  repetition: "filled from a repetition",
  replacement: "replaced",
  machine: "translated by machine",
  memory: "from the memory",
  approved: "approved",
  assigned: "assigned",
};

/** Whether what a file says of a segment's place is for programs: a part of a package, a path of keys. */
const isPath = (text) => /^\S+\/\S+$|\.(xml|xhtml|html)\b/.test(text.trim());

/** The versions, newest first; a text that was typed and then only continued is a step of the one after it. */
export function withSteps(history) {
  const found = [];
  for (const each of history) {
    const after = found.at(-1),
      newest = after?.steps.at(-1) ?? after?.target;
    if (each.action === "typed" && after?.user === each.user && newest?.startsWith(each.target)) {
      if (newest !== each.target) after.steps.push(each.target);
    } else found.push({ ...each, steps: [] });
  }
  return found;
}

export class About {
  /** `handlers` has: open(number), use(text), matches(list) for similar segments with their differences. */
  constructor(project, handlers) {
    Object.assign(this, { project, handlers, latest: null });
    const notes = panel("Notes and comments"),
      versions = panel("Versions", { folded: true });
    Object.assign(this, { notes, versions, elements: [notes.element, versions.element] });
  }

  get path() {
    const { document, number } = this.segment;
    return inside(this.project, `documents/${document}/segments/${number}`);
  }

  /** Another segment is open, or something was said about this one. */
  async load(segment) {
    const request = (this.latest = {});
    this.segment = segment;
    const found = await get(`${this.path}/about`);
    if (this.latest !== request) return;
    this.showNotes(found);
    this.showVersions(found.history);
    this.handlers.matches(found.matches);
  }

  /** Something was typed, which is among the versions now; the comment that somebody is writing stays. */
  async refreshVersions() {
    if (this.segment) this.showVersions((await get(`${this.path}/about`)).history);
  }

  // ── Notes and comments ───────────────────────────────────────────────────────────────────────────────────────────

  showNotes({ context, note, limit, links, repeats, comments }) {
    const open = (number) =>
      h("button", { class: "link", onclick: () => this.handlers.open(number) }, `segment ${number}`);
    const facts = [
      context && !isPath(context) && ["Context", context],
      note && ["Note", note],
      limit && ["Limit", counted(limit, "character")],
      links.length > 0 && ["Links", links.map((url) => h("a", { href: url, target: "_blank", rel: "noopener" }, url))],
      repeats.length > 0 && ["Same source", repeats.slice(0, 10).flatMap((n, at) => [at ? ", " : null, open(n)])],
    ].filter(Boolean);
    const listed = facts.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]);
    fill(
      this.notes.body,
      facts.length > 0 && h("dl", { class: "facts" }, listed),
      context && isPath(context) && h("details", { class: "time" }, h("summary", {}, "Details"), `In the file: ${context}`),
      comments.length > 0 && h("ul", { class: "rows" }, comments.map((each) => this.comment(each))),
      this.form(),
    );
  }

  comment({ id, user, time, text, resolved }) {
    const act = (label, kind, what) => h("button", { class: `small quiet ${kind}`, onclick: () => this.change(what) }, label);
    const place = `${this.path}/comments/${id}`;
    return h(
      "li",
      { class: resolved ? "comment resolved" : "comment" },
      h(
        "div",
        { class: "row" },
        h("span", { class: "time" }, user && `${user} · `, when(time), resolved && " · resolved"),
        h(
          "span",
          {},
          act(resolved ? "Reopen" : "Resolve", "edits", () => patch(place, { resolved: !resolved })),
          user === person() && act("Delete", "", () => remove(place)),
        ),
      ),
      h("p", {}, text),
    );
  }

  form() {
    const about = { "aria-label": "Comment", placeholder: "Add a comment", required: true, maxlength: 2000 };
    const field = h("input", about);
    const send = (event) => {
      event.preventDefault();
      this.change(() => post(`${this.path}/comments`, { text: field.value }));
    };
    return h("form", { onsubmit: send }, field, h("button", { class: "small" }, "Comment"));
  }

  async change(what) {
    try {
      await what();
      await this.load(this.segment);
    } catch (error) {
      notifyError(error);
    }
  }

  // ── Versions ─────────────────────────────────────────────────────────────────────────────────────────────────────

  showVersions(history) {
    const rows = withSteps(history).map(({ time, user, action, target, steps, diff = [] }) =>
      h(
        "li",
        {},
        h(
          "div",
          { class: "row" },
          h("span", { class: "time" }, when(time), user && ` · ${user}`, ` · ${ACTIONS[action] ?? action}`),
          target && h("button", { class: "small edits", onclick: () => this.handlers.use(target) }, "Use"),
        ),
        diff.length > 0
          ? h("p", {}, diff.map(([kind, text]) => h(DIFF[kind] ?? "span", {}, chipped(text))))
          : target
            ? h("p", {}, chipped(target))
            : nothing("empty"),
        steps.length > 0 &&
          h("details", {}, h("summary", {}, counted(steps.length, "step")), steps.map((step) => h("p", { class: "of" }, step))),
      ),
    );
    fillRows(this.versions.body, rows, "No earlier versions.", "ol");
  }
}
