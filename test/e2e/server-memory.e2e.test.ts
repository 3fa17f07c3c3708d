import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ActivityPage, MemoryItemBody } from "#model";
import { approveAtTerminal, openPage, terminalOf, type PageDevice, type Shown } from "./page-device.ts";
import { startServer, type Running } from "./server-start.ts";

type Kept = { readonly memory: MemoryItemBody };
type Listed = { readonly memories: readonly MemoryItemBody[]; readonly next_before: string | null };
type Asked = { readonly request: Shown; readonly is_new: boolean };

let running: Running;
let page: PageDevice;
beforeAll(async () => {
  running = await startServer();
  page = await openPage(running);
});
afterAll(() => running.stop());

async function remember(content: string, from = "own"): Promise<MemoryItemBody> {
  const kept = await page.call<Kept>("/api/memory", { from, content, memory_type: "fact", semantic_tags: ["drink"] });
  expect(kept.status).toBe(200);
  return kept.body.memory;
}
const contents = ({ memories }: Listed): readonly string[] => memories.map(({ content }) => content);

describe("memories over HTTP", () => {
  test("what is kept is shown, listed page by page with newer ones first, and found by its words", async () => {
    const [first, second] = [await remember("Ana drinks green tea"), await remember("Ben drinks coffee")];
    const shown = await page.call<Kept>(`/api/memory/${first.memory_id}`);
    expect(shown.body.memory).toMatchObject({ content: "Ana drinks green tea", taint: "auth", session_id: null });
    const all = (await page.call<Listed>("/api/memory")).body;
    expect(all.next_before).toBeNull();
    const own = contents(all).filter((content) => content.includes("drinks"));
    expect(own).toEqual([second.content, first.content]);
    const walked: string[] = [];
    for (let before = ""; ;) {
      const { body } = await page.call<Listed>(`/api/memory?limit=2${before}`);
      walked.push(...contents(body));
      if (body.next_before === null) break;
      before = `&before=${body.next_before}`;
    }
    expect(walked).toEqual(contents(all));
    const found = await page.call<Listed>("/api/memory/search?q=tea");
    expect(contents(found.body)).toEqual(["Ana drinks green tea"]);
    expect(contents((await page.call<Listed>("/api/memory/search?q=drinks&limit=1")).body)).toHaveLength(1);
  });

  test.each([
    "/api/memory?limit=0",
    "/api/memory?limit=many",
    "/api/memory?page=2",
    "/api/memory/search",
    "/api/memory/search?q=tea&words=any",
  ])("%s is refused", async (path) => {
    expect(await page.call(path)).toMatchObject({ status: 400, code: "invalid_input" });
  });

  test("another's words count for less, a change is kept, and the same words are not kept twice", async () => {
    const item = await remember("The office moves in May", "foreign");
    expect(item.taint).toBe("external");
    const twice = { from: "own", content: item.content, memory_type: "fact", semantic_tags: [] };
    expect(await page.call("/api/memory", twice)).toMatchObject({ status: 409, code: "memory_duplicate" });
    const changed = { from: "own", content: "The office moves in June" };
    expect(await page.call(`/api/memory/${item.memory_id}/change`, changed)).toMatchObject({ status: 200 });
    const shown = await page.call<Kept>(`/api/memory/${item.memory_id}`);
    expect(shown.body.memory.content).toBe("The office moves in June");
  });

  test("verifying one asks for a decision, which alone verifies it", async () => {
    const item = await remember("The landlord is called Ruiz", "foreign");
    const asked = await page.call<Asked>(`/api/memory/${item.memory_id}/promote`, {});
    expect(asked.body).toMatchObject({ is_new: true, request: { request_id: expect.any(String) } });
    const trust = async () => (await page.call<Kept>(`/api/memory/${item.memory_id}`)).body.memory.trust_level;
    expect(await trust()).toBe("working");
    await approveAtTerminal(running, asked.body.request);
    expect(await trust()).toBe("verified");
  });

  test("what is forgotten is gone from every answer, and who forgot it is on record", async () => {
    const item = await remember("The safe opens with onions");
    expect(await page.call(`/api/memory/${item.memory_id}/forget`, {})).toMatchObject({ status: 200, body: {} });
    expect(await page.call(`/api/memory/${item.memory_id}`)).toMatchObject({ status: 404, code: "memory_unknown" });
    expect((await page.call<Listed>("/api/memory/search?q=safe")).body.memories).toEqual([]);
    const { body } = await terminalOf(running).call<ActivityPage>("/api/activity?limit=500");
    const entry = body.items.find(({ event }) => event === "memory_forgotten");
    expect(entry).toMatchObject({ actor: { kind: "owner", session_id: page.sessionId } });
  });

  test("the export is a file of lines with all of them", async () => {
    await remember("Exports hold everything");
    const response = await running.call("/api/memory/export");
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="silas-memory.jsonl"');
    const lines = (await response.text()).trimEnd().split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ bundle_version: "jsonl-v1" });
    const { memories } = (await page.call<Listed>("/api/memory")).body;
    expect(lines).toHaveLength(1 + memories.length);
    expect(lines.join("\n")).toContain("Exports hold everything");
  });
});

describe("what happened, over HTTP", () => {
  type Item = ActivityPage["items"][number];
  const read = async (query: string): Promise<ActivityPage> =>
    (await page.call<ActivityPage>(`/api/activity${query}`)).body;

  test("is newest first, page by page, within the times that were asked for", async () => {
    const { items } = await read("?limit=500");
    const [newest, second] = items as readonly [Item, Item, ...Item[]];
    const first = await read("?limit=1");
    expect(first.items).toEqual([newest]);
    expect(first.next_before_seq).toBe(newest.seq);
    expect((await read(`?limit=1&before_seq=${newest.seq}`)).items).toEqual([second]);
    const since = encodeURIComponent(newest.at);
    expect((await read(`?from=${since}`)).items.every(({ at }) => at >= newest.at)).toBe(true);
    const oldest = items.at(-1) as Item;
    expect((await read(`?to=${encodeURIComponent(oldest.at)}`)).items.every(({ at }) => at <= oldest.at)).toBe(true);
    expect((await read("?from=2098-01-01T00:00:00.000Z")).items).toEqual([]);
  });

  test.each([
    ["?limit=0", "limit"],
    ["?limit=many", "limit"],
    ["?before_seq=x", "before_seq"],
    ["?from=yesterday", "from"],
    ["?to=tomorrow", "to"],
    ["/chain?whole=no", "whole"],
  ])("%s is refused and names %s", async (query, path) => {
    const refused = await page.call(`/api/activity${query}`);
    expect(refused).toMatchObject({ status: 400, code: "invalid_input", body: { error: { path } } });
  });

  test("the chain holds, with as many entries as were asked to be verified", async () => {
    const whole = await page.call("/api/activity/chain?whole=true");
    expect(whole.body).toMatchObject({ ok: true, heads: { kept: expect.any(Number), signed: expect.any(Number) } });
    const { items } = await read("?limit=1");
    expect(whole.body).toMatchObject({ entries_checked: items[0]?.seq, head: { seq: items[0]?.seq } });
  });
});
