// The projects and their documents: open one, upload a file, download it, create a project.

import { get, inside, post } from "./api.js";
import { count, fill, h } from "./dom.js";
import { download, editedIn } from "./download.js";
import { ENGINES } from "./engine.js";
import { notify, notifyError, sentence } from "./notices.js";
import { codeOf, language, languages, projectName } from "./text.js";
import { addressAfter, endings, upload } from "./upload.js";
import { may, mayCreate } from "./who.js";

const LANGUAGE = { list: "languages", autocomplete: "off", title: "a language, or its code, such as pt-BR" };
const dropHint = () => h("span", { class: "nothing" }, "or drop them here");

export class Overview {
  constructor() {
    this.list = h("div", { class: "projects" });
    this.element = h("div", { class: "overview" }, h("h1", {}, "Projects"), this.list);
  }

  async start() {
    const [projects, engines] = await Promise.all([get("projects"), mayCreate() ? get("engines") : []]);
    const cards = await Promise.all(projects.map((project) => this.card(project)));
    this.cards = cards.filter((card) => card.dataset.project);
    fill(this.list, cards, mayCreate() && this.creation(projects, engines));
  }

  async card(project) {
    if (project.problem) return this.unopened(project);
    const documents = await get(inside(project.name, "documents")),
      { teach: edits } = may(project.role);
    const status = h("p", { class: "nothing", role: "status" });
    const file = h("input", {
      type: "file",
      class: "unseen",
      accept: await endings(),
      multiple: true,
      onchange: () => this.upload(project, file, status),
    });
    return h(
      "section",
      { class: "card project", "aria-label": project.name, "data-project": edits && project.name },
      h("h2", {}, h("a", { href: `#/${encodeURIComponent(project.name)}` }, project.name)),
      h(
        "p",
        { class: "tongue" },
        `${language(project.source)} → ${language(project.target)}`,
      ),
      h(
        "ul",
        { class: "rows" },
        documents.map((each) => this.document(project, each)),
      ),
      !documents.length && h("p", { class: "nothing" }, "No documents yet."),
      edits && h("p", { class: "line" }, h("label", { class: "button" }, "Add files", file), dropHint()),
      status,
    );
  }

  unopened({ name, problem: { what, remedy } }) {
    const why = sentence(`cannot open this project: ${what}${remedy ? `; ${remedy}` : ""}`);
    return h("section", { class: "card project", "aria-label": name }, h("h2", {}, name), h("p", {}, why));
  }

  document(project, { id, name, states }) {
    const all = Object.values(states).reduce((one, other) => one + other, 0),
      done = states.confirmed + states.locked,
      fetch = () => this.download(project, { id, name }).catch(notifyError);
    return h(
      "li",
      { class: "row" },
      h("a", { href: `#/${encodeURIComponent(project.name)}/${id}` }, name),
      h(
        "span",
        { class: "row" },
        h("progress", { max: Math.max(all, 1), value: done, "aria-label": `${done} of ${all} confirmed` }),
        h("span", { class: "time" }, `${count(done)} of ${count(all)}`),
        h("button", { class: "small", onclick: fetch }, "Download"),
      ),
    );
  }

  async download(project, document) {
    const segment = await download(project.name, document, await editedIn(project.name, document.id));
    if (segment) location.hash = `#/${encodeURIComponent(project.name)}/${document.id}/${segment}`;
  }

  async upload(project, input, status) {
    const files = [...input.files];
    input.value = ""; // else the browser reports nothing when the same file is chosen again, repaired
    await this.take(project.name, files, status);
  }

  /** Upload files to a project; a single one is opened, several are shown in the project. */
  async take(project, files, status) {
    const document = files.length ? await upload(project, files, status) : null;
    if (document) location.hash = addressAfter(project, files, document);
  }

  /** Files were dropped: on a project, or anywhere if there is only one. */
  drop(files, target) {
    const card = target.closest?.("[data-project]") ?? (this.cards.length === 1 ? this.cards[0] : null);
    if (!card) return notify("Drop the file on one of the projects.");
    return this.take(card.dataset.project, files, card.querySelector("[role=status]"));
  }

  creation(projects, engines) {
    const engine = h("select", { name: "upstream" });
    const offer = () => {
      const [source, target] = ["source", "target"].map((each) => codeOf(form.elements[each].value)?.split("-")[0]);
      const fitting = engines.filter((each) => each.source === source && each.target === target);
      const size = ({ bytes }) => `${Math.round(bytes / 1e6)} MB`;
      const option = (each) => h("option", { value: each.name }, `${each.name.slice(7)}: neural, on this machine, ${size(each)}`);
      engine.replaceChildren(...fitting.map(option), h("option", { value: "" }, ENGINES[""]));
    };
    const field = (name, text, options) => h("label", {}, text, h("input", { name, required: true, ...options }));
    const form = h(
      "form",
      { class: "card project", "aria-label": "New project", oninput: (event) => event.target !== engine && offer(), onsubmit: (event) => this.create(event, form) },
      h("h2", {}, projects.length ? "New project" : "Create your first project"),
      h(
        "div",
        { class: "fields" },
        field("name", "Name", { maxlength: 64, autocomplete: "off" }),
        field("source", "From", { value: "English", ...LANGUAGE }),
        field("target", "To", { value: "Spanish", ...LANGUAGE }),
        h("label", {}, "Engine", engine),
      ),
      h("datalist", { id: "languages" }, languages().map(([code, name]) => h("option", { value: name }, code))),
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", name: "sample" }),
        "Start with the sample, an untranslated English manual of 711 segments",
      ),
      h("button", {}, "Create"),
    );
    offer();
    return form;
  }

  async create(event, form) {
    event.preventDefault();
    const { sample, ...given } = Object.fromEntries(new FormData(form));
    const wanted = { name: projectName(given.name), source: codeOf(given.source), target: codeOf(given.target), upstream: given.upstream || null };
    const unknown = ["source", "target"].find((each) => !wanted[each]);
    if (unknown) return notify(`“${given[unknown]}” is not a language that is known here: choose one of the list, or enter its code.`, { kind: "problem" });
    if (!wanted.name) return notify("A name needs a letter or a digit.", { kind: "problem" });
    try {
      await post("projects", { ...wanted, sample: Boolean(sample) });
      if (sample) location.hash = `#/${encodeURIComponent(wanted.name)}/1`;
      else await this.start();
    } catch (error) {
      notifyError(error);
    }
  }

  stop() {}
}
