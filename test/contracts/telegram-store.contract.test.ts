import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import type { TelegramNotice } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, TelegramStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const HERE = "123:4711";
const THERE = "123:4712";
const DAYS = 24 * 60;

type Opened = { readonly store: TelegramStore; readonly audit: AuditLog; reopen(): Promise<TelegramStore> };

const auditRules = createAuditRules(sha256Hex);

async function openFile(): Promise<Opened> {
  const options = { dataDir: join(tempDir(), "data"), clock: fixedClock, random: countingRandom(), auditRules };
  const open = async () => {
    const opened = must(await openMigratedRuntime(options));
    onTestFinished(() => opened.close());
    return opened;
  };
  const { telegram, audit } = await open();
  return { store: telegram, audit, reopen: async () => (await open()).telegram };
}

async function openMemory(): Promise<Opened> {
  const { telegram: store, audit } = openInMemory();
  return { store, audit, reopen: async () => store };
}

const USED = { nonce: null, stage: "ask" } as const;
const card = (over: Partial<TelegramNotice> = {}): TelegramNotice => ({
  noticeId: "request r-1",
  messageId: 7,
  buttons: { planHash: sha256Hex("plan"), nonce: "n-1", stage: "ask" },
  ...over,
});

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("what is kept about the chat (%s)", (_name, open) => {
  test("an update is passed on once, also after a restart, and each place counts for itself", async () => {
    const { store, reopen } = await open();
    expect(must(await store.nextUpdate(HERE, at(0)))).toBe(0);
    expect(must(await store.keep({ place: HERE, updateId: 40, at: at(0), text: "one" }))).toBe(true);
    expect(must(await store.keep({ place: HERE, updateId: 40, at: at(1), text: "one" }))).toBe(false);
    must(await store.pass({ place: HERE, updateId: 41, at: at(2) }));
    must(await store.pass({ place: HERE, updateId: 39, at: at(3) }));
    expect(must(await store.keep({ place: HERE, updateId: 41, at: at(4), text: "late" }))).toBe(false);
    const again = await reopen();
    expect(must(await again.nextUpdate(HERE, at(5)))).toBe(42);
    expect(must(await again.nextUpdate(THERE, at(5)))).toBe(0);
    expect(must(await again.oldest(HERE))).toEqual({ updateId: 40, text: "one", begun: null });
    expect(must(await again.oldest(THERE))).toBeNull();
  });

  test("after some days without anything the numbers may begin anew", async () => {
    const { store } = await open();
    must(await store.pass({ place: HERE, updateId: 900, at: at(0) }));
    expect(must(await store.nextUpdate(HERE, at(2 * DAYS)))).toBe(901);
    expect(must(await store.nextUpdate(HERE, at(8 * DAYS)))).toBe(0);
    expect(must(await store.keep({ place: HERE, updateId: 5, at: at(8 * DAYS), text: "anew" }))).toBe(true);
    expect(must(await store.nextUpdate(HERE, at(8 * DAYS)))).toBe(6);
  });

  test("words are handled in the order in which they came, whatever their numbers, and say when that began", async () => {
    const { store } = await open();
    must(await store.keep({ place: HERE, updateId: 900, at: at(0), text: "first" }));
    must(await store.keep({ place: HERE, updateId: 5, at: at(9 * DAYS), text: "second" }));
    must(await store.begin({ place: HERE, updateId: 900, after: "m-1" }));
    expect(must(await store.oldest(HERE))).toEqual({ updateId: 900, text: "first", begun: { after: "m-1" } });
    must(await store.finish({ place: HERE, updateId: 900 }));
    must(await store.begin({ place: HERE, updateId: 5, after: null }));
    expect(must(await store.oldest(HERE))).toEqual({ updateId: 5, text: "second", begun: { after: null } });
    must(await store.finish({ place: HERE, updateId: 5 }));
    expect(must(await store.oldest(HERE))).toBeNull();
  });

  test("a stranger is recorded once, and a flood of them only so far", async () => {
    const { store, audit } = await open();
    expect(must(await store.ignoreStranger({ accountId: "666", at: at(0) }))).toBe(true);
    expect(must(await store.ignoreStranger({ accountId: "666", at: at(1) }))).toBe(false);
    for (let each = 1; each < LIMITS.telegramStrangers; each += 1) {
      must(await store.ignoreStranger({ accountId: String(10_000 + each), at: at(2) }));
    }
    expect(must(await store.ignoreStranger({ accountId: "-100", at: at(3) }))).toBe(false);
    const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 5_000 }));
    const told = entries.filter(({ event }) => event === "telegram_stranger_ignored");
    expect(told).toHaveLength(LIMITS.telegramStrangers);
    expect(told.at(-1)).toMatchObject({ data: { account_id: "666" }, actor: { kind: "system" } });
  });

  test("the buttons of a notice are good for one press, and new ones make the old ones good for none", async () => {
    const { store, reopen } = await open();
    must(await store.saveNotice(HERE, card()));
    must(await store.saveNotice(HERE, card({ noticeId: "secret mail", messageId: null, buttons: null })));
    const press = (nonce: string, place = HERE) =>
      store.press({ place, noticeId: "request r-1", nonce, messageId: null });
    const pressAt = (messageId: number) =>
      store.press({ place: HERE, noticeId: "request r-1", nonce: "n-1", messageId });
    expect(must(await pressAt(8))).toBeNull();
    expect(must(await press("n-2"))).toBeNull();
    expect(must(await press("n-1", THERE))).toBeNull();
    const presses = await Promise.all([press("n-1"), press("n-1"), press("n-1")]);
    const taken = presses.map(must).filter((notice) => notice !== null);
    const used = { ...card().buttons, nonce: null };
    expect(taken).toEqual([{ ...card(), buttons: used }]);
    must(
      await store.saveNotice(HERE, card({ buttons: { planHash: sha256Hex("plan"), nonce: "n-3", stage: "confirm" } })),
    );
    expect(must(await press("n-1"))).toBeNull();
    const again = await reopen();
    expect(must(await again.notices(HERE)).map(({ noticeId, messageId }) => [noticeId, messageId])).toEqual([
      ["request r-1", 7],
      ["secret mail", null],
    ]);
    expect(must(await again.notices(THERE))).toEqual([]);
    expect(must(await press("n-3"))?.buttons?.stage).toBe("confirm");
    must(await store.dropNotice(HERE, "request r-1"));
    expect(must(await store.notices(HERE)).map(({ noticeId }) => noticeId)).toEqual(["secret mail"]);
    expect(must(await press("n-3"))).toBeNull();
  });

  test("a press may be faster than the word that a notice was sent, and neither undoes the other", async () => {
    const { store } = await open();
    must(await store.saveNotice(HERE, card({ messageId: null })));
    const place = HERE;
    const noticeId = "request r-1";
    expect(must(await store.press({ place, noticeId, nonce: "n-1", messageId: 7 }))?.messageId).toBe(7);
    must(await store.noticeSent({ place, noticeId, messageId: 7 }));
    must(await store.noticeSent({ place, noticeId: "request gone", messageId: 9 }));
    expect(must(await store.notices(HERE))).toEqual([card({ buttons: { ...USED, planHash: sha256Hex("plan") } })]);
    // Who answered in words before it was known renews the buttons of the same message.
    must(await store.saveNotice(HERE, card({ messageId: null })));
    expect(must(await store.notices(HERE))).toEqual([card()]);
  });
});
