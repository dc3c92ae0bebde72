import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { freshDocument, freshStorage, page, serve, settled, startClock, stopClock } from "./support.mjs";

const { DocumentSegments } = await page("document");
const { Drafts } = await page("drafts");
const { Sync } = await page("sync");

const segment = (number, more = {}) => ({
  document: 1,
  number,
  source: `Source ${number}`,
  target: "",
  state: "new",
  version: 1,
  ...more,
});

let workspace, sync, notices, status, posted;

class Channel {
  postMessage(data) {
    posted.push(data);
  }

  close() {
    posted.push("closed");
  }
}

/** A workspace with four segments, the second of which is open; what it is asked to do is written down. */
function freshWorkspace() {
  const log = [],
    noted = (name) => async (...values) => void log.push([name, ...values]);
  const segments = new DocumentSegments([1, 2, 3, 4].map((number) => segment(number)));
  return {
    log,
    project: { name: "manual" },
    about: { id: 1 },
    drafts: new Drafts("manual"),
    list: {
      segments,
      update: (each) => segments.update(each),
      updateAll: (all) => all.forEach((each) => segments.update(each)),
    },
    number: 2,
    dirty: false,
    stopped: false,
    get segment() {
      return segments.get(this.number);
    },
    effort: { learned: noted("learned"), load: async () => {} },
    history: { load: async () => {} },
    glossary: { load: async () => {} },
    open: noted("open"),
    goTo: noted("goTo"),
    show: noted("show"),
    ask: noted("ask"),
    confirm: noted("confirm"),
    saveDraft: noted("saveDraft"),
    keepMine: noted("keepMine"),
  };
}

beforeEach(() => {
  freshStorage();
  stopClock();
  ({ notices, status } = freshDocument("notices", "status"));
  globalThis.BroadcastChannel = Channel;
  posted = [];
  workspace = freshWorkspace();
  sync = new Sync(workspace);
});
afterEach(startClock);

const texts = () => notices.all("p").map((each) => each.textContent);
const choose = (label) => notices.all("button").find((each) => each.textContent === label).click();
const confirmed = (target) => ({ target, state: "confirmed", version: 1 });

test("all segments are fetched, page by page", async () => {
  const page = (from, count) => ({ segments: Array.from({ length: count }, (_, n) => segment(from + n)) });
  const requests = serve((method, path) => (path.endsWith("after=0") ? page(1, 1000) : page(1001, 5)));
  assert.equal((await sync.fetchAll()).length, 1005);
  assert.deepEqual(
    requests.map(({ path }) => path),
    [0, 1000].map((after) => `projects/manual/documents/1/segments?limit=1000&after=${after}`),
  );
});

test("a confirmed segment is shown as such, its draft is deleted, and other windows are told", async () => {
  serve((method, path, body) => segment(2, { ...body, version: 2 }));
  workspace.drafts.set(1, 2, { text: "Abra" });
  await sync.outbox.add(1, 2, confirmed("Abra"));
  assert.equal(workspace.segment.state, "confirmed");
  assert.equal(workspace.drafts.get(1, 2), null);
  assert.deepEqual(posted, [{ document: 1, number: 2 }]);
  assert.deepEqual(
    workspace.log.map(([name]) => name),
    ["show", "learned"],
  );
});

test("a draft that was edited while its segment was being saved is kept", async () => {
  serve((method, path, body) => segment(2, { ...body, version: 2 }));
  workspace.drafts.set(1, 2, { text: "Abra la" });
  await sync.outbox.add(1, 2, confirmed("Abra"));
  assert.equal(workspace.drafts.get(1, 2).text, "Abra la");
});

test("an acknowledgement that was overtaken does not bring back an old state", async () => {
  serve((method, path, body) => segment(2, { ...body, version: 2 }));
  workspace.list.update(segment(2, { target: "Abra la tapa.", state: "translated", version: 3 }));
  await sync.outbox.add(1, 2, confirmed("Abra"));
  assert.equal(workspace.segment.target, "Abra la tapa.");
});

test("what was confirmed but not learned is said, and can be undone", async () => {
  let version = 1;
  const requests = serve((method, path, body) =>
    segment(2, { ...body, version: ++version, unlearned: body.state === "confirmed" ? "the source has 0 words" : null }),
  );
  await sync.outbox.add(1, 2, confirmed(" "));
  assert.deepEqual(texts(), ["Segment 2 was confirmed but not learned: the source has 0 words."]);
  choose("Undo");
  await sync.outbox.sending;
  assert.deepEqual(requests[1].body, { target: " ", state: "translated", version: 2 });
  assert.equal(workspace.segment.state, "translated");
});

