import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "./support.mjs";

const { clock, speed, spread } = await page("timeline");

test("times are shown as on a film", () => {
  assert.deepEqual([0, 62.5, 3602.04, 59.96].map(clock), ["0:00.0", "1:02.5", "1:00:02.0", "1:00.0"]);
});

test("the reading speed is that of all cues of a sentence", () => {
  const cues = [{ start: 1, end: 3 }, { start: 3, end: 5 }];
  assert.deepEqual(speed(40, cues, 80), { perSecond: 10, tooFast: false });
  assert.deepEqual(speed(100, cues, 80), { perSecond: 25, tooFast: true });
  assert.equal(speed(10, [{ start: 2, end: 2 }], null), null);
});

test("cues are spread over the line from the first to the last", () => {
  const blocks = [{ cues: [{ start: 10, end: 12 }] }, { cues: [{ start: 15, end: 20 }] }];
  assert.deepEqual(spread(blocks), [[{ left: 0, width: 20 }], [{ left: 50, width: 50 }]]);
});
