// Requests to the server. `Unavailable` means try again later; `Refused` is a no, with its reason and its code.

export class Unavailable extends Error {}

export class Refused extends Error {
  constructor(status, { what, remedy, ...more }) {
    super(remedy ? `${what}; ${remedy}` : what);
    Object.assign(this, { status, what, remedy, more, code: more.code ?? null });
  }
}

const BUSY = new Set([429, 502, 503]);
const KEY = "dragoman:key";
export const key = () => sessionStorage.getItem(KEY);
export const setKey = (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY));

let askForKey = null;

/** `ask(error)` is called when the server wants another key: it resolves to whether there is one now. */
export function onKeyRequired(ask) {
  askForKey = ask;
}

/** The path of something in a project. */
export const inside = (project, rest = "") => `projects/${encodeURIComponent(project)}${rest && `/${rest}`}`;

/** Send a request; if its key is missing or no longer valid, ask for another one and send it again. */
export async function request(method, path, body, options = {}) {
  try {
    return await send(method, path, body, options);
  } catch (error) {
    if (error.status !== 401 || !askForKey || !(await askForKey(error))) throw error;
    return request(method, path, body, options);
  }
}

async function send(method, path, body, { raw = false, keepalive = false }) {
  const headers = key() ? { Authorization: `Bearer ${key()}` } : {};
  if (body !== undefined && !raw) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(`api/v1/${path}`, {
      method,
      headers,
      keepalive,
      body: body === undefined || raw ? body : JSON.stringify(body),
    });
  } catch {
    throw new Unavailable("cannot reach the server");
  }
  if (BUSY.has(answer.status)) throw new Unavailable("the server is busy");
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw new Refused(answer.status, said.error ?? { what: `the server answered ${answer.status}` });
  }
  return answer.status === 204 ? null : answer;
}

export const get = async (path) => (await request("GET", path)).json();
export const post = async (path, body) => (await request("POST", path, body)).json();
export const put = async (path, body) => (await request("PUT", path, body))?.json();
export const patch = async (path, body) => (await request("PATCH", path, body))?.json();
export const remove = (path) => request("DELETE", path);

const PAUSES = [150, 300, 1000, 3000]; // milliseconds before a job is asked about, and again if there is no answer

/** Wait for a job of a project; `progress(job)` is called meanwhile. A server that is out of reach or busy for a while
 *  is asked again: the job goes on there, and its end is to be seen. */
export async function finished(project, job, progress = () => {}) {
  for (let tries = 0; job.state === "waiting" || job.state === "running"; ) {
    progress(job);
    await new Promise((resolve) => setTimeout(resolve, PAUSES[Math.min(tries, PAUSES.length - 1)]));
    try {
      job = await get(inside(project, `jobs/${job.id}`));
      tries = 0;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      tries += 1;
    }
  }
  if (job.state === "failed") throw Object.assign(new Refused(400, job.error), { job });
  return job;
}