test("undoing takes back one's own last work, and says what that was", async () => {
  const what = "Took back your confirmation of segment 2: “Abra”";
  const requests = serve((method, path) =>
    path.endsWith("undo") ? { what, segments: [2] } : { ...segment(2, { version: 5 }), segments: [] },
  );
  await sync.undoLast();
  assert.deepEqual([requests[0].method, requests[0].path], ["POST", "projects/manual/documents/1/undo"]);
  assert.deepEqual(texts(), [what]);
});

test("a replacement that is taken back leaves no drafts behind", async () => {
  workspace.list.update(segment(2, { state: "confirmed", origin: "person" }));
  workspace.list.update(segment(3, { state: "confirmed", origin: "replacement" }));
  sync.keepTexts([2, 3]);
  assert.ok(workspace.drafts.get(1, 2));
  assert.ok(!workspace.drafts.get(1, 3));
});

test("the button of a notice takes back what the notice is about", async () => {
  const requests = serve((method, path) => ({ what: "Took back.", segments: [] }));
  sync.replaced({ count: 2, segments: [], change: 41 });
  choose("Undo");
  await settled();
  const sent = requests.find(({ path }) => path.endsWith("undo"));
  assert.deepEqual(sent.body, { change: 41 });
});

test("the open segment shows that somebody else has approved it", async () => {
  workspace.list.update(segment(2, { state: "confirmed", stage: "review", version: 2 }));
  sync.receive(segment(2, { state: "confirmed", stage: "done", version: 2 }));
  assert.deepEqual(workspace.log, [["show"]]);
});

test("where there is nothing of one's own to undo, that is said", async () => {
  serve(() => ({ status: 409, error: { what: "nothing to undo", code: "nothing-to-undo" } }));
  await sync.undoLast();
  assert.deepEqual(texts(), ["Nothing of yours to undo in this document."]);
});

const MISTAKE = { what: "not learned", flagged: 9, code: "flagged", reason: "the target is a copy of the source" };

test("what looks like a mistake is asked about where it was typed", async () => {
  serve(() => ({ status: 409, error: MISTAKE }));
  await sync.outbox.add(1, 2, confirmed("Source 2"));
  assert.deepEqual(workspace.drafts.get(1, 2).question, { kind: "flagged", reason: MISTAKE.reason });
  assert.deepEqual([workspace.log, texts()], [[["show"]], []]);
});

test("a mistake in a segment that is no longer open takes nobody away from another one", async () => {
  for (const document of [1, 8]) {
    serve(() => ({ status: 409, error: MISTAKE }));
    await sync.outbox.add(document, 3, confirmed("Source 3"));
    assert.equal(texts().at(-1), "Segment 3: Not confirmed: the target is a copy of the source.");
    assert.deepEqual(workspace.log, []);
    notices.all("button").find((each) => each.textContent === "Open segment 3").click();
    assert.deepEqual(workspace.log.splice(0), [["goTo", document, 3]]);
  }
});

test("what the file cannot hold is kept as a draft, with the reason", async () => {
  const held = segment(2, { target: "Abra", state: "translated", held: true, version: 2 });
  const findings = [{ check: "file", what: "lacks </b>" }];
  serve(() => ({ status: 409, error: { what: "held", code: "held", findings, segment: held } }));
  await sync.outbox.add(1, 2, confirmed("Abra"));
  assert.deepEqual([workspace.segment.state, workspace.segment.held], ["translated", true]);
  assert.deepEqual(workspace.drafts.get(1, 2).question, { kind: "held", findings });
});

test("a notice about a segment goes once the segment is saved", async () => {
  serve(() => ({ status: 409, error: MISTAKE }));
  await sync.outbox.add(1, 3, confirmed("Source 3"));
  serve((method, path, body) => segment(3, { ...body, version: 2 }));
  await sync.outbox.add(1, 3, confirmed("Fuente 3"));
  assert.deepEqual(texts(), []);
});

test("repetitions that were filled are shown, and said", async () => {
  serve((method, path, body) =>
    method === "PUT"
      ? segment(2, { ...body, version: 2, filled: [4], filled_count: 1 })
      : { segments: [segment(4, { target: "Abra", state: "translated", version: 2 })] },
  );
  await sync.outbox.add(1, 2, confirmed("Abra"));
  await settled();
  assert.deepEqual(texts(), ["Filled 1 other segment with the same source, as drafts to review."]);
  assert.equal(workspace.list.segments.get(4).target, "Abra");
});

test("of a large document, the segments around one are loaded, and only once", async () => {
  workspace.list.segments = new DocumentSegments([], 1000);
  workspace.list.updateAll = (all) => all.forEach((each) => workspace.list.segments.update(each));
  const requests = serve(() => ({ segments: [segment(500)] }));
  await Promise.all([sync.load(500), sync.load(500)]);
  assert.deepEqual(requests.map(({ path }) => path), ["projects/manual/documents/1/segments?limit=200&after=399"]);
  assert.ok(workspace.list.segments.get(500));
});

