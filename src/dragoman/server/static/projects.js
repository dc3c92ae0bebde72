// The projects and their documents: open one, upload a file, download it, create a project.

import { finished, get, inside, post, request } from "./api.js";
import { count, counted, fill, h } from "./dom.js";
import { download, editedIn } from "./downloading.js";
import { notify, notifyError, sentence } from "./notices.js";
import { language } from "./text.js";

const ENDINGS = ".xlf,.xliff,.sdlxliff,.mqxliff,.mxliff,.tmx,.po,.pot,.tsv,.tab,.txt";
const MAY = { learn: true, admin: true };

export class Overview {
  constructor() {
    this.list = h("div", { class: "projects" });
    this.element = h("div", { class: "overview" }, h("h1", {}, "Projects"), this.list);
  }

  async start() {
    const projects = await get("projects");
    const cards = await Promise.all(projects.map((project) => this.card(project)));
    const allowed = !projects.length || projects.some((project) => project.role === "admin");
    fill(this.list, cards, allowed && this.creation(projects));
  }

  async card(project) {
    if (project.problem) return this.unopened(project);
    const documents = await get(inside(project.name, "documents"));
    const status = h("p", { class: "nothing", role: "status" });
    const file = h("input", {
      type: "file",
      class: "unseen",
      accept: ENDINGS,
      onchange: () => this.upload(project, file, status),
    });
    return h(
      "section",
      { class: "card project", "aria-label": project.name },
      h("h2", {}, project.name),
      h(
        "p",
        { class: "tongue" },
        `${language(project.source)} → ${language(project.target)} · `,
        `${counted(project.revision, "entry", "entries")} in the journal`,
      ),
      h(
        "ul",
        { class: "rows" },
        documents.map((each) => this.document(project, each)),
      ),
      !documents.length && h("p", { class: "nothing" }, "No documents yet."),
      MAY[project.role] && h("label", { class: "button" }, "Add file", file),
      status,
    );
  }

  unopened({ name, problem: { what, remedy } }) {
    const why = sentence(`cannot open this project: ${what}${remedy ? `; ${remedy}` : ""}`);
    return h("section", { class: "card project", "aria-label": name }, h("h2", {}, name), h("p", {}, why));
  }

  document(project, { id, name, states }) {
    const all = Object.values(states).reduce((one, other) => one + other, 0),
      done = states.confirmed + states.locked;
    return h(
      "li",
      { class: "row" },
      h("a", { href: `#/${encodeURIComponent(project.name)}/${id}` }, name),
      h(
        "span",
        { class: "row" },
        h("progress", { max: Math.max(all, 1), value: done, "aria-label": `${done} of ${all} confirmed` }),
        h("span", { class: "time" }, `${count(done)} of ${count(all)}`),
        h("button", { class: "small", onclick: () => this.download(project, { id, name }).catch(notifyError) }, "Download"),
      ),
    );
  }

  async download(project, document) {
    const segment = await download(project.name, document, await editedIn(project.name, document.id));
    if (segment) location.hash = `#/${encodeURIComponent(project.name)}/${document.id}/${segment}`;
  }

  async upload(project, input, status) {
    const [file] = input.files;
    if (!file) return;
    fill(status, `Reading ${file.name} …`);
    input.value = ""; // else the browser reports nothing when the same file is chosen again, repaired
    try {
      const sent = await request(
        "POST",
        inside(project.name, `imports?learn=true&name=${encodeURIComponent(file.name)}`),
        file,
        { raw: true },
      );
      const job = await finished(
        project.name,
        await sent.json(),
        ({ done, total }) => total && fill(status, `Learning confirmed segments: ${done} of ${total}`),
      );
      if (job.left_out.length)
        notify(`Not learned: ${counted(job.left_out.length, "confirmed segment")}, as the translation looks wrong.`, {
          kind: "problem",
        });
      location.hash = `#/${encodeURIComponent(project.name)}/${job.document}`;
    } catch (error) {
      fill(status);
      notifyError(error);
    }
  }

  creation(projects) {
    const field = (name, text, options) => h("label", {}, text, h("input", { name, required: true, ...options }));
    const form = h(
      "form",
      { class: "card project", "aria-label": "New project", onsubmit: (event) => this.create(event, form) },
      h("h2", {}, projects.length ? "New project" : "Create your first project"),
      h(
        "div",
        { class: "fields" },
        field("name", "Name", {
          pattern: "[a-z0-9][a-z0-9_\\-]{0,63}",
          title: "lower-case letters, digits, - and _",
          autocomplete: "off",
        }),
        field("source", "From", {
          value: "en",
          size: 6,
          pattern: "[A-Za-z]{2,8}([_\\-][A-Za-z0-9]{1,8})*",
          title: "language code, such as en or pt-BR",
        }),
        field("target", "To", {
          value: "es",
          size: 6,
          pattern: "[A-Za-z]{2,8}([_\\-][A-Za-z0-9]{1,8})*",
          title: "language code, such as en or pt-BR",
        }),
      ),
      h(
        "label",
        { class: "check" },
        h("input", { type: "checkbox", name: "sample" }),
        "Start with the sample, an untranslated English manual of 711 segments",
      ),
      h("button", {}, "Create"),
    );
    return form;
  }

  async create(event, form) {
    event.preventDefault();
    const { sample, ...wanted } = Object.fromEntries(new FormData(form));
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
