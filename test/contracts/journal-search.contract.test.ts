import { describe, expect, test } from "vitest";
import type { JournalStore } from "#ports";
import { commitOf, must, openFile, openMemory, write } from "./journal-fixture.ts";

const TITLES: { readonly [id: string]: string } = {
  party: "party 🎉 tonight",
  japan: "来年日本に行く",
  apart: "本に日が差す",
  phone: "新しいiPhoneを買う",
  korea: "학교에서 만나요".normalize("NFD"),
  thai: "ฉันกินข้าว",
  rise: "ราคากุ้งขึ้น",
  heart: "I ❤️ Bern",
  thumb: "ok 👍🏽",
  coder: "met a 👩‍💻 today",
  flags: "🇩🇪🇸🇪",
  rare: "𠮷野家",
};

async function openWith(openStore: () => Promise<JournalStore>): Promise<JournalStore> {
  const store = await openStore();
  const tasks = Object.entries(TITLES).map(([id, title]) => write({ id, kind: "task", body: { title } }));
  const note = write({ id: "note", kind: "entry", body: { text: "京都の庭を見た 🎉" } });
  must(await store.commit(commitOf("op1", [...tasks, note])));
  return store;
}

async function found(store: JournalStore, text: string): Promise<readonly string[]> {
  return must(await store.answer({ kind: "search", text }))
    .hits.map((hit) => hit.id as string)
    .toSorted();
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("search beyond spaced words (%s)", (_name, openStore) => {
  test.each([
    ["🎉", ["note", "party"]],
    ["tonight 🎉", ["party"]],
    ["party🎉", ["party"]],
    ["日本", ["japan"]],
    ["日", ["apart", "japan"]],
    ["日本 来年", ["japan"]],
    ["本日", []],
    ["iphone", ["phone"]],
    ["しいiPh", ["phone"]],
    ["학교", ["korea"]],
    ["만나", ["korea"]],
    ["กิน", ["thai"]],
    ["กุน", []],
    ["❤", ["heart"]],
    ["❤️ bern", ["heart"]],
    ["👍", ["thumb"]],
    ["👍🏿", []],
    ["👩‍💻", ["coder"]],
    ["💻", ["coder"]],
    ["🇩🇪", ["flags"]],
    ["🇪🇸", []],
    ["𠮷野", ["rare"]],
    ["庭を", ["note"]],
    ["💥", []],
  ])("%s", async (text, expected) => {
    expect(await found(await openWith(openStore), text)).toEqual(expected);
  });

  test("a snippet shows the text as it was written, with what was found marked", async () => {
    const store = await openWith(openStore);
    const snippet = async (text: string) => must(await store.answer({ kind: "search", text })).hits[0]?.snippet;
    expect(await snippet("tonight 🎉")).toBe("party \u0002🎉\u0003 \u0002tonight\u0003");
    expect(await snippet("日本")).toBe("来年\u0002日本\u0003に行く");
    expect(await snippet("กิน")).toBe("ฉัน\u0002กิน\u0003ข้าว");
    expect(await snippet("🇸🇪")).toBe("🇩🇪\u0002🇸🇪\u0003");
    expect(await snippet("bern")).toBe("I ❤️ \u0002Bern\u0003");
  });

  test("what a record no longer says is no longer found", async () => {
    const store = await openWith(openStore);
    const edited = write({ id: "japan", kind: "task", sees: 1, body: { title: "来年中国に行く" } });
    const gone = write({ id: "party", kind: "task", sees: 1, deleted: true, body: { title: "party 🎉 tonight" } });
    must(await store.commit(commitOf("op2", [edited, gone])));
    expect(await found(store, "日本")).toEqual([]);
    expect(await found(store, "中国")).toEqual(["japan"]);
    expect(await found(store, "🎉")).toEqual(["note"]);
  });

  test("no text forges a symbol or a mark", async () => {
    const store = await openStore();
    const forged = "a\uE0010127881 b\u0001\u0002c\u0003 日";
    must(await store.commit(commitOf("op1", [write({ id: "t1", kind: "task", body: { title: forged } })])));
    expect(await found(store, "🎉")).toEqual([]);
    const hit = must(await store.answer({ kind: "search", text: "日" })).hits[0];
    expect(hit?.snippet).toMatch(/b *c *\u0002日\u0003$/);
  });
});
