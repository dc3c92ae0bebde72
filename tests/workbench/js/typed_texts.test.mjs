import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshStorage, page, serve, settled, startClock, stopClock, wait } from "./support.mjs";

const { TypedTexts } = await page("typed_texts");
const targets = (requests) => requests.map(({ body }) => body.target);

beforeEach(() => {
  freshStorage();
  stopClock();
});
afterEach(startClock);

test("a text that stands for a second is sent to the versions of its segment", async () => {
  const requests = serve(() => ({ status: 204 }));
  const typed = new TypedTexts("manual");
  for (const text of ["A", "Ab", "Abra"]) (typed.typed(1, 4, text), wait(300));
  assert.deepEqual(requests, []);
  wait(1000);
  await settled();
  assert.deepEqual(requests, [
    { method: "POST", path: "projects/manual/documents/1/segments/4/versions", body: { target: "Abra" } },
  ]);
});

test("who types without a pause is not waited for", async () => {
  const requests = serve(() => ({ status: 204 }));
  const typed = new TypedTexts("manual");
  for (let n = 1; n <= 12; n += 1) (typed.typed(1, 4, "a".repeat(n)), wait(500));
  await settled();
  assert.equal(requests.length, 1);
});

test("another segment does not push out what was typed in the last one", async () => {
  const requests = serve(() => ({ status: 204 }));
  const typed = new TypedTexts("manual");
  typed.typed(1, 4, "Abra");
  typed.typed(1, 5, "Cierre");
  typed.keep(1, 6, "Limpie");
  await settled();
  assert.deepEqual(targets(requests).toSorted(), ["Abra", "Cierre", "Limpie"]);
  assert.equal(requests.length, 3);
});

test("what an unreachable server did not get is sent later, in order", async () => {
  let away = true;
  const requests = serve(() => (away ? new TypeError("away") : { status: 204 }));
  const typed = new TypedTexts("manual");
  typed.keep(1, 4, "Abra");
  await settled();
  typed.keep(1, 4, "Cierre");
  await settled();
  away = false;
  requests.length = 0;
  wait(3000);
  await settled();
  await settled();
  assert.deepEqual(targets(requests), ["Abra", "Cierre"]);
});

test("blank texts are not worth keeping", async () => {
  const requests = serve(() => ({ status: 204 }));
  const typed = new TypedTexts("manual");
  typed.typed(1, 4, "  ");
  typed.keep(1, 4, "");
  wait(2000);
  await settled();
  assert.deepEqual(requests, []);
});
