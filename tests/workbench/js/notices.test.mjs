import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshDocument, page, startClock, stopClock, wait } from "./support.mjs";

const { notify, notifyError, sentence, showStatus } = await page("notices");
let notices, status;
const texts = () => notices.all("p").map((each) => each.textContent);

beforeEach(() => {
  ({ notices, status } = freshDocument("notices", "status"));
  stopClock();
});
afterEach(startClock);

test("a notice goes away by itself", () => {
  notify("Connected again.");
  assert.deepEqual(texts(), ["Connected again."]);
  wait(6000);
  assert.deepEqual(texts(), []);
});

test("a notice that waits for an answer stays until it is answered", () => {
  let answered = 0;
  notify("Conflict.", { choices: [["Use theirs", () => (answered += 1)]], stay: true });
  wait(60_000);
  notices.all("button")[0].click();
  assert.deepEqual([answered, texts()], [1, []]);
});

test("a notice can be dismissed without an answer", () => {
  let answered = 0;
  notify("Conflict.", { choices: [["Use theirs", () => (answered += 1)]], stay: true });
  notices.all("button")[1].click();
  assert.deepEqual([answered, texts()], [0, []]);
});

test("of two notices about the same thing the newer one stays", () => {
  notify("First.", { name: "1:4" });
  notify("Other.", { name: "1:5" });
  notify("Second.", { name: "1:4" });
  assert.deepEqual(texts(), ["Other.", "Second."]);
});

test("there are at most four notices", () => {
  for (const n of [1, 2, 3, 4, 5]) notify(`Notice ${n}.`);
  assert.deepEqual(texts(), ["Notice 2.", "Notice 3.", "Notice 4.", "Notice 5."]);
});

test("a notice that waits for an answer does not go for others", () => {
  notify("Conflict.", { stay: true });
  for (const n of [1, 2, 3, 4, 5]) notify(`Notice ${n}.`);
  assert.deepEqual(texts(), ["Conflict.", "Notice 3.", "Notice 4.", "Notice 5."]);
});

test("an error is shown as a sentence", () => {
  notifyError(new Error("the server is busy"));
  assert.deepEqual(texts(), ["The server is busy."]);
  assert.equal(sentence("Really?"), "Really?");
});

test("the status says nothing while all is well", () => {
  showStatus("online", 0);
  assert.equal(status.textContent, "");
});

test("the status counts changes that are not saved yet", () => {
  showStatus("online", 1);
  assert.equal(status.textContent, "Saving 1 change …");
  showStatus("away", 2);
  assert.equal(status.textContent, "Server unavailable. Your work is kept here and sent when it is back. (2 changes waiting)");
  showStatus("slow", 0);
  assert.equal(status.textContent, "The server is slow to respond …");
});
