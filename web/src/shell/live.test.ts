import { QueryObserver } from "@tanstack/react-query";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { NotificationBatch, ServerFrame } from "#model";
import { createPage, type Page } from "../wire/page.fixture.ts";

type Modules = {
  readonly live: typeof import("./live.ts");
  readonly reads: typeof import("../data/reads.ts");
  readonly outbox: typeof import("../data/outbox.ts");
  readonly turns: typeof import("../talk/live-turns.ts");
};

let page: Page;
let modules: Modules;
const READY: ServerFrame = { type: "auth_ok", session_id: "s", version: "1" };
const KEYS = {
  counts: ["journal", { kind: "counts" }],
  activity: ["journal", "activity"],
  summary: ["review", "summary"],
  request: ["review", "request", "q", "pending"],
  talk: ["review", "talk", "list"],
  run: ["review", "work", "run", "one"],
  otherRun: ["review", "work", "run", "two"],
  elsewhere: ["task-title", "t"],
} as const;
type Name = keyof typeof KEYS;

beforeAll(async () => {
  // The page looks at its browser while it is read.
  page = createPage();
  const [live, reads, outbox, turns] = await Promise.all([
    import("./live.ts"),
    import("../data/reads.ts"),
    import("../data/outbox.ts"),
    import("../talk/live-turns.ts"),
  ]);
  modules = { live, reads, outbox, turns };
});
afterAll(() => void vi.unstubAllGlobals());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const realTimeout = setTimeout;

/** Lets so much time pass, with everything that follows from it. */
async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => void realTimeout(resolve, 0));
    await vi.advanceTimersByTimeAsync(0);
  }
}

/** A page on which something of every kind is shown, and how often each was read since it was last asked. */
async function openPage() {
  const { queryClient } = modules.reads;
  const times = new Map<Name, number>();
  const stops = (Object.keys(KEYS) as Name[]).map((name) =>
    new QueryObserver(queryClient, {
      queryKey: KEYS[name],
      queryFn: () => (times.set(name, (times.get(name) ?? 0) + 1), name),
    }).subscribe(() => undefined),
  );
  const live = modules.live.startLive();
  onTestFinished(() => {
    live.close();
    for (const stop of stops) stop();
    queryClient.clear();
  });
  const readAgain = (): Partial<Record<Name, number>> => {
    const found = Object.fromEntries(times);
    times.clear();
    return found;
  };
  page.newest().open();
  page.newest().say(READY);
  await pass(5000);
  readAgain();
  return { live, readAgain };
}

const JOURNAL = { counts: 1, activity: 1 };
const REVIEW = { summary: 1, talk: 1, run: 1, otherRun: 1 };

let batches = 0;
const changed = (...ids: readonly string[]): ServerFrame => {
  const key = "0".repeat(64) as NotificationBatch["logicalChangeKey"];
  const typedTokens = [
    { tokenClass: "subtypeToken" as const, tokenValue: "task" },
    ...ids.map((tokenValue) => ({ tokenClass: "entityId" as const, tokenValue })),
  ];
  batches += 1;
  return {
    type: "change_batch",
    batch: { localBatchId: `b${batches}`, logicalChangeKey: key, changeUnitKeys: [key], typedTokens },
  };
};

describe("a change of the journal", () => {
  test("is read once after a moment, and nothing else is read for it", async () => {
    const { readAgain } = await openPage();
    page.newest().say(changed("t1"));
    await pass(39);
    expect(readAgain()).toEqual({});
    await pass(1);
    expect(readAgain()).toEqual(JOURNAL);
    await pass(60_000);
    expect(readAgain()).toEqual({});
  });

  test("that comes twice, or with others in any order, is read once with them, and one that comes later again", async () => {
    const { readAgain } = await openPage();
    const [first, second] = [changed("t1"), changed("t2")];
    for (const frame of [second, first, first, second]) page.newest().say(frame);
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
    page.newest().say(first);
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
  });

  test("that names nothing is read like any other", async () => {
    const { readAgain } = await openPage();
    page.newest().say(changed());
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
  });

  test("that this page made itself is read later, and with another one at once", async () => {
    const { readAgain } = await openPage();
    page.answer("/api/journal/command", () =>
      Response.json({ subjectId: "mine", records: [{ id: "mine" }, { id: "its-entry" }] }),
    );
    const submit = async () => {
      const sent = modules.outbox.submit({ kind: "task.create", title: "Call Ana" });
      await pass(0);
      expect(await sent).toMatchObject({ status: "applied" });
      await pass(0);
      expect(readAgain()).toEqual(JOURNAL);
    };
    await submit();
    page.newest().say(changed("mine", "its-entry"));
    await pass(1999);
    expect(readAgain()).toEqual({});
    await pass(1);
    expect(readAgain()).toEqual(JOURNAL);
    // What is long past is not its own any more.
    await pass(1);
    page.newest().say(changed("mine"));
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
    for (const others of [[changed("mine"), changed("theirs")], [changed("mine", "theirs")], [changed()]]) {
      await submit();
      for (const frame of others) page.newest().say(frame);
      await pass(40);
      expect(readAgain()).toEqual(JOURNAL);
      await pass(5000);
      expect(readAgain()).toEqual({});
    }
  });
});

