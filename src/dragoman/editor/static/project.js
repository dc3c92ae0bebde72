// The page of one project: its documents, figures, memory and glossary, the engine it builds on, and its name.

import { finished, get, inside, patch, post, remove, request } from "./api.js";
import { ask } from "./dialog.js";
import { count, counted, fill, h } from "./dom.js";
import { save } from "./download.js";
import { EngineForm } from "./engine.js";
import { Exchange } from "./exchange.js";
import { Figures } from "./figures.js";
import { Memories } from "./memories.js";
import { notify, notifyError } from "./notices.js";
import { fillRows } from "./panel.js";
import { language, projectName } from "./text.js";
import { may } from "./who.js";

export class ProjectPage {
  constructor(project) {
    Object.assign(this, { project, may: may(project.role) });
    this.documents = h("div");
    this.figures = new Figures(project.name);
    this.memories = new Memories(project.name, this.may.teach);
    this.engine = this.may.manage && new EngineForm(project.name);
    const section = (title, ...children) => h("section", { class: "card project" }, h("h2", {}, title), children);
    this.element = h(
      "div",
      { class: "overview" },
      h("h1", {}, project.name),
      h("p", { class: "tongue" }, `${language(project.source)} → ${language(project.target)}`),
      h(
        "div",
        { class: "projects" },
        section("Documents", this.documents),
        section("Figures", this.figures.element),
        section("Memory and glossary", new Exchange(project.name, this.may.teach).element),
        section("Reference memories", this.memories.element),
        this.engine && section("Engine", this.engine.element),
        this.may.manage && section("Project", this.ownership()),
      ),
    );
  }

  async start() {
    await Promise.all([this.load(), this.figures.load(), this.memories.load(), this.engine && this.engine.load()]);
  }

  stop() {}

  async load() {
    const found = await get(inside(this.project.name, "documents"));
    this.people = (await get(inside(this.project.name, "people")).catch(() => ({ people: [] }))).people;
    fillRows(this.documents, found.map((each) => this.document(each)), "No documents yet.");
  }

  path(id, rest = "") {
    return inside(this.project.name, `documents/${id}${rest && `/${rest}`}`);
  }

  /** Do something with a document, say what went wrong, and show it as it is then. */
  act(label, what, about) {
    const run = () =>
      what()
        .then(() => this.load())
        .catch(notifyError);
    return h("button", { class: "small", "aria-label": `${label}: ${about}`, onclick: run }, label);
  }

  document({ id, name, states, words, assignee }) {
    const status = h("p", { class: "nothing", role: "status" });
    const amount = (state) => states[state] > 0 && `${count(words[state])} ${NAMES[state]}`;
    const tally = Object.keys(NAMES).map(amount).filter(Boolean).join(" · ");
    return h(
      "li",
      {},
      h(
        "div",
        { class: "row" },
        h("a", { href: `#/${encodeURIComponent(this.project.name)}/${id}` }, name),
        h("span", { class: "time" }, assignee && `assigned to ${assignee}`),
      ),
      h("p", { class: "time" }, tally ? `Words: ${tally}` : "empty"),
      h(
        "p",
        { class: "line" },
        this.act("Analyse", () => this.analyse(id, name, status), name),
        this.may.teach && [
          this.act("Pre-translate", () => this.pretranslate(id, status), name),
          this.act("Assign", () => this.assign(id, name, assignee), name),
          this.act("Rename", () => this.rename(id, name), name),
          this.act("Delete", () => this.remove(id, name), name),
        ],
      ),
      this.review(id, name, status),
      status,
    );
  }

  /** A bilingual file for somebody who reviews outside, and what comes back from them. */
  review(id, name, status) {
    const kinds = { docx: "DOCX", html: "HTML", xlf: "XLIFF" };
    const out = ([kind, label]) => {
      const take = () => save(this.path(id, `bilingual.${kind}`), `${name}.${kind}`).catch(notifyError);
      return h("button", { class: "small", "aria-label": `Bilingual ${label}: ${name}`, onclick: take }, label);
    };
    const accept = Object.keys(kinds).map((kind) => `.${kind}`).join(",");
    const input = h("input", { type: "file", class: "unseen", accept, onchange: () => this.readBack(id, input, status) });
    const back = this.may.teach && h("label", { class: "button small" }, "Read back", input);
    return h("p", { class: "line time" }, "For review outside: ", Object.entries(kinds).map(out), back);
  }

