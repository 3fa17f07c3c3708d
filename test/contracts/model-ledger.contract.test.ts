import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { ModelLedger } from "#engine";
import type { ModelFailure } from "#model";
import type { AuditLog } from "#ports";
import { daySpent } from "#sim";
import { openInMemory } from "../stores-in-memory.ts";
import { at, must } from "./journal-fixture.ts";
import { openFile } from "./message-fixture.ts";

type Opened = { readonly calls: ModelLedger; readonly audit: AuditLog };

const callOf = (callId: string, tokens = 30, tokensPerDay = 100) =>
  ({
    callId,
    purpose: "planner",
    promptVersion: 1,
    subjectId: "m-1",
    scopeId: "owner",
    taint: "owner",
    tokens,
    tokensPerDay,
  }) as const;
const sentOf = (callId: string) =>
  ({
    callId,
    messageId: "m-1",
    host: "127.0.0.1:9",
    model: "trial",
    bytes: 5,
    sha256: sha256Hex("hello"),
    keyRef: null,
    taint: "owner",
  }) as const;
const failedOf = (callId: string, reason: ModelFailure) => ({ callId, messageId: "m-1", reason });
const answeredOf = (callId: string) => ({ callId, messageId: "m-1", bytesReceived: 9, tokensIn: 5, tokensOut: 2 });

const eventsOf = async ({ audit }: Opened): Promise<readonly string[]> =>
  must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 50 }))
    .map(({ event }) => event)
    .filter((event) => event.startsWith("model_"))
    .toReversed();

describe.each([
  ["in memory", async (): Promise<Opened> => openInMemory()],
  ["on disk", async (): Promise<Opened> => openFile()],
])("calls of models %s", (_name, open) => {
  test("[BUD-06] the day's tokens are there to the last one, however many calls are reserved at once", async () => {
    const { calls } = await open();
    const reserved = await Promise.all(["a", "b", "c", "d"].map((id) => calls.reserve(callOf(id), at(1))));
    expect(reserved).toEqual([true, true, true, false]);
    expect(await calls.reserve(callOf("e", 11), at(1))).toBe(false);
    expect(await calls.reserve(callOf("f", 10), at(1))).toBe(true);
    expect(await daySpent(calls, { tokens: 100, at: at(1) })).toBe(true);
  });

  test("a call of more than a day ago counts no more", async () => {
    const { calls } = await open();
    expect(await calls.reserve(callOf("a", 100), "2026-11-14T08:00:00.000Z" as never)).toBe(true);
    expect(await calls.reserve(callOf("b", 1), "2026-11-15T08:00:00.000Z" as never)).toBe(false);
    expect(await calls.reserve(callOf("c", 1), "2026-11-15T08:00:00.001Z" as never)).toBe(true);
  });

  test("what leaves and what came of it are in the chain by the same commit, and an answer counts as what it used", async () => {
    const stores = await open();
    const { calls } = stores;
    await calls.reserve(callOf("a"), at(1));
    expect(await eventsOf(stores)).toEqual([]);
    await calls.sent(sentOf("a"), at(1));
    await calls.answered(answeredOf("a"), at(2));
    expect(await eventsOf(stores)).toEqual(["model_asked", "model_answered"]);
    expect(await daySpent(calls, { tokens: 7, at: at(2) })).toBe(true);
  });

  test("a question leaves once, and only for a call that was reserved", async () => {
    const stores = await open();
    const { calls } = stores;
    await expect(calls.sent(sentOf("nobody"), at(1))).rejects.toThrow("leaves once");
    await calls.reserve(callOf("a"), at(1));
    await calls.sent(sentOf("a"), at(1));
    await expect(calls.sent(sentOf("a"), at(1))).rejects.toThrow("leaves once");
    expect(await eventsOf(stores)).toEqual(["model_asked"]);
  });

  test("a failure gives tokens back only when nothing can have been worked on", async () => {
    const stores = await open();
    const { calls } = stores;
    const used: number[] = [];
    for (const [id, reason] of [
      ["a", "model_busy"],
      ["b", "model_timeout"],
    ] as const) {
      await calls.reserve(callOf(id), at(1));
      await calls.sent(sentOf(id), at(1));
      used.push(await calls.failed(failedOf(id, reason), at(2)));
    }
    await calls.reserve(callOf("c"), at(1));
    used.push(await calls.failed(failedOf("c", "model_timeout"), at(2)));
    expect(used).toEqual([0, 30, 0]);
    expect(await daySpent(calls, { tokens: 30, at: at(2) })).toBe(true);
    // What never left is not in the chain.
    expect(await eventsOf(stores)).toEqual(["model_asked", "model_gave_nothing", "model_asked", "model_gave_nothing"]);
  });
});

test("calls that a process left open are closed by the next: what never left is free, what left stays used", async () => {
  const first = await openFile();
  await first.calls.reserve(callOf("a"), at(1));
  await first.calls.reserve(callOf("b", 40), at(1));
  await first.calls.sent(sentOf("b"), at(1));
  const second = await openFile(first.dataDir);
  expect(await second.calls.reserve(callOf("c", 1), at(2))).toBe(true);
  expect(await daySpent(second.calls, { tokens: 41, at: at(2) })).toBe(true);
});
