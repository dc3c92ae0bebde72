import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshStorage, page, serve, settled, startClock, stopClock, wait } from "./support.mjs";

const { finished } = await page("api");

beforeEach(() => (freshStorage(), stopClock()));
afterEach(startClock);

const running = { id: "a", state: "running", done: 1, total: 9 };

/** The end of a job, while the server answers as told; pauses take no time. */
async function end(...answers) {
  serve(() => answers.shift());
  let over = false;
  const ended = finished("manual", running);
  ended.catch(() => {}).then(() => (over = true));
  for (let n = 0; n < 50 && !over; n += 1) {
    await settled();
    wait(5000);
  }
  return ended;
}

test("the end of a job is seen although the server could not be reached meanwhile, or was busy", async () => {
  const done = { ...running, state: "done", count: 9 };
  const busy = { status: 503, error: { what: "busy" } };
  assert.deepEqual(await end(new TypeError("Failed to fetch"), busy, running, done), done);
});

test("a job that failed, or is no longer known, is an error", async () => {
  const failed = { ...running, state: "failed", count: 3, error: { what: "the disk is full" } };
  await assert.rejects(end(failed), ({ message, job }) => message === "the disk is full" && job.count === 3);
  await assert.rejects(end({ status: 404, error: { what: "no such job" } }), /no such job/);
});
