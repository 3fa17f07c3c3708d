import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sha256Hex } from "#base";
import { createAuditRules } from "#policy";
import { openMigratedRuntime } from "#sim";
import type { RuntimeStores } from "#stores";
import { BY, ENROLLED, KEY, requestFor, spendingFor, tokenFor } from "./approval-fixture.ts";
import { at, countingRandom, fixedClock, must } from "./journal-fixture.ts";

/** `silas.db` against what is noted beside it, at the opening of the stores. */

let dataDir: string;
let opened: RuntimeStores[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "silas-held-"));
});
afterEach(() => {
  for (const stores of opened) stores.close();
  opened = [];
  rmSync(dataDir, { recursive: true });
});

const auditRules = createAuditRules(sha256Hex);
async function open(): Promise<RuntimeStores> {
  const stores = must(await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }));
  opened.push(stores);
  return stores;
}
const close = (stores: RuntimeStores): void => {
  stores.close();
  opened = opened.filter((one) => one !== stores);
};
const file = (name: string): string => join(dataDir, name);
const HEADS = "audit-heads.jsonl";

/** A decision with an approval that is used at once and one that is kept for later. */
async function decide({ approvals }: RuntimeStores, name: string): Promise<void> {
  must(await approvals.propose(requestFor(name)));
  const also = [{ token: tokenFor(`${name}-later`, 3), workItemId: `item-${name}`, use: null }];
  const lineage = `lineage-${name}`;
  must(await approvals.spend({ ...spendingFor(tokenFor(name), { lineage, request: requestFor(name) }), also }));
}

async function decided(): Promise<void> {
  const stores = await open();
  must(await stores.keys.add(KEY, ENROLLED));
  await decide(stores, "a");
  close(stores);
}

const isVoid = async ({ approvals }: RuntimeStores, name: string) =>
  must(await approvals.findApproval(tokenFor(name).tokenId))?.isVoid;

test("[APPR-16] a use is noted beside the database as it is committed, and a newer database is no older one", async () => {
  await decided();
  const lines = readFileSync(file(HEADS), "utf8").trim().split("\n");
  expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ hash: expect.any(String), seq: 3 });
  // A crash between a commit and its note, and one in the middle of the note.
  writeFileSync(file(HEADS), "");
  const missed = await open();
  expect(missed.hold.current()).toBeNull();
  close(missed);
  appendFileSync(file(HEADS), '{"hash":"0a');
  expect((await open()).hold.current()).toBeNull();
});

test("[APPR-16] a database without what is noted refuses every write, can be read, and lets devices sign in", async () => {
  const first = await open();
  must(await first.keys.add(KEY, ENROLLED));
  close(first);
  copyFileSync(file("silas.db"), file("earlier.db"));
  const second = await open();
  await decide(second, "a");
  close(second);
  copyFileSync(file("earlier.db"), file("silas.db"));
  const { hold, approvals, keys, stops, sessions, queue } = await open();
  expect(hold.current()).toMatchObject({ reason: "database_older", seq: 1, missing: 2 });
  const refused = { ok: false, error: { code: "store_read_only" } };
  expect(await approvals.propose(requestFor("b"))).toMatchObject(refused);
  expect(await stops.stop({ at: at(1), actor: BY })).toMatchObject(refused);
  expect(await keys.revoke({ keyId: KEY.keyId, at: at(1), actor: BY, lastKey: "revoke" })).toMatchObject(refused);
  expect(await approvals.spend(spendingFor(tokenFor("a"), { lineage: "again" }))).toMatchObject(refused);
  expect(must(await keys.list())).toHaveLength(1);
  expect(must(await approvals.list(["pending", "expired"]))).toEqual([]);
  expect(queue.dead()).toEqual([]);
  const session = { sessionId: "phone", deviceName: "Phone", tokenDigest: "d", createdAt: at(1), lastSeenAt: at(1) };
  must(await sessions.add({ ...session, revokedAt: null }));
  must(hold.accept({ at: at(2), actor: BY }));
  expect(hold.current()).toBeNull();
  must(await approvals.propose(requestFor("b")));
});

test("[APPR-16] accepting voids what was given before, used or kept for later, and nothing that is given after", async () => {
  await decided();
  const lost = { hash: "f".repeat(64), seq: 9 };
  appendFileSync(file(HEADS), `${JSON.stringify(lost)}\n`);
  const stores = await open();
  expect([await isVoid(stores, "a"), await isVoid(stores, "a-later")]).toEqual([false, false]);
  must(stores.hold.accept({ at: at(2), actor: BY }));
  expect([await isVoid(stores, "a"), await isVoid(stores, "a-later")]).toEqual([true, true]);
  await decide(stores, "b");
  expect([await isVoid(stores, "b"), await isVoid(stores, "b-later")]).toEqual([false, false]);
  const [entry] = must(await stores.audit.entries({ beforeSeq: 6, from: null, to: null, limit: 1 }));
  expect(entry).toMatchObject({
    event: "approvals_voided",
    actor: BY,
    data: { reason: "database_older", replaced: lost },
  });
  close(stores);
  expect((await open()).hold.current()).toBeNull();
});

test("a record that is damaged is held as that, and a chain that forked from what is noted as older", async () => {
  await decided();
  const lines = readFileSync(file(HEADS), "utf8");
  writeFileSync(file(HEADS), `nonsense\n${lines}`);
  const damaged = await open();
  expect(damaged.hold.current()).toMatchObject({ reason: "heads_unreadable", missing: null });
  close(damaged);
  writeFileSync(file(HEADS), lines.replace(/"hash":"./, '"hash":"0'));
  expect((await open()).hold.current()).toMatchObject({ reason: "database_older", missing: 0 });
});