test("a conflict shows the other text, keeps ours, and lets us choose", async () => {
  const theirs = segment(2, { target: "Abra la tapa.", state: "confirmed", version: 5 });
  serve((method) => (method === "PUT" ? { status: 409, error: { what: "changed meanwhile" } } : theirs));
  await sync.outbox.add(1, 2, confirmed("Abra"));
  await settled();
  assert.deepEqual(workspace.drafts.get(1, 2).question, { kind: "conflict", theirs: "Abra la tapa." });
  assert.equal(workspace.segment.version, 5);
  assert.equal(workspace.drafts.get(1, 2).text, "Abra");
  assert.deepEqual(workspace.log.at(-1), ["show"]);
});

test("any other refusal is shown with its remedy, and the text is kept", async () => {
  serve(() => ({ status: 403, error: { what: "this key lacks the 'learn' role", remedy: "sign in with another key" } }));
  await sync.outbox.add(1, 2, confirmed("Abra"));
  assert.deepEqual(texts(), ["This key lacks the 'learn' role; sign in with another key."]);
  assert.equal(workspace.drafts.get(1, 2).text, "Abra");
});

test("changes of another window are shown; an open segment that nobody edits is opened anew", async () => {
  const only = (path) => path.split("only=").at(-1).split(",").map(Number);
  serve((method, path) => ({ segments: only(path).map((number) => segment(number, { target: "Abra", version: 2 })) }));
  await sync.changedElsewhere({ document: 1, number: 3 });
  assert.deepEqual(workspace.log, []);
  assert.equal(workspace.list.segments.get(3).target, "Abra");
  await sync.changedElsewhere({ document: 1, number: 2 });
  assert.deepEqual(workspace.log, [["open", 2]]);
});

test("changes of another window do not touch what is being typed here", async () => {
  serve(() => ({ segments: [segment(2, { target: "Abra", version: 2 })] }));
  workspace.dirty = true;
  await sync.changedElsewhere({ document: 1, number: 2 });
  assert.deepEqual(
    workspace.log.map(([name]) => name),
    ["saveDraft", "show"],
  );
  assert.deepEqual(workspace.drafts.get(1, 2).question, { kind: "conflict", theirs: "Abra" });
});

test("a repetition that is filled in gives way to what is being typed there, unless that is in conflict already", () => {
  const filled = (version) => segment(2, { target: "Abra", state: "translated", origin: "repetition", version });
  workspace.dirty = true;
  sync.receive(filled(2));
  assert.deepEqual(workspace.log.splice(0), [["keepMine"]]);
  workspace.inConflict = true;
  sync.receive(filled(3));
  assert.deepEqual(workspace.log.map(([name]) => name), ["saveDraft", "show"]);
});

test("changes in other documents are of no concern", async () => {
  const requests = serve(() => segment(2));
  await sync.changedElsewhere({ document: 8, number: 2 });
  assert.deepEqual(requests, []);
});

test("when the server is back, what waits is sent and what changed is fetched", async () => {
  serve(() => new TypeError("Failed to fetch"));
  sync.connected("online");
  sync.connected("away");
  await sync.outbox.add(1, 2, confirmed("Abra"));
  await settled();
  assert.match(status.textContent, /unavailable.*\(1 change waiting\)$/);
  serve((method, path, body) =>
    method === "PUT"
      ? segment(2, { ...body, version: 2 })
      : { segments: [segment(3, { target: "Cierre", version: 2 })] },
  );
  sync.connected("online");
  await sync.outbox.sending;
  await settled();
  assert.deepEqual(texts(), ["Connected again."]);
  assert.equal(status.textContent, "");
  assert.equal(workspace.segment.state, "confirmed");
  assert.equal(workspace.list.segments.get(3).target, "Cierre");
});

test("a server that only refuses the live session is not said to be unavailable", async () => {
  serve(() => ({ name: "manual", role: "learn" }));
  sync.connected("away");
  await settled();
  assert.equal(status.textContent, "No completions at the moment. Your work is saved as usual.");
  sync.connected("online");
  assert.deepEqual([status.textContent, texts()], ["", []]);
});

test("the channel to other windows is closed only after the last change was sent", async () => {
  serve((method, path, body) => segment(2, { ...body, version: 2 }));
  sync.outbox.add(1, 2, confirmed("Abra"));
  workspace.stopped = true;
  sync.close();
  await sync.outbox.sending;
  await settled();
  assert.deepEqual(posted, [{ document: 1, number: 2 }, "closed"]);
  assert.deepEqual(workspace.log, []);
});
