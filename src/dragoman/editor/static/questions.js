// What has to be decided about a segment before it can be confirmed. A question belongs to the text it was asked about:
// it is kept with the draft, shown when its segment is open, and gone when the text is edited or confirmed.

import { fill, h } from "./dom.js";
import { sentence } from "./notices.js";

/** What the server's refusal of a confirmation asks; null if it is not a question about the text. */
export function questionOf(error) {
  const { findings = [], reason, segment } = error.more ?? {};
  if (error.code === "held") return { kind: "held", findings };
  if (error.code === "questions") return { kind: "doubts", findings };
  if (error.more?.flagged) return { kind: "flagged", reason: reason ?? error.what };
  if (error.code === "conflict" || error.status === 409) return { kind: "conflict", theirs: segment?.target ?? null };
  return null;
}

/** A question in words: what is said, the points of a list, and the label of the button that goes on all the same. */
export function inWords({ kind, findings = [], reason, theirs }) {
  const points = findings.map(({ what }) => sentence(what));
  if (kind === "held") return { text: "Not confirmed: the file cannot hold this text.", points };
  if (kind === "doubts") return { text: "Not confirmed yet. Is this right?", points, button: "Confirm anyway" };
  if (kind === "flagged") return { text: `Not confirmed: ${reason}.`, points, button: "Confirm anyway" };
  const changed = theirs === null ? "" : ` to “${theirs}”`;
  return {
    text: `Conflict: this segment was changed in another window${changed}. Your text is kept here until you choose.`,
    points,
    button: "Use theirs",
    other: "Keep mine",
  };
}

/** What confirming anyway adds to a confirmation. */
export function insisting({ kind, findings = [] }, reason = "") {
  if (kind === "flagged") return { force: true };
  const checks = [...new Set(findings.map(({ check }) => check))];
  const force = checks.includes("untranslated"); // the guard would only ask the same again: is it a copy?
  return { accept: checks.map((check) => ({ check, reason })), ...(force && { force }) };
}

/** Whether a question is a conflict, which goes only when somebody chooses. */
export const isConflict = (question) => question?.kind === "conflict";

/** The question about the open segment, below its editor. */
export class Question {
  /** `handlers` has: insist(more) to confirm anyway, useTheirs(), keepMine(). */
  constructor(handlers) {
    Object.assign(this, { handlers, element: h("div", { class: "asked", role: "alert", hidden: true }) });
  }

  show(question) {
    this.question = question;
    if (!question && this.element.hidden) return; // as with nearly every key
    this.element.hidden = !question;
    if (!question) return void fill(this.element);
    const { text, points, button, other } = inWords(question);
    const reason = h("input", { placeholder: "Reason (optional)", "aria-label": "Reason", maxlength: 500 });
    const act = (event) => {
      event.preventDefault();
      if (question.kind === "conflict") this.handlers.useTheirs();
      else this.handlers.insist(insisting(question, reason.value.trim()));
    };
    fill(
      this.element,
      h("p", {}, text),
      points.length > 0 && h("ul", {}, points.map((each) => h("li", {}, each))),
      button && h(
          "form",
          { onsubmit: act },
          question.kind === "doubts" && reason,
          h("button", {}, button),
          other && h("button", { type: "button", onclick: () => this.handlers.keepMine() }, other),
        ),
    );
  }
}
