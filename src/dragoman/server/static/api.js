// Requests to the server. `Unavailable` means try again later; `Refused` is a no, with its reason.

export class Unavailable extends Error {}

export class Refused extends Error {
  constructor(status, { what, remedy, ...more }) {
    super(remedy ? `${what}; ${remedy}` : what);
    Object.assign(this, { status, what, remedy, more });
  }
}

const KEY = "dragoman:key";
export const key = () => sessionStorage.getItem(KEY);
export const setKey = (value) => sessionStorage.setItem(KEY, value);

/** The path of something in a project. */
export const inside = (project, rest = "") => `projects/${encodeURIComponent(project)}${rest && `/${rest}`}`;

export async function ask(method, path, body, { raw = false } = {}) {
  const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`api/v1/${path}`, {
      method,
      headers,
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
  } catch {
    throw new Unavailable("the server cannot be reached");
  }
  if (answer.status === 503 || answer.status === 429 || answer.status === 502) throw new Unavailable("the server is busy");
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, said.error ?? { what: `the server answered ${answer.status}` });
  }
  return answer.status === 204 ? null : answer;
}

export const get = async (path) => (await ask("GET", path)).json();
export const post = async (path, body) => (await ask("POST", path, body)).json();
export const put = async (path, body) => (await ask("PUT", path, body))?.json();
export const remove = (path) => ask("DELETE", path);

/** Whether all projects are open and everything is compiled; null if the server is not there. */
export async function ready() {
  try {
    return (await fetch("ready")).ok;
  } catch {
    return null;
  }
}

/** Wait for a job of a project; tells how far it is. */
export async function finished(project, job, tell = () => {}) {
  while (job.state === "waiting" || job.state === "running") {
    tell(job);
    await new Promise((resolve) => setTimeout(resolve, 150));
    job = await get(inside(project, `jobs/${job.id}`));
  }
  if (job.state === "failed") throw new Refused(400, job.error);
  return job;
}