describe("other frames", () => {
  test("a change of what there is to review reads that and the activity, at most once in a while", async () => {
    const { readAgain } = await openPage();
    const frame: ServerFrame = { type: "review_changed", pending_count: 1 };
    page.newest().say(frame);
    page.newest().say(frame);
    await pass(199);
    expect(readAgain()).toEqual({});
    await pass(1);
    expect(readAgain()).toEqual({ ...REVIEW, activity: 1 });
    page.newest().say(frame);
    await pass(1499);
    expect(readAgain()).toEqual({});
    await pass(1);
    expect(readAgain()).toEqual({ ...REVIEW, activity: 1 });
  });

  test("news of a run reads that run at once, and no other", async () => {
    const { readAgain } = await openPage();
    page.newest().say({ type: "run_news", run_id: "one", work_item_id: "w", news: "moved" } as unknown as ServerFrame);
    await pass(0);
    expect(readAgain()).toEqual({ run: 1 });
  });

  test("[WEB-10] a reply is kept while it is written; its end reads the conversation at once and hides nothing meanwhile", async () => {
    const { readAgain } = await openPage();
    const { useLiveTurns } = modules.turns;
    const delta = (offset: number, text: string): ServerFrame => ({
      type: "turn_delta",
      message_id: "m",
      offset,
      text,
    });
    for (const frame of [delta(0, "Good "), delta(5, "morning"), delta(0, "Good ")]) page.newest().say(frame);
    expect(useLiveTurns.getState()).toEqual({ m: { text: "Good morning", isHeld: false, isEnded: false } });
    expect(readAgain()).toEqual({});
    page.newest().say({ type: "turn_ended", message_id: "m" });
    expect(useLiveTurns.getState()["m"]?.text).toBe("Good morning");
    await pass(0);
    expect(readAgain()).toEqual({ talk: 1 });
    expect(useLiveTurns.getState()["m"]?.text).toBe("Good morning");
  });

  test("[WEB-10] a page that signs in again forgets what it heard: the server tells everything in flight anew", async () => {
    await openPage();
    page.newest().say({ type: "turn_held", message_id: "m" });
    expect(modules.turns.useLiveTurns.getState()).toEqual({ m: { text: "", isHeld: true, isEnded: false } });
    page.newest().say(READY);
    expect(modules.turns.useLiveTurns.getState()).toEqual({});
  });

  test.each(["", "no JSON", "null", "7", "[]", "{}", '{"type":"changed"}', '{"type":"pong"}', '{"type":"__proto__"}'])(
    "%j reads nothing, and the next change is read",
    async (text) => {
      const { readAgain } = await openPage();
      page.newest().say(text);
      await pass(5000);
      expect(readAgain()).toEqual({});
      page.newest().say(changed("t1"));
      await pass(40);
      expect(readAgain()).toEqual(JOURNAL);
    },
  );
});

describe("a connection that was lost", () => {
  test("is followed by another, which reads what was missed, once it is signed in", async () => {
    const { readAgain } = await openPage();
    const before = page.sockets.length;
    page.newest().end();
    await pass(499);
    expect(page.sockets).toHaveLength(before);
    await pass(1);
    expect(page.sockets).toHaveLength(before + 1);
    page.newest().open();
    expect(page.newest().sent).toEqual([{ type: "auth", token: "token" }]);
    await pass(1000);
    expect(readAgain()).toEqual({});
    page.newest().say(READY);
    await pass(0);
    expect(readAgain()).toEqual({ ...JOURNAL, ...REVIEW });
    page.newest().say(changed("t1"));
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
  });

  test("is followed by what waited to be sent before anything is read, and by what is read for the next time without one", async () => {
    const { readAgain } = await openPage();
    const order: string[] = [];
    page.answer("/api/journal/command", () => {
      throw new TypeError("the server is not there");
    });
    const sent = modules.outbox.submit({ kind: "task.create", title: "Call Ana" });
    await pass(0);
    expect(await sent).toMatchObject({ status: "queued" });
    page.answer("/api/journal/command", () => {
      order.push("sent", ...Object.keys(readAgain()));
      return Response.json({ subjectId: "late", records: [{ id: "late" }] });
    });
    await pass(500);
    page.newest().open();
    page.asked.length = 0;
    page.newest().say(READY);
    await pass(0);
    expect(order).toEqual(["sent"]);
    expect(readAgain()).toMatchObject(REVIEW);
    expect(page.asked.slice(0, 2)).toEqual(["/api/journal/command", "/api/journal/query"]);
    expect(page.asked.filter((path) => path === "/api/journal/query").length).toBeGreaterThan(5);
  });

  test("while a change waited to be read loses nothing, and is not read for when the page is gone", async () => {
    const { live, readAgain } = await openPage();
    page.newest().say(changed("t1"));
    page.newest().end();
    await pass(40);
    expect(readAgain()).toEqual(JOURNAL);
    await pass(500);
    page.newest().say(changed("t2"));
    page.newest().say({ type: "review_changed", pending_count: 1 });
    live.close();
    await pass(60_000);
    expect(readAgain()).toEqual({});
  });
});
