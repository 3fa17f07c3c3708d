import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageNonceKey } from "#model";
import { earliestSpending, pruneBefore } from "#policy";
import { openInMemory } from "../stores-in-memory.ts";
import { openFile, openMemory, spendingOf } from "./message-fixture.ts";
import { ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, must } from "./journal-fixture.ts";

const rows = (dataDir: string, sql: string): readonly object[] => {
  const db = new DatabaseSync(join(dataDir, "silas.db"), { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
};

describe.each([
  ["in memory", openMemory],
  ["on disk", () => openFile()],
] as const)("the nonce store (%s)", (_name, open) => {
  test("[NONCE-01] one step says fresh once and used from then on; there is no asking without recording", async () => {
    const { nonces } = await open();
    expect(must(await nonces.spend(spendingOf("a", 0)))).toBe("fresh");
    expect(must(await nonces.spend(spendingOf("a", 0)))).toBe("used");
    expect(must(await nonces.spend(spendingOf("a", 9)))).toBe("used");
    expect(must(await nonces.spend(spendingOf("b", 9)))).toBe("fresh");
  });

  test("[NONCE-06] pruning removes exactly what is older, says how many, and what it removed is never fresh again", async () => {
    const { nonces } = await open();
    for (const [nonce, minutes] of [
      ["a", 0],
      ["b", 10],
      ["c", 20],
    ] as const) {
      must(await nonces.spend(spendingOf(nonce, minutes)));
    }
    expect(must(await nonces.prune(at(0)))).toBe(0);
    expect(must(await nonces.prune(at(10)))).toBe(1);
    expect(must(await nonces.prune(at(10)))).toBe(0);
    expect(must(await nonces.spend(spendingOf("b", 21)))).toBe("used");
    expect(must(await nonces.spend(spendingOf("c", 21)))).toBe("used");
    // A clock that was set back asks about a time whose nonces are forgotten: nobody can say that it is new.
    expect(must(await nonces.spend(spendingOf("a", 0)))).toBe("used");
    expect(must(await nonces.spend(spendingOf("d", 14)))).toBe("used");
    expect(must(await nonces.spend(spendingOf("d", 15)))).toBe("fresh");
    expect(must(await nonces.prune(at(100)))).toBe(3);
  });

  test("[NONCE-06] pruning that finds nothing to forget refuses nothing later", async () => {
    const { nonces } = await open();
    expect(must(await nonces.prune(at(100)))).toBe(0);
    expect(must(await nonces.spend(spendingOf("a", 0)))).toBe("fresh");
  });

  test("[NONCE-07] of twenty at once one is fresh", async () => {
    const { nonces } = await open();
    const answers = await Promise.all(Array.from({ length: 20 }, () => nonces.spend(spendingOf("a", 0))));
    expect(answers.filter((answer) => must(answer) === "fresh")).toHaveLength(1);
  });
});

describe("nonces", () => {
  test("[NONCE-06] nothing that could still be replayed is ever forgotten, whatever the times are", async () => {
    const minutes = fc.integer({ min: 1, max: 120 });
    const arrival = fc.record({ wait: fc.integer({ min: 0, max: 30 }), skew: fc.integer({ min: -100, max: 100 }) });
    await fc.assert(
      fc.asyncProperty(
        minutes,
        minutes,
        fc.array(arrival, { minLength: 1, maxLength: 12 }),
        async (ttl, fresh, arrivals) => {
          const window = { ttlMs: ttl * 60_000, freshnessMs: fresh * 60_000 };
          const { nonces, close } = openInMemory();
          let now = 0;
          const accepted: { readonly nonce: string; readonly signedAt: number }[] = [];
          for (const [index, { wait, skew }] of arrivals.entries()) {
            now += wait;
            must(await nonces.prune(pruneBefore(at(now), window)));
            const signedAt = now + Math.round((skew * fresh) / 100);
            const nonce = index.toString(16).padStart(32, "0");
            const spending = { nonce, at: at(now), earliest: earliestSpending(at(signedAt), window) };
            if (must(await nonces.spend(spending)) === "fresh") accepted.push({ nonce, signedAt });
            // Everything that still counts as written just now is known to be used.
            for (const { nonce: old, signedAt: oldSignedAt } of accepted) {
              if (Math.abs(now - oldSignedAt) > fresh) continue;
              const again = { nonce: old, at: at(now), earliest: earliestSpending(at(oldSignedAt), window) };
              expect(must(await nonces.spend(again))).toBe("used");
            }
          }
          expect(accepted).toHaveLength(arrivals.length);
          close();
        },
      ),
      { numRuns: 200 },
    );
  });

  test("[NONCE-05] each record says when it was made, and it is kept at least as long as configured", async () => {
    const { nonces, dataDir } = await openFile();
    must(await nonces.spend(spendingOf("a", 3)));
    expect(rows(dataDir, "SELECT * FROM message_nonces")).toEqual([
      { nonce_key: `msg:${"a".repeat(32)}`, recorded_at: at(3) },
    ]);
    const window = { ttlMs: 40 * 60_000, freshnessMs: 5 * 60_000 };
    expect(pruneBefore(at(60), window)).toBe(at(20));
    // A life that is shorter than a message stays fresh is not believed.
    expect(pruneBefore(at(60), { ttlMs: 60_000, freshnessMs: 5 * 60_000 })).toBe(at(50));
  });

  test("[NONCE-02] the key of a message is its domain and nonce; a use of an approval is a row under the token's nonce and its content", async () => {
    const { approvals, keys, dataDir } = await openFile();
    expect(messageNonceKey("ab")).toBe("msg:ab");
    must(await keys.add(KEY, ENROLLED));
    must(await approvals.propose(requestFor("plan")));
    const token = tokenFor("plan");
    must(await approvals.spend(spendingFor(token, { lineage: "l1", request: requestFor("plan") })));
    expect(rows(dataDir, "SELECT nonce, use_number, content_hash FROM approval_uses")).toEqual([
      { nonce: token.nonce, use_number: 1, content_hash: token.planHash },
    ]);
    expect(rows(dataDir, "SELECT * FROM message_nonces")).toEqual([]);
  });

  test("[NONCE-03] a nonce used for an approval is still fresh for a message, and the reverse", async () => {
    const { approvals, keys, nonces } = await openFile();
    must(await keys.add(KEY, ENROLLED));
    must(await approvals.propose(requestFor("plan")));
    must(await approvals.propose(requestFor("other")));
    const [token, other] = [tokenFor("plan"), tokenFor("other")];
    must(await approvals.spend(spendingFor(token, { lineage: "l1", request: requestFor("plan") })));
    const spending = { at: at(0), earliest: at(0) };
    expect(must(await nonces.spend({ ...spending, nonce: token.nonce }))).toBe("fresh");
    expect(must(await nonces.spend({ ...spending, nonce: other.nonce }))).toBe("fresh");
    expect((await approvals.spend(spendingFor(other, { lineage: "l2", request: requestFor("other") }))).ok).toBe(true);
  });

  test("an approval that is used up is used for nothing else, and the row of its use keeps its content", async () => {
    const { approvals, keys } = await openFile();
    must(await keys.add(KEY, ENROLLED));
    must(await approvals.propose(requestFor("plan")));
    const token = tokenFor("plan");
    must(await approvals.spend(spendingFor(token, { lineage: "l1", request: requestFor("plan") })));
    const elsewhere = { ...spendingFor(token, { lineage: "l2" }), contentHash: requestFor("other").planHash };
    expect(await approvals.spend(elsewhere)).toMatchObject({ ok: false, error: { code: "uses_exhausted" } });
    const [use] = must(await approvals.findApproval(token.tokenId))?.uses ?? [];
    expect(use).toMatchObject({ nonce: token.nonce, contentHash: token.planHash, useNumber: 1 });
  });

  test("[NONCE-07] a spent nonce is spent for a process that starts later", async () => {
    const first = await openFile();
    must(await first.nonces.spend(spendingOf("a", 0)));
    first.close();
    const second = await openFile(first.dataDir);
    expect(must(await second.nonces.spend(spendingOf("a", 0)))).toBe("used");
  });
});
