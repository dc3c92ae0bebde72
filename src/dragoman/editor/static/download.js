// Downloading a document: a report first, if there is anything to know about the file, then the file.

import { finished, get, inside, post, put, request } from "./api.js";
import { count, counted, fill, h } from "./dom.js";
import { Drafts } from "./drafts.js";
import { notify, notifyError, sentence } from "./notices.js";

const LISTED = 10; // segments of a group that are named; the filter shows all of them
const FOUND = {
  tags: ["tag that differs", "tags that differ"],
  placeholders: ["placeholder that differs", "placeholders that differ"],
  untranslated: ["word not translated", "words not translated"],
  length: ["text too long", "texts too long"],
  forbidden: ["forbidden translation", "forbidden translations"],
  numbers: ["number that differs", "numbers that differ"],
  glossary: ["term not translated as the glossary says", "terms not translated as the glossary says"],
  punctuation: ["different punctuation at the end", "different punctuations at the end"],
  spaces: ["odd space", "odd spaces"],
  "same-source": ["source translated in two ways", "sources translated in two ways"],
  "same-target": ["translation of two sources", "translations of two sources"],
};

/** What somebody should know before the file is written: groups with a title and the segments concerned; those of a
 *  check have its name, and can be accepted together. */
export function concerns({ not_delivered: missing = [], findings = [] }, edited) {
  const groups = [],
    unwritable = new Set(findings.filter(({ severity }) => severity === "error").map(({ segment }) => segment)),
    lost = missing.filter(({ state, segment }) => state === "confirmed" || unwritable.has(segment));
  const group = (title, rows, check = null) => rows.length && groups.push({ title, rows, check });
  group(
    "Changed since confirmed: the file would have the older text",
    edited.map((segment) => ({ segment, what: "" })),
  );
  group(`Not written into the file (${count(lost.length)})`, lost);
  const open = findings.filter(({ accepted, severity }) => !accepted && severity !== "error");
  const byCheck = new Map();
  for (const each of open) byCheck.set(each.check, [...(byCheck.get(each.check) ?? []), each]);
  for (const [check, rows] of byCheck) group(counted(rows.length, ...(FOUND[check] ?? [check, check])), rows, check);
  return groups;
}

/** How much of a document nobody has confirmed, in words; null if all of it is. */
export function unread({ segments = 0, confirmed = 0, unconfirmed = 0 }) {
  if (!unconfirmed) return null;
  const some = unconfirmed === 1 ? "1 segment has" : `${count(unconfirmed)} segments have`;
  return `${count(confirmed)} of ${count(segments)} segments are confirmed. ${some} been read by nobody: the file gets drafts as they are, and the source where there is none.`;
}

/** Ask about what the report says; `accept(check)` accepts all that a check has found. Resolves to "download", to the
 *  number of a segment to open, or to null. */
export function askAbout(name, groups, { said = null, accept = null } = {}) {
  return new Promise((resolve) => {
    let chosen = null;
    const choose = (value) => () => ((chosen = value), dialog.close());
    const row = ({ segment, what }) =>
      h(
        "li",
        {},
        h("button", { class: "link", onclick: choose(segment) }, `Segment ${segment}`),
        what && `: ${sentence(what)}`,
      );
    const accepting = (check, title, section) =>
      h(
        "button",
        {
          class: "small",
          "aria-label": `Accept all: ${title}`,
          onclick: () => accept(check).then(() => fill(section(), h("p", { class: "nothing" }, `Accepted: ${title}.`)), notifyError),
        },
        "Accept",
      );
    const section = ({ title, rows, check }) => {
      const more = rows.length > LISTED && h("p", { class: "nothing" }, `and ${count(rows.length - LISTED)} more`);
      const listed = [h("ul", {}, rows.slice(0, LISTED).map(row)), more];
      if (!check) return h("section", {}, h("h3", {}, title), listed);
      const made = h(
        "section",
        { class: "found" },
        h("details", {}, h("summary", {}, title), listed),
        accept && accepting(check, title, () => made),
      );
      return made;
    };
    const dialog = h(
      "dialog",
      { class: "sheet report", "aria-labelledby": "report-title" },
      h("h2", { id: "report-title" }, `Before you download ${name}`),
      said && h("p", { class: "said" }, said),
      groups.map(section),
      h(
        "p",
        { class: "line" },
        h("button", { class: "main", onclick: choose("download"), autofocus: true }, "Download anyway"),
        h("button", { onclick: choose(null) }, "Cancel"),
      ),
    );
    dialog.addEventListener("close", () => (dialog.remove(), resolve(chosen)));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Report on a document and download its file; resolves to a segment that somebody wants to see instead, or null.
 *  `edited` are the segments changed since they were confirmed. */
export async function download(project, { id, name }, edited) {
  const report = await get(inside(project, `documents/${id}/report`)),
    groups = concerns(report, [...edited]),
    said = unread(report);
  const accept = (check) => put(inside(project, `documents/${id}/accepted`), { check, reason: "" });
  if (groups.length || said) {
    const chosen = await askAbout(name, groups, { said, accept });
    if (chosen !== "download") return chosen;
  }
  await fetchFile(project, id);
  return null;
}

/** Which segments of a document that is not open were changed in this browser since they were confirmed. */
export async function editedIn(project, id) {
  const drafts = new Drafts(project).all().filter((draft) => draft.document === id);
  const segments = await Promise.all(
    drafts.map(({ number }) => get(inside(project, `documents/${id}/segments/${number}`)).catch(() => null)),
  );
  const differs = (segment, n) => segment?.state === "confirmed" && segment.target !== drafts[n].text;
  return segments.filter(differs).map(({ number }) => number);
}

/** Export a document with its translations, and save the file. */
async function fetchFile(project, id) {
  const job = await finished(project, await post(inside(project, `documents/${id}/export`)));
  await save(inside(project, `jobs/${job.id}/result`));
  const left = job.left_out.map(({ segment, what }) => `segment ${segment}: ${what}`);
  if (!left.length) return;
  const some = `${left.slice(0, 5).join("; ")}${left.length > 5 ? " …" : ""}`;
  notify(`Not in the file: ${counted(left.length, "segment")}. ${sentence(some)}`, { kind: "problem", stay: true });
}

/** Save what the server has at a path as a file. */
export async function save(path, otherwise = "translation") {
  const answer = await request("GET", path);
  const name = /filename\*=UTF-8''(.*)/.exec(answer.headers.get("content-disposition"))?.[1] ?? otherwise;
  const address = URL.createObjectURL(await answer.blob());
  h("a", { href: address, download: decodeURIComponent(name) }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
