// Downloading a document: a report first, if there is anything to know about the file, then the file.

import { finished, get, inside, post, request } from "./api.js";
import { count, counted, h } from "./dom.js";
import { Drafts } from "./drafts.js";
import { notify, sentence } from "./notices.js";

const LISTED = 30; // findings that the report shows; the filter shows all of them

/** What somebody should know before the file is written: groups with a title and the segments concerned. Nothing is
 *  said of segments that are merely not done yet; the progress says that. */
export function concerns({ not_delivered: missing = [], findings = [] }, edited) {
  const groups = [],
    unwritable = new Set(findings.filter(({ severity }) => severity === "error").map(({ segment }) => segment)),
    lost = missing.filter(({ state, segment }) => state === "confirmed" || unwritable.has(segment));
  const group = (title, rows) => rows.length && groups.push({ title, rows });
  group(
    "Changed since confirmed: the file would have the older text",
    edited.map((segment) => ({ segment, what: "" })),
  );
  group(`Not written into the file (${count(lost.length)})`, lost);
  const open = findings.filter(({ accepted, severity }) => !accepted && severity !== "error");
  group(`Worth a look (${count(open.length)})`, open);
  return groups;
}

/** Ask about what the report says; resolves to "download", to the number of a segment to open, or to null. */
export function askAbout(name, groups) {
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
    const section = ({ title, rows }) => {
      const more = rows.length > LISTED && h("p", { class: "nothing" }, `and ${count(rows.length - LISTED)} more`);
      return h("section", {}, h("h3", {}, title), h("ul", {}, rows.slice(0, LISTED).map(row)), more);
    };
    const dialog = h(
      "dialog",
      { class: "sheet report", "aria-labelledby": "report-title" },
      h("h2", { id: "report-title" }, `Before you download ${name}`),
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
  const groups = concerns(await get(inside(project, `documents/${id}/report`)), [...edited]);
  if (groups.length) {
    const chosen = await askAbout(name, groups);
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
