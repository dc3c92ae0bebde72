// The memory and the glossary as files: bring them in, take them out.

import { finished, inside, request } from "./api.js";
import { count, counted, fill, h } from "./dom.js";
import { save } from "./download.js";
import { notify, notifyError } from "./notices.js";

const KINDS = {
  memory: { title: "Memory", accept: ".tmx,.tsv,.tab,.xlf,.xliff,.po", files: ["tmx", "tsv"] },
  glossary: { title: "Glossary", accept: ".tbx,.tsv,.tab,.csv", files: ["tbx", "tsv", "csv"] },
};

export class Exchange {
  constructor(project, mayEdit) {
    Object.assign(this, { project, mayEdit });
    this.element = h("div", { class: "rows" }, Object.keys(KINDS).map((kind) => this.row(kind)));
  }

  row(kind) {
    const { title, accept, files } = KINDS[kind];
    const status = h("span", { class: "nothing", role: "status" });
    const bring = () => this.bring(kind, input, status);
    const input = h("input", { type: "file", class: "unseen", accept, onchange: bring });
    const out = (ending) => {
      const place = inside(this.project, `${kind}.${ending}`);
      const take = () => save(place, `${this.project}.${ending}`).catch(notifyError);
      return h("button", { class: "small", onclick: take }, `Export ${ending.toUpperCase()}`);
    };
    return h(
      "div",
      { class: "line" },
      h("strong", {}, title),
      files.map(out),
      this.mayEdit && h("label", { class: "button small" }, `Import ${kind}`, input),
      status,
    );
  }

  async bring(kind, input, status) {
    const [file] = input.files;
    if (!file) return;
    input.value = "";
    fill(status, `Reading ${file.name} …`);
    try {
      const place = `${kind}?name=${encodeURIComponent(file.name)}`;
      const answer = await (await request("POST", inside(this.project, place), file, { raw: true })).json();
      notify(kind === "memory" ? await this.learned(answer, status) : added(answer));
    } catch (error) {
      notifyError(error);
    }
    fill(status);
  }

  async learned(job, status) {
    const progress = ({ done, total }) => fill(status, `Learning: ${count(done)} of ${count(total)} …`);
    const { done, left_out: left } = await finished(this.project, job, progress);
    const rest = left.length ? ` ${counted(left.length, "pair")} left out.` : "";
    return `Learned ${counted(done - left.length, "pair")} from the file.${rest}`;
  }
}

/** What became of the terms in a file. */
export function added({ added: new_, changed, skipped }) {
  const parts = [
    `Added ${counted(new_, "term")}`,
    changed && `changed ${count(changed)}`,
    skipped.length && `skipped ${count(skipped.length)}`,
  ];
  return `${parts.filter(Boolean).join(", ")}.`;
}
