import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sha256Hex, type Instant } from "#base";
import type { SecretRef, WantedSecret } from "#model";
import { createAuditRules } from "#policy";
import { openRuntime, openVault } from "#stores";
import { systemEd25519 } from "../audit-life.ts";
import { systemRandomness } from "../system.ts";
import { createSecretsDoor } from "./secrets-door.ts";
import { must } from "../must.fixture.ts";

const BY = { kind: "terminal" } as const;
const REF = "mail-token" as SecretRef;
const WANTED: WantedSecret = {
  refId: REF,
  label: "Mail token",
  inputHint: null,
  host: null,
  guidance: { instructions: "", helpUrl: null },
};

/** Real files; statement number `failingAt` of `silas.db` fails, counted from when it is set. */
async function open() {
  const dir = mkdtempSync(join(tmpdir(), "silas-secrets-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const fault: { failingAt: number | null; seen: number } = { failingAt: null, seen: 0 };
  const clock = { now: () => "2026-11-15T08:00:00.000Z" as Instant };
  const stores = must(
    await openRuntime({
      dataDir: join(dir, "data"),
      clock,
      random: systemRandomness,
      auditRules: createAuditRules(sha256Hex, systemEd25519),
      onRuntimeStatement: () => {
        fault.seen += 1;
        if (fault.seen !== fault.failingAt) return;
        throw Object.assign(new Error("simulated failure"), { code: "ERR_SQLITE_ERROR", errcode: 10 });
      },
    }),
  );
  onTestFinished(() => stores.close());
  const vault = openVault({
    dataDir: join(dir, "data"),
    stateDir: join(dir, "state"),
    random: systemRandomness,
    access: { passphrase: null, askPassphrase: async () => null, sessionBus: "absent" },
  });
  const door = createSecretsDoor({ vault, inputs: stores.secureInputs, clock, onChanged: () => {} });
  const storedEntries = async () => {
    const entries = must(await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
    return entries.filter(({ event }) => event === "secret_stored").length;
  };
  return { door, vault, fault, storedEntries };
}

test("[SECRET-08] whichever write fails, a secret is called stored only when vault, record and audit entry all have it", async () => {
  const { door, vault, fault, storedEntries } = await open();
  must(await door.ask(WANTED, BY));
  for (let failingAt = 1; ; failingAt += 1) {
    Object.assign(fault, { failingAt, seen: 0 });
    const stored = await door.store({ refId: REF, secret: Buffer.from(`try ${failingAt}`), actor: BY });
    fault.failingAt = null;
    const [listed] = must(await door.list());
    const isFulfilled = listed?.request?.state === "fulfilled";
    expect([failingAt, isFulfilled, await storedEntries()]).toEqual([failingAt, stored.ok, stored.ok ? 1 : 0]);
    if (!stored.ok) continue;
    expect(Buffer.from(must(await vault.get(REF))).toString()).toBe(`try ${failingAt}`);
    expect(failingAt).toBeGreaterThan(4);
    return;
  }
});
