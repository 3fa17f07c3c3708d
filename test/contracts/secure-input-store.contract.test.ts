import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { LIMITS, sha256Hex } from "#base";
import type { SecretRef, SecureInputRequest } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, SecureInputStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import { openInMemory } from "../stores-in-memory.ts";
import { at, countingRandom, fixedClock, must, tempDir } from "./journal-fixture.ts";

const BY = { kind: "terminal" } as const;
const PHONE = { kind: "owner", session_id: "s-1" } as const;
const ref = (name: string): SecretRef => name as SecretRef;

const request = (name: string, minutes: number): SecureInputRequest => ({
  refId: ref(name),
  label: `Label of ${name}`,
  inputHint: "ghp_...",
  host: "api.example.com:443",
  guidance: { instructions: "Settings, then tokens.", helpUrl: "https://example.com/help" },
  createdAt: at(minutes),
  expiresAt: at(minutes + 10),
  state: "pending",
  requestedBy: BY,
});

type Opened = { readonly inputs: SecureInputStore; readonly audit: AuditLog; reopen(): Promise<SecureInputStore> };

const auditRules = createAuditRules(sha256Hex);

async function openFile(): Promise<Opened> {
  const dataDir = join(tempDir(), "data");
  const options = { dataDir, clock: fixedClock, random: countingRandom(), auditRules };
  const opened = must(await openMigratedRuntime(options));
  onTestFinished(() => opened.close());
  const reopen = async () => {
    const again = must(await openMigratedRuntime(options));
    onTestFinished(() => again.close());
    return again.secureInputs;
  };
  return { inputs: opened.secureInputs, audit: opened.audit, reopen };
}

async function openMemory(): Promise<Opened> {
  const { secureInputs: inputs, audit } = openInMemory();
  return { inputs, audit, reopen: async () => inputs };
}

/** What the chain says, oldest first. */
async function recorded(audit: AuditLog): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 500 }));
  return entries.toReversed().map(({ event, data }) => `${event} ${JSON.stringify(data)}`);
}

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the store of asked secrets (%s)", (_name, open) => {
  test("a request is kept whole, is listed by age and survives a restart", async () => {
    const { inputs, reopen } = await open();
    const bare = { ...request("b", 2), inputHint: null, guidance: { instructions: "", helpUrl: null }, host: null };
    must(await inputs.ask(request("z", 1)));
    expect(must(await inputs.ask(bare))).toEqual({ request: bare, isNew: true });
    expect(must(await (await reopen()).list(at(3)))).toEqual([request("z", 1), bare]);
  });

  test("what waits is not asked for again, and its words stay those that were asked first", async () => {
    const { inputs, audit } = await open();
    must(await inputs.ask(request("a", 0)));
    const again = must(await inputs.ask({ ...request("a", 5), label: "Another label" }));
    expect(again).toEqual({ request: request("a", 0), isNew: false });
    expect(await recorded(audit)).toEqual(['secret_asked {"ref_id":"a"}']);
  });

  test("[SECRET-08] a stored secret is one entry of the audit chain that carries its name and nothing else", async () => {
    const { inputs, audit } = await open();
    must(await inputs.ask(request("a", 0)));
    must(await inputs.fulfil(ref("a"), { at: at(1), actor: PHONE }));
    expect(must(await inputs.list(at(2)))).toEqual([{ ...request("a", 0), state: "fulfilled" }]);
    expect(await recorded(audit)).toEqual(['secret_asked {"ref_id":"a"}', 'secret_stored {"ref_id":"a"}']);
  });

  test("what is unknown, over or fulfilled is found so and fulfilled by nobody", async () => {
    const { inputs, audit } = await open();
    const refused = async (name: string, minutes: number) => {
      const found = await inputs.find(ref(name), at(minutes));
      const fulfilled = await inputs.fulfil(ref(name), { at: at(minutes), actor: BY });
      expect(fulfilled).toEqual(found);
      return found.ok ? null : found.error;
    };
    must(await inputs.ask(request("a", 0)));
    expect(await refused("b", 1)).toEqual({ code: "secret_not_asked", refId: "b" });
    expect(await refused("a", 10)).toEqual({ code: "secret_not_asked", refId: "a" });
    expect(must(await inputs.list(at(10)))[0]?.state).toBe("expired");
    expect(must(await inputs.find(ref("a"), at(9)))).toEqual(request("a", 0));
    must(await inputs.fulfil(ref("a"), { at: at(9), actor: BY }));
    expect(await refused("a", 9)).toEqual({ code: "secret_fulfilled", refId: "a" });
    expect(await refused("a", 99)).toEqual({ code: "secret_fulfilled", refId: "a" });
    expect((await recorded(audit)).length).toBe(2);
  });

  test("what is over or fulfilled can be asked for anew", async () => {
    const { inputs, audit } = await open();
    must(await inputs.ask(request("a", 0)));
    expect(must(await inputs.ask(request("a", 20)))).toEqual({ request: request("a", 20), isNew: true });
    must(await inputs.fulfil(ref("a"), { at: at(21), actor: BY }));
    expect(must(await inputs.ask(request("a", 22))).isNew).toBe(true);
    expect(must(await inputs.list(at(23)))).toEqual([request("a", 22)]);
    expect((await recorded(audit)).map((line) => line.split(" ")[0])).toEqual([
      "secret_asked",
      "secret_asked",
      "secret_stored",
      "secret_asked",
    ]);
  });

  test("a removed one is forgotten and recorded, also when nobody had asked for it", async () => {
    const { inputs, audit } = await open();
    must(await inputs.ask(request("a", 0)));
    must(await inputs.remove(ref("a"), { at: at(1), actor: BY }));
    must(await inputs.remove(ref("b"), { at: at(2), actor: BY }));
    expect(must(await inputs.list(at(2)))).toEqual([]);
    expect((await recorded(audit)).slice(1)).toEqual([
      'secret_removed {"ref_id":"a"}',
      'secret_removed {"ref_id":"b"}',
    ]);
  });

  test("no more than the limit wait at once; those that are over do not count", async () => {
    const { inputs } = await open();
    for (let count = 0; count < LIMITS.secretsAsked; count += 1) must(await inputs.ask(request(`r${count}`, 0)));
    expect(await inputs.ask(request("one-more", 1))).toEqual({
      ok: false,
      error: { code: "too_many_asked", max: LIMITS.secretsAsked },
    });
    expect(must(await inputs.ask(request("one-more", 10))).isNew).toBe(true);
  });
});
