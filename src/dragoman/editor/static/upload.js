// Uploading files to a project: each becomes a document.

import { finished, get, inside, request } from "./api.js";
import { counted, fill } from "./dom.js";
import { notify, notifyError } from "./notices.js";

let known = null;

/** The endings of the files that can be translated, for `accept`. */
export async function endings() {
  known ??= get("formats").then((found) => found.endings.join(","));
  return known;
}

/** Where to go after files were added: one is opened, of several the project shows all. */
export const addressAfter = (project, files, document) =>
  `#/${encodeURIComponent(project)}${files.length === 1 ? `/${document}` : ""}`;

/** Upload files one after the other; the number of the last document, or null. `status` shows the progress. */
export async function upload(project, files, status) {
  let last = null;
  for (const file of files) {
    try {
      last = await uploadOne(project, file, status);
    } catch (error) {
      notifyError(Object.assign(new Error(`${file.name}: ${error.message}`)));
    }
  }
  fill(status);
  return last;
}

async function uploadOne(project, file, status) {
  fill(status, `Reading ${file.name} …`);
  const place = inside(project, `imports?learn=true&name=${encodeURIComponent(file.name)}`);
  const sent = await request("POST", place, file, { raw: true });
  const job = await finished(
    project,
    await sent.json(),
    ({ done, total }) => total && fill(status, `Learning confirmed segments: ${done} of ${total}`),
  );
  if (job.left_out.length) {
    const some = counted(job.left_out.length, "confirmed segment"),
      which = job.left_out.slice(0, 5).map(({ segment, what }) => `segment ${segment}: ${what}`);
    const more = job.left_out.length > 5 ? " …" : "";
    notify(`${file.name}: not learned from ${some}, ${which.join("; ")}${more}.`, { kind: "problem", stay: true });
  }
  for (const warning of job.warnings) notify(`${file.name}: ${warning}.`, { stay: true });
  return job.document;
}
