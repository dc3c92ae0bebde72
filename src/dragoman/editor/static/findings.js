// What the checks find in the text as it is now: a quiet list below the editor, and marks in the text.

import { inside, post, put, remove } from "./api.js";
import { ask } from "./dialog.js";
import { fill, h } from "./dom.js";
import { notifyError, sentence } from "./notices.js";
import { unit } from "./text.js";

const QUIET = 350; // milliseconds without a key before a text is checked
const NAMES = { error: "cannot be delivered", question: "please check", warning: "warning" };

/** Where findings are in a text: from and to in UTF-16 units, and how severe; those at no place are left out. */
export const places = (findings, text) =>
  findings
    .filter(({ start, end, accepted }) => !accepted && start !== null && start !== undefined && end > start)
    .map(({ start, end, severity }) => ({ from: unit(text, start), to: unit(text, end), severity }));

/** What a finding says is missing, if it is a piece of the source that can be put in. */
export function piece({ check, start, source_start: from, source_end: to }, source) {
  const insertable = check === "placeholders" || check === "tags" || check === "numbers";
  if (!insertable || (start !== null && start !== undefined) || !(to > from)) return null;
  return source.slice(unit(source, from), unit(source, to));
}

export class Findings {
  /** `insert(text)` is called to put in what is missing, `mark(ranges)` to mark places in the text. */
  constructor(project, { insert, mark }) {
    Object.assign(this, { project, insert, mark, latest: null, segment: null });
    this.element = h("div", { class: "findings", "aria-label": "Checks", role: "group" });
  }

  path(rest) {
    const { document, number } = this.segment;
    return inside(this.project, `documents/${document}/segments/${number}/${rest}`);
  }

  /** Another segment is open. */
  begin(segment) {
    this.segment = segment;
    this.show([], "");
  }

  /** The text is different now: check it once nobody is typing. */
  changed(text) {
    clearTimeout(this.timer);
    if (!text.trim() || this.segment.state === "locked") return this.show([], text);
    this.timer = setTimeout(() => this.check(text).catch(() => {}), QUIET);
  }

  async check(text) {
    const request = (this.latest = {}),
      { segment } = this;
    const { findings } = await post(this.path("check"), { target: text });
    if (this.latest === request && this.segment === segment) this.show(findings, text);
  }

  show(findings, text) {
    const ranges = places(findings, text);
    if (ranges.length || this.marked) this.mark(ranges);
    Object.assign(this, { latest: null, text, marked: ranges.length > 0 });
    const rows = findings.map((each) => this.row(each));
    fill(this.element, rows.length > 0 && h("ul", {}, rows));
  }

  row(finding) {
    const { check, severity, what, accepted } = finding;
    const lost = piece(finding, this.segment.source);
    const button = (label, about, act) => h("button", { class: "small edits", "aria-label": about, onclick: act }, label);
    return h(
      "li",
      { class: `finding ${accepted ? "accepted" : severity}` },
      h("span", { class: "unseen" }, `${accepted ? "accepted" : NAMES[severity]}: `),
      h("span", { class: "what" }, sentence(what)),
      accepted?.reason && h("span", { class: "time" }, `accepted: ${accepted.reason}`),
      lost && button("Insert", `Insert ${lost}`, () => this.insert(lost)),
      accepted
        ? button("Take back", `Take back: ${what}`, () => this.accept(check, false))
        : severity !== "error" && button("Accept", `Accept: ${what}`, () => this.accept(check, true, what)),
    );
  }

  /** Accept what a check finds in this segment, with a reason, or take that back. */
  async accept(check, accepted, what) {
    const fields = [{ name: "reason", label: "Reason (optional)", required: false, maxlength: 500 }];
    const given = accepted && (await ask({ title: "Accept this", text: sentence(what), fields, button: "Accept" }));
    if (accepted && !given) return;
    try {
      if (accepted) await put(this.path("accepted"), { check, reason: given.reason });
      else await remove(this.path(`accepted?check=${check}`));
      await this.check(this.text);
    } catch (error) {
      notifyError(error);
    }
  }

  stop() {
    clearTimeout(this.timer);
    this.latest = null;
  }
}
