import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { ChainVerifier } from "#ports";
import { heldUnder } from "../../../../test/held-under.ts";
import { must } from "../store.fixture.ts";
import { openAuditReader } from "./open-beside.ts";
import { ENTRIES, makeSignedChain, MARKED_AT, openBare, signedRules as rules } from "./signed-chain.fixture.ts";
import { createChainVerifier } from "./verify-apart.ts";

const FILE = new URL("../../../chain-worker.ts", import.meta.url);
/** A thread that does something else than verify. */
const doing = (script: string): URL => new URL(`data:text/javascript,${encodeURIComponent(script)}`);
/** Nine hundred megabytes. */
const FILLED = "const kept = []; for (let mb = 0; mb < 900; mb += 1) kept.push(new Array(131_072).fill(mb + 0.5));";
const ANSWER = `import { parentPort } from "node:worker_threads"; parentPort.postMessage({ ok: true, value: "answer" });`;
const FOREVER = "setInterval(() => {}, 1_000);";

let root = "";
let dataDir = "";
let verifiers: ChainVerifier[] = [];
const createVerifier = (file = FILE, waitMs?: number): ChainVerifier => {
  const verifier = createChainVerifier({ file, dataDir, ...(waitMs === undefined ? {} : { waitMs }) });
  verifiers.push(verifier);
  return verifier;
};

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "silas-apart-"));
  await makeSignedChain(join(root, "made"));
});
beforeEach(() => {
  dataDir = join(root, "data");
  cpSync(join(root, "made"), dataDir, { recursive: true });
});
afterEach(async () => {
  await Promise.all(verifiers.map((verifier) => verifier.close()));
  verifiers = [];
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What this thread finds by itself. */
async function verifiedHere() {
  const reader = must(openAuditReader({ dataDir, rules }));
  const verdict = must(await reader.verify("genesis"));
  await reader.close();
  return verdict;
}

test("the verdict of a thread of its own is the one found here, with the signed heads it checked", async () => {
  const verdict = must(await createVerifier().verify());
  expect(verdict).toMatchObject({ valid: true, entriesChecked: ENTRIES, headsSigned: 50, lastSignedAt: MARKED_AT });
  expect(verdict).toEqual(await verifiedHere());
});

test("[AUD-02] a chain that was changed is found broken at the same entry", async () => {
  const db = openBare(dataDir);
  db.exec("UPDATE audit_entries SET entry = replace(entry, 'Firefox', 'Firefax') WHERE seq = 555");
  db.close();
  const verdict = must(await createVerifier().verify());
  expect(verdict).toEqual({ valid: false, entriesChecked: 554, broken: { code: "entry_changed", seq: 555 } });
  expect(verdict).toEqual(await verifiedHere());
});

test("a database that cannot be read is a fault of the store, as it is here", async () => {
  rmSync(dataDir, { recursive: true });
  expect(await createVerifier().verify()).toMatchObject({ error: { code: "store_failed" } });
});

test.each([
  ["ends by itself", "process.exit(3)", "the thread ended with 3"],
  ["throws", "throw new Error('broken')", "broken"],
  [
    "uses more memory than it may",
    `${FILLED} import("node:worker_threads").then(({ parentPort }) => parentPort.postMessage({ ok: true }))`,
    "memory",
  ],
])("a thread that %s gives no verdict and says why, and the next one does", async (_, script, why) => {
  const refused = await createVerifier(doing(script)).verify();
  expect(refused).toMatchObject({ ok: false, error: { code: "chain_check_ended", retryable: true } });
  expect(String(!refused.ok && refused.error.cause)).toContain(why);
  expect(await createVerifier(doing(ANSWER)).verify()).toEqual({ ok: true, value: "answer" });
});

test("a thread that has answered is ended, whatever else it would do", async () => {
  const held = join(dataDir, "held");
  const script = `import { openSync } from "node:fs"; import { parentPort } from "node:worker_threads";
    openSync(${JSON.stringify(held)}, "w"); parentPort.postMessage({ ok: true, value: "answer" }); ${FOREVER}`;
  expect(await createVerifier(doing(script)).verify()).toEqual({ ok: true, value: "answer" });
  // What a thread opened is closed with it.
  expect(heldUnder(held)).toEqual([]);
});

test("a thread that takes longer than it may is ended", async () => {
  const refused = await createVerifier(doing(FOREVER), 1).verify();
  expect(refused).toMatchObject({ ok: false, error: { code: "chain_check_ended" } });
});

test("closing ends what is under way and lets nothing begin any more", async () => {
  const verifier = createVerifier(doing(FOREVER));
  const under = [verifier.verify(), verifier.verify()];
  await verifier.close();
  for (const refused of await Promise.all([...under, verifier.verify()])) {
    expect(refused).toMatchObject({ ok: false, error: { code: "chain_check_ended" } });
  }
});
