// Find and replace in all translations of a document: a preview of what would change, then a job with its progress.

import { finished, inside, post, remove } from "./api.js";
import { count as shown, counted, fill, h } from "./dom.js";
import { sentence } from "./notices.js";
import { marked, nothing } from "./panel.js";

const LISTED = 200; // changes that the preview shows

export class Replacing {
  /** `path` is where replacements are posted to; `done(job)` is called after they were made. */
  constructor(project, path, done) {
    Object.assign(this, { project, path, done, unticked: new Set() });
    this.results = h("div", { class: "results", "aria-live": "polite" });
    this.act = h("button", { class: "main", type: "button", disabled: true, onclick: () => this.replace() }, "Replace");
    const box = (name, text) => h("label", { class: "check" }, h("input", { type: "checkbox", name }), text);
    const field = (name, label, more) => h("label", {}, label, h("input", { name, maxlength: 1000, ...more }));
    const replacement = field("replace", "Replace with");
    this.hint = h("p", { class: "hint", hidden: true }, "Write \\1 for what the first pair of parentheses has found.");
    this.form = h(
      "form",
      { onsubmit: (event) => (event.preventDefault(), this.preview()), oninput: (event) => this.edited(event) },
      h("h2", { id: "replace-title" }, "Find and replace"),
      h("div", { class: "fields" }, field("find", "Find", { required: true, autofocus: true }), replacement),
      h("p", { class: "line" }, box("case", "Match case"), box("words", "Whole words"), box("regex", "Regular expression")),
      this.hint,
      h("p", { class: "line" }, h("button", {}, "Preview"), this.act, this.closing()),
      this.results,
    );
    this.dialog = h("dialog", { class: "sheet report", "aria-labelledby": "replace-title" }, this.form);
    this.dialog.addEventListener("close", () => this.dialog.remove());
  }

  /** Something else is asked for: what is shown is no longer what would be replaced. */
  edited({ target }) {
    if (target.name) this.act.disabled = true;
    this.hint.hidden = !this.form.elements.regex.checked;
  }

  closing() {
    return h("button", { type: "button", class: "quiet", onclick: () => this.dialog.close() }, "Close");
  }

  open(text) {
    document.body.append(this.dialog);
    this.form.elements.find.value = text;
    this.dialog.showModal();
  }

  get question() {
    const { find, replace, case: cased, words, regex } = this.form.elements;
    const how = { case: cased.checked, words: words.checked, regex: regex.checked };
    return { find: find.value, replace: replace.value, ...how };
  }

  async preview() {
    try {
      const { count, segments } = await post(this.path, { ...this.question, preview: true });
      this.unticked.clear();
      this.act.disabled = !count;
      const some = segments.length > LISTED && nothing(`The first ${LISTED} are shown; all are replaced.`);
      const found = count ? `Found in ${counted(count, "segment")}.` : "Not found.";
      const rows = segments.slice(0, LISTED).map((each) => this.row(each));
      fill(this.results, h("p", {}, found), h("ul", { class: "rows" }, rows), some);
    } catch (error) {
      this.act.disabled = true;
      fill(this.results, h("p", { class: "wrong" }, sentence(error.message)));
    }
  }

  row({ number, before, after, spans, problem }) {
    const tick = (event) => this.unticked[event.target.checked ? "delete" : "add"](number);
    const box = h("input", { type: "checkbox", checked: true, disabled: Boolean(problem), onchange: tick });
    const why = problem && h("span", { class: "wrong" }, `left as it is: ${problem}`);
    return h(
      "li",
      {},
      h("label", { class: "check" }, box, `Segment ${number}`, why),
      h("p", { class: "of" }, marked(before, spans)),
      h("p", {}, after),
    );
  }

  /** Show how far the replacement has come, and offer to stop it: what was replaced until then can be taken back. */
  progress({ id, done, total }) {
    const stop = () => remove(inside(this.project, `jobs/${id}`)).catch(() => {});
    if (!this.bar?.isConnected) {
      this.bar = h("progress", { "aria-label": "Progress" });
      this.said = h("p", { role: "status" });
      fill(this.results, this.said, this.bar, h("button", { type: "button", class: "small", onclick: stop }, "Cancel"));
    }
    Object.assign(this.bar, { max: Math.max(total, 1), value: done });
    fill(this.said, `Replacing: ${shown(done)} of ${shown(total)} segments …`);
  }

  async replace() {
    this.act.disabled = true;
    try {
      const wanted = { ...this.question, preview: false, leave: [...this.unticked] };
      const job = await post(`${this.path}/job`, wanted);
      this.done(await finished(this.project, job, (each) => this.progress(each)));
      this.dialog.close();
    } catch (error) {
      fill(this.results, h("p", { class: "wrong" }, sentence(error.message)));
      if (error.job?.count) this.done(error.job); // what was replaced until then can be taken back
    }
  }
}
