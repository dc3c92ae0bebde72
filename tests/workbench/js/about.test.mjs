import assert from "node:assert/strict";
import { test } from "node:test";
import { freshStorage, page } from "./support.mjs";

freshStorage();
globalThis.document = { baseURI: "http://x/", getElementById: () => null };
const { withSteps } = await page("about");
const typed = (target, user = "ana") => ({ action: "typed", target, user });

test("a text that was only continued is a step of the longer one", () => {
  const found = withSteps([typed("Abra la tapa"), typed("Abra la"), typed("Abra"), typed("Cierre"), typed("Cie", "bo")]);
  assert.deepEqual(
    found.map(({ target, steps }) => [target, steps]),
    [["Abra la tapa", ["Abra la", "Abra"]], ["Cierre", []], ["Cie", []]],
  );
});

test("a confirmation is a version of its own, and what led to it are its steps", () => {
  const found = withSteps([{ action: "confirmed", target: "Abra.", user: "ana" }, typed("Abra."), typed("Abr")]);
  assert.deepEqual(found.map(({ action, steps }) => [action, steps]), [["confirmed", ["Abr"]]]);
});
