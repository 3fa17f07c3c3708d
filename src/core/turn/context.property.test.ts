import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTokens, LIMITS, type Instant } from "#base";
import { TAINTS } from "#model";
import { renderContext, renderItem, zoneBudgets, ZONES, type ContextItem, messageItem } from "./context.ts";

const AT = "2026-11-15T08:00:00.000Z" as Instant;
const CONVERSATION = { chroniclePct: 0.45, memoryPct: 0.2, workspacePct: 0.15 };

const itemOf = (over: Partial<ContextItem>): ContextItem => ({
  ctxId: "c",
  zone: "chronicle",
  kind: "message",
  tag: "turn 1 | user | live",
  content: "words",
  taint: "owner",
  createdAt: AT,
  ...over,
});

const shares = fc
  .tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 80 }))
  .filter(([one, two, three]) => one + two + three <= 80)
  .map(([one, two, three]) => ({ chroniclePct: one / 100, memoryPct: two / 100, workspacePct: three / 100 }));

describe("how much is shown", () => {
  test("[CTX-11] a full system zone and the profile of a conversation leave these budgets", () => {
    const budgets = zoneBudgets({ totalTokens: 180_000, systemMax: 8000, shares: CONVERSATION }, 8000);
    expect(budgets).toMatchObject({ chronicle: 77_400, memory: 34_400, workspace: 25_800 });
  });

  test("[CTX-10] [CTX-12] what may be given away is never negative, and a fifth of it at least stays free, for every valid profile", () => {
    fc.assert(
      fc.property(shares, fc.nat(300_000), fc.nat(20_000), (profile, totalTokens, systemTokens) => {
        const budgets = zoneBudgets({ totalTokens, systemMax: 8000, shares: profile }, systemTokens);
        expect(budgets.allocable).toBe(Math.max(totalTokens - Math.min(systemTokens, 8000), 0));
        expect(budgets.headroom).toBeGreaterThanOrEqual(budgets.allocable * 0.2 - 1e-6);
      }),
    );
  });

  test("[CTX-13] the size of the system text now decides, not that of an earlier moment", () => {
    const settings = { totalTokens: 10_000, systemMax: 8000, shares: CONVERSATION };
    expect(zoneBudgets(settings, 100).chronicle).toBeGreaterThan(zoneBudgets(settings, 5000).chronicle);
  });

  test("what does not fit is the oldest of its zone, it is named, and no zone is larger than its share", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...ZONES), fc.nat(200)), { maxLength: 40 }), (sizes) => {
        const items = sizes.map(([zone, size], index) =>
          itemOf({ zone, ctxId: `c${index}`, content: "x".repeat(size) }),
        );
        const settings = { totalTokens: 1000, systemMax: 200, shares: CONVERSATION };
        const { shown, leftOut } = renderContext(items, settings);
        expect(shown.length + leftOut.length).toBe(items.length);
        const system = items.filter(({ zone }) => zone === "system");
        const used = (zone: string) =>
          shown
            .filter((item) => item.zone === zone)
            .reduce((sum, item) => sum + estimateTokens(renderItem(item).length), 0);
        const budgets = zoneBudgets(
          settings,
          system.reduce((sum, item) => sum + estimateTokens(renderItem(item).length), 0),
        );
        for (const zone of ["chronicle", "memory", "workspace"] as const)
          expect(used(zone)).toBeLessThanOrEqual(budgets[zone]);
        for (const left of leftOut) {
          const later = shown.filter((item) => item.zone === left.zone && items.indexOf(item) < items.indexOf(left));
          expect(later).toEqual([]);
        }
      }),
    );
  });

  test("an item that fills its zone exactly fits, and one token more does not", () => {
    const settings = { totalTokens: 1000, systemMax: 200, shares: CONVERSATION };
    const room = zoneBudgets(settings, 0).chronicle;
    const around = renderItem(itemOf({ content: "" })).length;
    const filling = itemOf({ content: "x".repeat(room * LIMITS.tokenChars - around) });
    const larger = itemOf({ content: `${filling.content}x` });
    expect([estimateTokens(renderItem(filling).length), estimateTokens(renderItem(larger).length)]).toEqual([
      room,
      room + 1,
    ]);
    expect(renderContext([filling], settings).shown).toEqual([filling]);
    expect(renderContext([larger], settings).leftOut).toEqual([larger]);
  });
});

describe("how it is shown", () => {
  test("[CTX-16] system, chronicle, memory and workspace, in this order whatever order they come in", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...ZONES, ...ZONES]), (zones) => {
        const items = zones.map((zone, index) => itemOf({ zone, ctxId: `c${index}`, tag: zone }));
        const { shown } = renderContext(items, { totalTokens: 10_000, systemMax: 800, shares: CONVERSATION });
        const order = shown.map(({ zone }) => ZONES.indexOf(zone));
        expect(order).toEqual(order.toSorted((a, b) => a - b));
      }),
    );
  });

  test("[CTX-17] each item is a block with its tag, and no content ends its block or begins another", () => {
    const hostile = fc.string({
      unit: fc.constantFrom("---", " end ", "--- end ---", "\n", "\r", "\u2028", "-", " ", "x", "\t"),
      maxLength: 30,
    });
    fc.assert(
      fc.property(hostile, hostile, (content, tag) => {
        const lines = renderItem({ content, tag }).split(/[\n\r\u2028\u2029\u0085\u000b\u000c]/u);
        expect(lines.filter((line) => /^\s*---/.test(line))).toHaveLength(2);
        expect(lines[0]?.startsWith("--- ")).toBe(true);
        expect(lines.at(-1)).toBe("--- end ---");
      }),
    );
  });

  test("[CTX-05] the whole is trusted as the least of what is in it", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TAINTS), { minLength: 1, maxLength: 6 }), (taints) => {
        const items = taints.map((taint, index) => itemOf({ taint, ctxId: `c${index}` }));
        const { taint, shown } = renderContext(items, { totalTokens: 10_000, systemMax: 800, shares: CONVERSATION });
        expect(shown.map((item) => item.taint)).toEqual(taints);
        expect(TAINTS.indexOf(taint)).toBe(Math.max(...taints.map((one) => TAINTS.indexOf(one))));
      }),
    );
  });

  test("a message stands there with its turn, who said it and how far that is trusted", () => {
    const message = {
      messageId: "m-1",
      senderId: "phone",
      text: "hello",
      taint: "auth",
      origin: "identity",
      sources: [],
      receivedAt: AT,
    } as unknown as Parameters<typeof messageItem>[0]["message"];
    expect(renderItem(messageItem({ message, turnNumber: 14 }))).toBe(
      "--- turn 14 | user | live ---\n[auth] phone: hello\n--- end ---",
    );
  });
});
