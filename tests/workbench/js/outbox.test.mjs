import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { deferred, freshStorage, page, serve, settled, startClock, stopClock, wait } from "./support.mjs";

const { Outbox } = await page("outbox");
const confirmed = (target, version = 1) => ({ target, state: "confirmed", version });

let events, outbox;

function fresh() {
  events = { saved: [], refused: [], waiting: [] };
  return new Outbox("manual", {
    saved: (segment) => events.saved.push(segment),
    refused: (item, error) => events.refused.push([item.change.target, error.message]),
    waiting: (count) => events.waiting.push(count),
  });
}

const accept = (method, path, { target, version }) => {
  const [, document, number] = /documents\/(\d+)\/segments\/(\d+)$/.exec(path).map(Number);
  return { document, number, target, version: version + 1 };
};

const targets = (requests) => requests.map(({ body }) => body.target);

beforeEach(() => {
  freshStorage();
  stopClock();
  outbox = fresh();
});
afterEach(startClock);

test("a change is sent, acknowledged and forgotten", async () => {
  const requests = serve(accept);
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  assert.deepEqual(requests, [
    { method: "PUT", path: "projects/manual/documents/1/segments/4", body: confirmed("Abra la tapa.") },
  ]);
  assert.equal(events.saved[0].number, 4);
  assert.deepEqual(outbox.all(), []);
  assert.deepEqual(events.waiting, [0]);
});

test("changes are sent one at a time, in the order they were made", async () => {
  const first = deferred();
  const requests = serve(async (...sent) => (await first.promise, accept(...sent)));
  outbox.add(1, 9, confirmed("uno"));
  const done = outbox.add(1, 2, confirmed("dos"));
  await settled();
  assert.deepEqual(targets(requests), ["uno"]);
  first.resolve();
  await done;
  assert.deepEqual(targets(requests), ["uno", "dos"]);
});

test("an unreachable server is tried again after a pause, and the change is kept", async () => {
  let reachable = false;
  const requests = serve((...sent) => (reachable ? accept(...sent) : new TypeError("Failed to fetch")));
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  assert.deepEqual(events.waiting, [1]);
  assert.equal(outbox.get(1, 4).change.target, "Abra la tapa.");
  reachable = true;
  wait(300);
  await outbox.sending;
  assert.deepEqual(targets(requests), ["Abra la tapa.", "Abra la tapa."]);
  assert.deepEqual(outbox.all(), []);
});

test("a busy server is tried again as well", async () => {
  serve(() => ({ status: 503, error: {} }));
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  assert.equal(outbox.all().length, 1);
  assert.deepEqual(events.refused, []);
});

test("what the server refuses is reported and not sent again", async () => {
  const requests = serve((...sent) => (sent[2].target === "mal" ? { status: 409, error: { what: "conflict" } } : accept(...sent)));
  outbox.add(1, 1, confirmed("mal"));
  await outbox.add(1, 2, confirmed("bien"));
  await outbox.sending;
  assert.deepEqual(events.refused, [["mal", "conflict"]]);
  assert.deepEqual(targets(requests), ["mal", "bien"]);
  assert.deepEqual(outbox.all(), []);
});

test("a newer text survives the refusal of the one before it", async () => {
  const answer = deferred();
  const requests = serve(async (...sent) => (sent[2].target === "mal" ? await answer.promise : accept(...sent)));
  outbox.add(1, 1, confirmed("mal"));
  await settled();
  const done = outbox.add(1, 1, confirmed("bien"));
  answer.resolve({ status: 400, error: { what: "too long" } });
  await done;
  assert.deepEqual(targets(requests), ["mal", "bien"]);
});

test("a newer text made in the same millisecond is sent too", async () => {
  const first = deferred();
  const requests = serve(async (...sent) => (await first.promise, accept(...sent)));
  outbox.add(1, 4, confirmed("vieja"));
  await settled();
  const done = outbox.add(1, 4, confirmed("nueva"));
  first.resolve();
  await done;
  assert.deepEqual(targets(requests), ["vieja", "nueva"]);
});

test("a newer text is not in conflict with our own older one", async () => {
  const first = deferred();
  const requests = serve(async (...sent) => (await first.promise, accept(...sent)));
  outbox.add(1, 4, confirmed("vieja", 1));
  await settled();
  const done = outbox.add(1, 4, confirmed("nueva", 1));
  first.resolve();
  await done;
  assert.deepEqual(
    requests.map(({ body }) => body.version),
    [1, 2],
  );
});

test("changes left by an earlier visit are sent", async () => {
  serve(() => new TypeError("Failed to fetch"));
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  const requests = serve(accept);
  await fresh().flush();
  assert.deepEqual(targets(requests), ["Abra la tapa."]);
});

test("other projects' changes are left alone", async () => {
  serve(() => new TypeError("Failed to fetch"));
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  const requests = serve(accept);
  await new Outbox("manual2", outbox.handlers).flush();
  assert.deepEqual(requests, []);
});

test("after the storage was full and has room again, the newest text is sent", async () => {
  serve(() => new TypeError("Failed to fetch"));
  freshStorage(150);
  await outbox.add(1, 4, confirmed("corta"));
  await outbox.add(1, 4, confirmed("larga ".repeat(30)));
  await outbox.add(1, 4, confirmed("nueva"));
  const requests = serve(accept);
  await outbox.flush();
  assert.deepEqual(targets(requests), ["nueva"]);
});

test("a text that no longer fits does not leave an old one to be sent after a reload", async () => {
  serve(() => new TypeError("Failed to fetch"));
  freshStorage(150);
  await outbox.add(1, 4, confirmed("vieja"));
  await outbox.add(1, 4, confirmed("nueva ".repeat(30)));
  const requests = serve(accept);
  await fresh().flush();
  assert.deepEqual(targets(requests), []);
});

test("a change is sent even if the storage is full", async () => {
  freshStorage(0);
  const requests = serve(accept);
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  assert.deepEqual(targets(requests), ["Abra la tapa."]);
  assert.deepEqual(outbox.all(), []);
});

test("a change is sent even if the browser forbids storage", async () => {
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => {
      throw new Error("SecurityError");
    },
  });
  const requests = serve(accept);
  await outbox.add(1, 4, confirmed("Abra la tapa."));
  delete globalThis.localStorage;
  assert.deepEqual(targets(requests), ["Abra la tapa."]);
});