  async readBack(id, input, status) {
    const [file] = input.files;
    input.value = "";
    if (!file) return;
    try {
      const sent = await request("POST", this.path(id, `bilingual?name=${encodeURIComponent(file.name)}`), file, { raw: true });
      const progress = ({ done, total }) => fill(status, `Reading: ${count(done)} of ${count(total)} segments …`);
      const job = await finished(this.project.name, await sent.json(), progress);
      const left = job.left_out.slice(0, 5).map(({ segment, what }) => `segment ${segment}: ${what}`);
      const rest = left.length ? ` Not taken over: ${left.join("; ")}${job.skipped > 5 ? " …" : ""}.` : "";
      notify(`Changed ${counted(job.count, "segment")}.${rest}`, { stay: left.length > 0 });
    } catch (error) {
      notifyError(error);
    }
    fill(status);
    await this.load().catch(notifyError);
  }

  async pretranslate(id, status) {
    const job = await finished(this.project.name, await post(this.path(id, "translate")), ({ done, total }) =>
      fill(status, `Translating: ${count(done)} of ${count(total)} segments …`),
    );
    const left = job.left_out.length ? ` ${counted(job.left_out.length, "segment")} could not be translated.` : "";
    notify(`Pre-translated ${counted(job.done, "segment")}, as drafts.${left}`);
  }

  async analyse(id, name, status) {
    fill(status, "Comparing with the memory …");
    await finished(this.project.name, await post(this.path(id, "analysis")), ({ done, total }) =>
      fill(status, `Comparing with the memory: ${count(done)} of ${count(total)} segments …`),
    );
    this.figures.showAnalysis(id, name, (await get(this.path(id, "analysis"))).rows);
  }

  async rename(id, name) {
    const found = await ask({ title: "Rename the document", fields: [{ name: "name", label: "Name", value: name }] });
    if (found) await patch(this.path(id), { name: found.name });
  }

  async assign(id, name, assignee) {
    const found = await ask({
      title: `Assign ${name}`,
      text: "Leave the name empty to assign it to nobody; leave the numbers empty to assign all segments.",
      fields: [
        { name: "assignee", label: "Person", value: assignee ?? "", required: false, choices: this.people },
        { name: "first", label: "From segment", type: "number", min: 1, required: false },
        { name: "last", label: "To segment", type: "number", min: 1, required: false },
      ],
      button: "Assign",
    });
    if (!found) return;
    const range = assignedRange(found);
    const { segments } = await post(this.path(id, "assign"), { assignee: found.assignee || null, ...range });
    if (!range) await patch(this.path(id), { assignee: found.assignee || null });
    notify(`Assigned ${counted(segments, "segment")}.`);
  }

  async remove(id, name) {
    const text = "The document and its drafts are deleted. What was learned from it stays learned.";
    if (await ask({ title: `Delete ${name}?`, text, button: "Delete" })) await remove(this.path(id));
  }

  // ── The project ──────────────────────────────────────────────────────────────────────────────────────────────────

  ownership() {
    const { name } = this.project;
    const run = (what) => () => what().catch(notifyError);
    return h(
      "p",
      { class: "line" },
      h("button", { onclick: run(() => this.renameProject(name)) }, "Rename project"),
      h("button", { onclick: run(() => this.removeProject(name)) }, "Delete project"),
    );
  }

  async renameProject(name) {
    const fields = [{ name: "name", label: "Name", value: name, maxlength: 64 }];
    const found = await ask({ title: "Rename the project", fields });
    const wanted = found && projectName(found.name);
    if (!wanted || wanted === name) return;
    await patch(inside(name), { name: wanted });
    location.hash = `#/${encodeURIComponent(wanted)}`;
  }

  async removeProject(name) {
    const pattern = name.replaceAll(/[^\w]/g, "\\$&");
    const fields = [{ name: "name", label: "Type the name of the project", pattern }];
    const text = "Its documents and everything it has learned leave the server. The administrator can bring it back.";
    if (!(await ask({ title: `Delete ${name}?`, text, fields, button: "Delete" }))) return;
    await remove(inside(name));
    location.hash = "#/";
  }
}

/** From which segment to which, as somebody has filled in one or both numbers; null for all. */
export function assignedRange({ first, last }) {
  if (!first && !last) return null;
  return { first: Number(first || 1), last: Number(last || first) };
}

const NAMES = { new: "new", translated: "draft", confirmed: "confirmed", locked: "locked" };

