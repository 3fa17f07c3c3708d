import { expect, test } from "vitest";
import { ok, type Instant } from "#base";
import type { FindSecrets } from "#ports";
import { openInMemory } from "../../../../test/stores-in-memory.ts";
import type { Written } from "./bot-api.ts";
import type { Chat } from "./chat.ts";
import { hear, type Hearing } from "./hear.ts";

const PLACE = "123:4711";
const AT = "2026-11-18T08:00:00.000Z" as Instant;

async function heard(text: string, findSecrets: FindSecrets = async () => ok([]), marks: object = {}) {
  const { telegram: store } = openInMemory();
  const said: string[] = [];
  const parts: Partial<Chat> = {
    store,
    place: PLACE,
    chatId: "4711",
    clock: { now: () => AT },
    ending: new AbortController().signal,
    secrets: { pending: async () => ok([]) },
    findSecrets,
    api: {
      send: async (_chatId: string, written: Written) => ok({ messageId: said.push(written.text) }),
    } as Partial<Chat["api"]> as Chat["api"],
  };
  const hearing: Partial<Hearing> = {
    chat: parts as Chat,
    rate: { take: () => ({ allowed: true }) },
    lane: { look: () => undefined, settled: async () => undefined },
  };
  const message = { message_id: 1, from: { id: 4711 }, chat: { id: 4711, type: "private" }, text, ...marks };
  const done = await hear(hearing as Hearing, { updateId: 1, content: { message } } as Parameters<typeof hear>[1]);
  expect(done).toEqual(ok());
  return { said, kept: await store.oldest(PLACE), next: await store.nextUpdate(PLACE, AT) };
}

test("words that could not be searched for secrets are not kept, the chat is told so, and the next are heard", async () => {
  for (const reason of ["failed", "too_long"] as const) {
    const { said, kept, next } = await heard("Water the plants", async () => ({ ok: false, error: reason }));
    expect(said).toEqual([expect.stringMatching(/checked for passwords and keys\. Nothing of it was stored\./)]);
    expect([kept, next]).toEqual([ok(null), ok(2)]);
  }
  const { said, kept } = await heard("Water the plants");
  expect(said).toEqual([]);
  expect(kept).toMatchObject({ ok: true, value: { text: "Water the plants" } });
});

test.each([
  { forward_origin: { type: "user" } },
  { forward_date: 1_763_000_000 },
  { via_bot: { id: 7 } },
  { sender_chat: { id: -100 } },
])("a message that somebody else wrote (%o) is not taken for the owner's words", async (mark) => {
  const { said, kept, next } = await heard("Water the plants", undefined, mark);
  expect(said).toEqual([expect.stringContaining("these are not your words")]);
  expect([kept, next]).toEqual([ok(null), ok(2)]);
});
